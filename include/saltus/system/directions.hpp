// Defines abilities that give exact derivatives along a direction in which a point moves, for
// systems that know their own expressions. One sweep per direction suffices for any number of
// unknowns.
#pragma once

#include <cstdint>
#include <span>

namespace saltus {

/// The direction of t + tau dt, x + tau dx, x' + tau dxdot.
struct Direction {
  double dt = 0.0;
  std::span<const double> dx, dxdot;
};

/// Differentiates the variables of the map of a system (VariableMap::values).
class OutputDirections {
 public:
  virtual ~OutputDirections() = default;
  /// Computes d value / d tau of every variable. Variables that do not exist are left alone; an
  /// entry is not finite where there is no derivative. Returns false if a called function cannot be
  /// differentiated.
  virtual bool along(double t, std::span<const double> x, std::span<const double> xdot,
                     const Direction& way, std::span<double> out) = 0;
};

/// Differentiates the values that actions set (EventActions::values), with pre(x) moving as x does.
/// An EventActions object may also be one of these.
class ActionDirections {
 public:
  virtual ~ActionDirections() = default;
  virtual bool along(std::uint32_t action, double t, std::span<const double> x,
                     std::span<const double> xdot, const Direction& way, std::span<double> out) = 0;
};

}  // namespace saltus
