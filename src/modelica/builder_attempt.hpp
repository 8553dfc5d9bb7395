// One thing after the other: what is wrong with one of them is told, and the others are looked at all the same.
#pragma once

#include <saltus/core/error.hpp>

#include "modelica/builder.hpp"

namespace saltus::modelica {

template <class Read>
bool Builder::attempt(Span where, Read&& read) {
  if (messages_.is_full()) return false;
  try {
    read();
    return true;
  } catch (const Refusal& r) {
    messages_.error(r.where, r.message);
  } catch (const Error& e) {
    messages_.error(where, e.what());
  }
  return false;
}

}  // namespace saltus::modelica
