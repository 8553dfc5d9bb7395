// Whether the states that surfaces determine are still the best choice.
#pragma once

#include <span>
#include <vector>

#include "slide/dae/exact_point.hpp"
#include "slide/dae/vertex_form.hpp"

namespace saltus::detail {

/// Looks at the pivots now and then, and takes others where another state would be much better, or one is no state any more.
class PivotWatch {
 public:
  PivotWatch(const MixedLayout& layout, BaseAtSides& base, VertexForm& form, MixedPoint& point,
             ExactPoint& exact);

  /// After a step. True if pivots were changed.
  bool look(double t, std::span<const double> x, std::span<const double> xdot);

 private:
  bool have_aged(double t, std::span<const double> x, std::span<const double> xdot);
  bool take(std::span<const std::uint32_t> better, double t, std::span<const double> x,
            std::span<const double> xdot);

  const MixedLayout& layout_;
  BaseAtSides& base_;
  VertexForm& form_;
  MixedPoint& point_;
  ExactPoint& exact_;
  std::vector<double> kept_, rows_, eliminated_, rates_;
  int steps_since_look_ = 0;
  bool is_curved_ = false;  // gradients of surfaces change along the motion
};

}  // namespace saltus::detail
