// Copies of the equations, F_b(t, x_b, x'_b) = 0: every vertex has motions and unknowns without derivative of its own, and x
// is a mixture of them.
#pragma once

#include <vector>

#include "slide/dae/vertex_form.hpp"

namespace saltus::detail {

class CopiedForm final : public VertexForm {
 public:
  CopiedForm(const MixedLayout& layout, BaseAtSides& base, MixedPoint& point);

  Evaluation rows(double t, std::span<const double> x, std::span<const double> xdot,
                  std::span<double> f) override;
  Evaluation jacobian(double t, std::span<const double> x, std::span<double> df_dx,
                      std::span<double> df_dxdot) override;
  Seen at(std::uint32_t vertex, std::span<const double> x) override;
  /// They keep their values, so that the point remains one of the solution.
  bool change_meaning(std::span<const double> x) override;

 private:
  const MixedLayout& layout_;
  BaseAtSides& base_;
  MixedPoint& point_;
  std::vector<double>
      offset_;  // of unknowns of blocks, [b n + j]: added when a choice of states changed
  std::vector<double> x_, xdot_;
};

}  // namespace saltus::detail
