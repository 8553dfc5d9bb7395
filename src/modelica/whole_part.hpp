// The largest Integer that is not above a number.
#pragma once

#include <memory>

#include <saltus/expr/external.hpp>

namespace saltus::modelica {

/// For values that change at events only, or are asked for at events: it is a step, and nothing watches it.
std::shared_ptr<const ExternalFunction> whole_part_function();

}  // namespace saltus::modelica
