// The equations of all vertices at a point: F_b(t, x, x') and their Jacobians.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "slide/surface/sliding_points.hpp"
#include "slide/surface/sliding_surfaces.hpp"

namespace saltus::detail {

class SideEquations {
 public:
  SideEquations(const System& base, Workspace& workspace, SlidingSides& sides,
                SurfaceFunctions& surfaces);

  std::uint32_t n_vertices() const { return sides_.n_vertices(); }
  std::size_t size() const { return n_; }

  Evaluation residual(std::uint32_t vertex, double t, std::span<const double> x,
                      std::span<const double> xdot, std::span<double> f);
  /// The residual of a point that was evaluated and is the same but for the last correction of an iteration;
  /// false if there is none.
  bool residual_nearby(std::uint32_t vertex, double t, std::span<const double> x,
                       std::span<const double> xdot, std::span<double> f);
  /// On the pattern of the base. Of a base that decides its side by itself a little beside the surface, where its
  /// differences stay on that side.
  Evaluation jacobian(std::uint32_t vertex, double t, std::span<const double> x,
                      std::span<const double> xdot, std::span<double> df_dx,
                      std::span<double> df_dxdot);

  /// All vertices at the same point.
  Evaluation residuals(double t, std::span<const double> x, std::span<const double> xdot);
  Evaluation jacobians(double t, std::span<const double> x, std::span<const double> xdot);
  std::span<double> residual(std::uint32_t vertex) { return part(f_, vertex, n_); }
  std::span<double> df_dx(std::uint32_t vertex) { return part(df_dx_, vertex, nnz_); }
  std::span<double> df_dxdot(std::uint32_t vertex) { return part(df_dxdot_, vertex, nnz_); }

  std::uint64_t n_side_evaluations() const { return n_side_evaluations_; }

 private:
  static std::span<double> part(std::vector<double>& all, std::uint32_t vertex, std::size_t size) {
    return std::span(all).subspan(vertex * size, size);
  }
  void lead_to(std::span<const double> x, std::uint32_t vertex, std::span<double> f);

  const System& base_;
  Workspace& workspace_;
  SlidingSides& sides_;
  SidePoints points_near_;
  std::size_t n_, nnz_;
  std::vector<double> point_, f_, df_dx_, df_dxdot_;
  std::vector<std::uint8_t> is_known_;  // df_dx_ of a vertex
  std::uint64_t n_side_evaluations_ = 0;

  /// Residuals of the last points: an iteration asks for a matrix and for residuals at the same one.
  struct Known {
    double t = 0.0;
    std::vector<double> x, xdot, point, f;  // point: where it was evaluated
    std::uint64_t epoch = 0;                // 0: nothing
  };
  static constexpr std::size_t n_known_ = 2;  // per vertex
  std::vector<Known> known_;
  std::vector<std::size_t> next_known_;
};

/// dw_b/du_k of the weights prod_k (1 + b_k u_k)/2.
double weight_slope(std::span<const double> u, std::uint32_t vertex, std::uint32_t k);

}  // namespace saltus::detail
