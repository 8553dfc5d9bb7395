// An engine for any explicit tableau; tests hand in spoiled ones.
#pragma once

#include <memory>

#include "integrate/explicit/tableau.hpp"
#include "integrate/problem.hpp"

namespace saltus::detail {

/// The problem must have an explicit form.
std::unique_ptr<Engine> make_explicit_engine(const ExplicitTableau& tableau, Problem problem);

}  // namespace saltus::detail
