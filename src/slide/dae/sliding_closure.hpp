// Unknowns without derivative that a surface is a function of: how their motion follows from equations.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <saltus/core/result.hpp>
#include <saltus/system/system.hpp>

#include "slide/equations/sliding_equations.hpp"

namespace saltus::detail {

/// Unknowns y of which y' is needed, and as many equations without derivatives that determine it:
///
///   dA/dt + dA/dx . x' = 0  for the equations A(t, x) = 0.
///
/// The equations are the same on all sides: otherwise y would jump.
struct MotionClosure {
  std::vector<std::uint32_t> unknown;
  std::vector<std::uint32_t> equation;
};

/// `has_motion`: per unknown, its derivative occurs or is an unknown itself. `needed`: unknowns that
/// surfaces depend on. From residuals and Jacobians of all vertices that `equations` holds. Fails by name where an
/// unknown's motion does not follow.
Result<MotionClosure> motion_closure(const System& base, SideEquations& equations,
                                     std::span<const std::uint8_t> has_motion,
                                     std::span<const std::uint32_t> needed);

}  // namespace saltus::detail
