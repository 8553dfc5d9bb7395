// How fast surfaces attract in the forms that are DAEs.
#pragma once

#include <span>
#include <vector>

#include <saltus/numerics/linear_solver.hpp>

#include "slide/dae/vertex_form.hpp"
#include "slide/equations/sliding_regularity.hpp"

namespace saltus::detail {

/// Normal velocities are w_k . x' by states (StateGradients). Motions of copies are there; those of mixed
/// equations change by dF/d(x', y) d(x', y)/du = -dF/du.
class MotionAttraction final : public AttractionSource {
 public:
  MotionAttraction(const MixedLayout& layout, BaseAtSides& base, VertexForm& form,
                   MixedPoint& point);

  Evaluation attraction(double t, std::span<const double> x, std::span<const double> xdot,
                        std::span<double> matrix) override;

 private:
  Evaluation add_vertex(std::uint32_t vertex, double t, std::span<const double> x);
  Evaluation reduce_gradients(double t, std::span<const double> x);
  bool solve_for_motions();

  const MixedLayout& layout_;
  BaseAtSides& base_;
  VertexForm& form_;
  MixedPoint& point_;
  LinearSolver<double> solver_;
  std::vector<double> mean_by_x_, mean_by_xdot_, matrix_, by_multiplier_, rows_;
};

}  // namespace saltus::detail
