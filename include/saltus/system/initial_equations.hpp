// Defines equations that hold only at the very beginning of a run.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <saltus/numerics/sparse.hpp>
#include <saltus/system/evaluation.hpp>

namespace saltus {

/// An ability: r(t, x, x') = 0 beside the equations of the system, in place of start values.
/// Relations in r are decided where it is evaluated.
class InitialEquations {
 public:
  virtual ~InitialEquations() = default;
  virtual std::uint32_t count() const = 0;
  virtual std::string name(std::uint32_t equation) const = 0;
  /// Returns why no run can begin in this mode: the equations mention variables that the mode does
  /// not have. Empty: they can hold, and the following functions may be called.
  virtual std::string refusal() const { return {}; }
  /// `row` of a failed evaluation is one of these equations.
  virtual Evaluation residual(double t, std::span<const double> x, std::span<const double> xdot,
                              std::span<double> r) = 0;
  /// Returns the pattern of (dr/dx, dr/dx'), side by side.
  virtual const CscPattern& pattern() const = 0;
  virtual Evaluation jacobian(double t, std::span<const double> x, std::span<const double> xdot,
                              std::span<double> dr) = 0;
};

}  // namespace saltus
