// Evaluates a switching function together with its first derivatives.
#pragma once

#include <cstdint>
#include <span>

#include <saltus/system/evaluation.hpp>

namespace saltus {

/// An ability in addition to SwitchingFunctions, for methods that follow the zero of a function and
/// need all of this at every point: one evaluation instead of three.
class SwitchingTangents {
 public:
  virtual ~SwitchingTangents() = default;
  /// Returns false for functions that do not know their derivatives; SwitchingFunctions then
  /// provides them.
  virtual bool has_tangent(std::uint32_t which) const = 0;
  /// Computes g, dg/dt at a fixed x, and dg/dx, one entry per unknown. `which` must have a tangent.
  virtual Evaluation tangent(std::uint32_t which, double t, std::span<const double> x, double& g,
                             double& dg_dt, std::span<double> dg_dx) = 0;
};

}  // namespace saltus
