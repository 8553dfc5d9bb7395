// Structure confronted with numbers.
#pragma once

#include <span>

#include <saltus/simulate/analyze.hpp>
#include <saltus/system/system.hpp>

namespace saltus {

/// A point in the unknowns of the compiled model, whose first rows are the equations of the structure.
struct CheckedPoint {
  double t = 0.0;
  std::span<const double> x, xdot;
  bool consistent = false;
};

/// Fills check and states. Nothing if the structure is singular, the model has more than 1000
/// unknowns, or its Jacobian cannot be evaluated there.
void check_structure(const System& system, Workspace& workspace, const CheckedPoint& point,
                     ModeAnalysis& result);

/// Fills orders: how many of the degrees of freedom come in pairs of position and velocity.
void count_orders(ModeAnalysis& result);

}  // namespace saltus
