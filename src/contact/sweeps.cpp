// Forces by projections, one contact after the other.
#include <algorithm>
#include <cmath>

#include "coulomb.hpp"

namespace saltus::detail {
namespace {

class Sweeps {
 public:
  explicit Sweeps(const CoulombProblem& problem)
      : problem_(problem), n_(problem.contacts.size()), p_(2 * n_, 0.0) {}

  /// The largest change of a force, over the largest force.
  double once() {
    double change = 0.0, largest = 0.0;
    for (std::size_t i = 0; i < n_; ++i) {
      const double normal = p_[i], tangential = p_[n_ + i];
      project(i);
      change = std::fmax(change,
                         std::fmax(std::fabs(p_[i] - normal), std::fabs(p_[n_ + i] - tangential)));
      largest = std::fmax(largest, std::fmax(p_[i], std::fabs(p_[n_ + i])));
    }
    return largest > 0.0 ? change / largest : 0.0;
  }

  /// Statuses as forces tell them, up to `tolerance` of the largest.
  CoulombMotion motion(double tolerance) const {
    CoulombMotion found{std::vector<ContactStatus>(n_, ContactStatus::open), p_,
                        accelerations(problem_.response, p_)};
    const double least = tolerance * *std::max_element(p_.begin(), p_.end());
    for (std::size_t i = 0; i < n_; ++i) {
      const CoulombContact& c = problem_.contacts[i];
      if (!(p_[i] > least)) continue;
      found.status[i] = ContactStatus::closed;
      if (!c.frictional) continue;
      const bool holds = c.slides == 0 && std::fabs(p_[n_ + i]) < c.mu * p_[i] - least;
      const bool is_positive = c.slides != 0 ? c.slides > 0 : p_[n_ + i] < 0.0;
      found.status[i] = holds         ? ContactStatus::stick
                        : is_positive ? ContactStatus::slip_positive
                                      : ContactStatus::slip_negative;
    }
    return found;
  }

 private:
  double acceleration(std::size_t row) const {
    double a = problem_.response.f[row];
    for (std::size_t j = 0; j < p_.size(); ++j) a += problem_.response.w(row, j) * p_[j];
    return a;
  }
  void project(std::size_t i) {
    const Matrix& w = problem_.response.w;
    const CoulombContact& c = problem_.contacts[i];
    const std::size_t t = n_ + i;
    if (w(i, i) > 0.0) p_[i] = std::fmax(0.0, p_[i] - acceleration(i) / w(i, i));
    if (!c.frictional) return;
    const double most = c.mu * p_[i];
    if (c.slides != 0) {
      p_[t] = -c.slides * most;
    } else if (w(t, t) > 0.0) {
      p_[t] = std::clamp(p_[t] - acceleration(t) / w(t, t), -most, most);
    }
  }

  const CoulombProblem& problem_;
  std::size_t n_;
  std::vector<double> p_;
};

}  // namespace

std::optional<CoulombMotion> solve_by_sweeps(const CoulombProblem& problem, unsigned n_sweeps) {
  if (problem.contacts.empty()) return std::nullopt;
  Sweeps sweeps(problem);
  // Statuses are often right long before forces are.
  constexpr double settles = 1e-15;
  unsigned look = 25;
  for (unsigned k = 1; k <= n_sweeps; ++k) {
    const double change = sweeps.once();
    if (!std::isfinite(change)) return std::nullopt;
    const bool is_last = change <= settles || k == n_sweeps;
    if (k < look && !is_last) continue;
    look *= 2;
    for (const double tolerance : {1e-10, 1e-7}) {
      const double fits = std::fmax(tolerance, std::fmin(1e-4, 100.0 * change));
      if (auto found = settled(problem, sweeps.motion(fits), fits)) return found;
    }
    if (is_last) break;
  }
  return std::nullopt;
}

}  // namespace saltus::detail
