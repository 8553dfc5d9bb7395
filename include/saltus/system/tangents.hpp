// A switching function together with its first derivatives.
#pragma once

#include <cstdint>
#include <span>

#include <saltus/system/evaluation.hpp>

namespace saltus {

/// An ability beside SwitchingFunctions, for those who stay on the zero of a function and ask for all of this at every
/// point: one evaluation instead of three.
class SwitchingTangents {
 public:
  virtual ~SwitchingTangents() = default;
  /// False for functions that do not know their derivatives: then SwitchingFunctions tells them, one way or another.
  virtual bool has_tangent(std::uint32_t which) const = 0;
  /// g, dg/dt at a fixed x, and dg/dx, one entry per unknown. `which` has a tangent.
  virtual Evaluation tangent(std::uint32_t which, double t, std::span<const double> x, double& g,
                             double& dg_dt, std::span<double> dg_dx) = 0;
};

}  // namespace saltus
