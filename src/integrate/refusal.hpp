// Why an explicit engine cannot run a system.
#pragma once

#include "integrate/problem.hpp"

namespace saltus::detail {

/// Throws OptionError("engine", …) that names what stands in the way of x' = f(t, x).
[[noreturn]] void refuse_implicit_system(EngineKind kind, Problem& problem);

}  // namespace saltus::detail
