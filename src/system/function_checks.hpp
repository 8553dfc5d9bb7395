// What make_system refuses, and what it fills in.
#pragma once

#include <saltus/system/function_system.hpp>

namespace saltus::detail {

/// Throws ModelError unless the functions fit together.
void refuse_unusable(const SystemFunctions& functions);

/// With or without locks.
bool has_residual(const SystemFunctions& functions);
bool has_derivative(const SystemFunctions& functions);

/// The pattern as given or full; with the diagonal where the residual is x' - f(t, x).
CscPattern completed_pattern(const SystemFunctions& functions);

}  // namespace saltus::detail
