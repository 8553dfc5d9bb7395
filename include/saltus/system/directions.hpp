// Exact derivatives of what is computed from a point, along a way on which the point moves: abilities of systems that
// know their own expressions. One sweep per direction, however many unknowns there are.
#pragma once

#include <cstdint>
#include <span>

namespace saltus {

/// t + tau dt, x + tau dx, x' + tau dxdot.
struct Direction {
  double dt = 0.0;
  std::span<const double> dx, dxdot;
};

/// Of the variables of the map of a system (VariableMap::values).
class OutputDirections {
 public:
  virtual ~OutputDirections() = default;
  /// d value / d tau of every variable; what does not exist is left alone, what has none is no number. False: some
  /// function that is called cannot be differentiated.
  virtual bool along(double t, std::span<const double> x, std::span<const double> xdot,
                     const Direction& way, std::span<double> out) = 0;
};

/// Of what actions set (EventActions::values), with pre(x) moving as x does: EventActions may be one of these, too.
class ActionDirections {
 public:
  virtual ~ActionDirections() = default;
  virtual bool along(std::uint32_t action, double t, std::span<const double> x,
                     std::span<const double> xdot, const Direction& way, std::span<double> out) = 0;
};

}  // namespace saltus
