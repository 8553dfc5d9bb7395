// The rows of surfaces in a DAE of motion on them: g = 0, and how it moves.
#pragma once

#include <span>
#include <vector>

#include "slide/dae/mixed_point.hpp"

namespace saltus::detail {

/// g_k = 0, its derivative along the motion (S.3), and derivatives of the equations that determine the motions these need. All
/// is asked for at the point loaded last.
class SurfaceRows {
 public:
  SurfaceRows(const MixedLayout& layout, BaseAtSides& base, const MixedPoint& point);

  Evaluation rows(double t, std::span<const double> x, std::span<double> f);
  /// Adds to entries that are zero. Needs the Jacobian of the first vertex at this point.
  Evaluation jacobian(double t, std::span<const double> x, std::span<double> df_dx,
                      std::span<double> df_dxdot);

 private:
  Evaluation motion_rows(double t, std::span<const double> x, std::span<double> f);
  Evaluation motion_jacobian(double t, std::span<const double> x, std::span<double> df_dx,
                             std::span<double> df_dxdot);
  void add_term(const MixedLayout::MotionRow& row, const MixedLayout::Term& term, double c,
                double change, std::span<double> df_dx, std::span<double> df_dxdot) const;
  /// How far to go along the motion for differences.
  double small_time(double t, std::span<const double> x, double relative) const;

  const MixedLayout& layout_;
  BaseAtSides& base_;
  const MixedPoint& point_;
  std::vector<double> g_, gdot_, gradients_, moved_x_, f_moved_, a_moved_, unused_;
};

}  // namespace saltus::detail
