#include "fit/kinked_squares.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace saltus {

double sum_of_squares(std::span<const double> r) {
  return std::inner_product(r.begin(), r.end(), r.begin(), 0.0);
}

std::vector<double> times(const Matrix& a, std::span<const double> x) {
  std::vector<double> product(a.n_rows, 0.0);
  for (std::size_t i = 0; i < product.size(); ++i)
    for (std::size_t k = 0; k < x.size(); ++k) product[i] += a(i, k) * x[k];
  return product;
}

std::vector<double> slope_of_half_squares(const ResidualValues& at) {
  std::vector<double> slope(at.jacobian.n_cols, 0.0);
  for (std::size_t i = 0; i < at.residuals.size(); ++i)
    for (std::size_t k = 0; k < slope.size(); ++k) slope[k] += at.jacobian(i, k) * at.residuals[i];
  return slope;
}

namespace {

double inner(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// Weights w >= 0 of sum 1 for which w.G w / 2 + w.a is smallest: from the first alone, exchanges between the pair
/// that gains most (S. S. Keerthi et al., Neural Computation 13, 2001).
std::vector<double> best_weights(const Matrix& g, std::span<const double> a) {
  const std::size_t n = a.size();
  std::vector<double> w(n, 0.0);
  w[0] = 1.0;
  double scale = 0.0;
  for (std::size_t i = 0; i < n; ++i) scale = std::max(scale, g(i, i) + a[i]);
  constexpr int enough = 10'000;  // each costs n operations
  for (int k = 0; k < enough; ++k) {
    std::size_t up = 0, down = n;
    std::vector<double> slope(a.begin(), a.end());
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) slope[i] += g(i, j) * w[j];
      if (slope[i] < slope[up]) up = i;
      if (w[i] > 0 && (down == n || slope[i] > slope[down])) down = i;
    }
    const double difference = slope[down] - slope[up];
    if (!(difference > 1e-9 * scale)) break;
    const double curvature = g(up, up) - 2 * g(up, down) + g(down, down);
    const double moved = curvature > 0 ? std::min(w[down], difference / curvature) : w[down];
    w[up] += moved;
    w[down] = moved == w[down] ? 0.0 : w[down] - moved;
  }
  return w;
}

}  // namespace

KinkedSquares::KinkedSquares(const SeenPoint& now, std::span<const SeenPoint> seen, double reach,
                             double slack)
    : now_(now.at) {
  const double f = sum_of_squares(now_.residuals) / 2;
  parabolas_.push_back({slope_of_half_squares(now_), 0.0, seen.size()});
  for (std::size_t s = 0; s < seen.size(); ++s) {
    const SeenPoint& q = seen[s];
    std::vector<double> back(now.p.size());
    for (std::size_t k = 0; k < back.size(); ++k) back[k] = now.p[k] - q.p[k];
    const std::vector<double> moved = times(now_.jacobian, back);
    const double distance = sum_of_squares(moved);
    if (distance > reach * reach) continue;
    Parabola parabola{slope_of_half_squares(q.at), 0.0, s};
    const double below =
        f - sum_of_squares(q.at.residuals) / 2 - inner(parabola.slope, back) - distance / 2;
    if (below < -slack) continue;
    parabola.below = std::max(below, 0.0);
    for (std::size_t k = 0; k < back.size(); ++k)
      for (std::size_t i = 0; i < moved.size(); ++i)
        parabola.slope[k] += now_.jacobian(i, k) * moved[i];
    parabolas_.push_back(std::move(parabola));
  }
}

KinkedSquares::Step KinkedSquares::step(std::span<const std::size_t> free,
                                        const Matrix& inverse) const {
  const std::size_t n = free.size(), m = parabolas_.size();
  // where each parabola alone would lead
  std::vector<std::vector<double>> alone(m, std::vector<double>(n, 0.0));
  Matrix g(static_cast<std::uint32_t>(m), static_cast<std::uint32_t>(m));
  std::vector<double> below(m);
  for (std::size_t a = 0; a < m; ++a) {
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        alone[a][i] -= inverse(i, j) * parabolas_[a].slope[free[j]];
    below[a] = parabolas_[a].below;
    for (std::size_t b = 0; b <= a; ++b) {
      for (std::size_t i = 0; i < n; ++i) g(a, b) -= alone[a][i] * parabolas_[b].slope[free[i]];
      g(b, a) = g(a, b);
    }
  }
  const std::vector<double> w = best_weights(g, below);
  Step step{std::vector<double>(n, 0.0), 0.0, {}};
  for (std::size_t a = 0; a < m; ++a) {
    if (w[a] == 0) continue;
    if (parabolas_[a].point != parabolas_[0].point) step.weighed.push_back(parabolas_[a].point);
    for (std::size_t i = 0; i < n; ++i) step.d[i] += w[a] * alone[a][i];
    step.promised += w[a] * below[a];
    for (std::size_t b = 0; b < m; ++b) step.promised += w[a] * w[b] * g(a, b) / 2;
  }
  return step;
}

double KinkedSquares::promises(std::span<const double> d) const {
  double highest = -INFINITY;
  for (const Parabola& parabola : parabolas_)
    highest = std::max(highest, inner(parabola.slope, d) - parabola.below);
  return -highest - sum_of_squares(times(now_.jacobian, d)) / 2;
}

bool KinkedSquares::knows(std::size_t seen) const {
  return std::ranges::any_of(parabolas_, [&](const Parabola& p) { return p.point == seen; });
}

}  // namespace saltus
