// A mixture of equations: 0 = sum_b w_b(u) F_b(t, x, x').
#pragma once

#include "slide/dae/vertex_form.hpp"

namespace saltus::detail {

class MixedForm final : public VertexForm {
 public:
  MixedForm(const MixedLayout& layout, BaseAtSides& base, const MixedPoint& point)
      : layout_(layout), base_(base), point_(point) {}

  Evaluation rows(double t, std::span<const double> x, std::span<const double> xdot,
                  std::span<double> f) override;
  Evaluation jacobian(double t, std::span<const double> x, std::span<double> df_dx,
                      std::span<double> df_dxdot) override;
  Seen at(std::uint32_t, std::span<const double> x) override {
    return {x.first(layout_.n), point_.xdot()};
  }
  bool change_meaning(std::span<const double>) override { return false; }

 private:
  const MixedLayout& layout_;
  BaseAtSides& base_;
  const MixedPoint& point_;
};

}  // namespace saltus::detail
