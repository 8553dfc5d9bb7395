#include "coulomb.hpp"

#include <algorithm>
#include <cmath>

#include <saltus/numerics/lemke.hpp>

#include "ranked_solve.hpp"

namespace saltus::detail {
namespace {

/// Unknowns z = (p_N, p_T+, p_T-, l) with p_T = p_T+ - p_T- and, where a contact may stick, l = |a_T|; complements
/// w = (a_N, l + a_T, l - a_T, mu p_N - p_T+ - p_T-). (Stewart and Trinkle 1996, on accelerations.)
/// z . M z = p . W p + sum mu p_N l, so that M is copositive if W is positive semidefinite and none slides.
class CoulombLcp {
 public:
  explicit CoulombLcp(const CoulombProblem& problem)
      : problem_(problem), n_(problem.contacts.size()) {
    for (std::size_t i = 0; i < n_; ++i) {
      if (problem.contacts[i].may_stick()) sticky_.push_back(i);
    }
    const std::size_t size = n_ + 3 * sticky_.size();
    m_ = Matrix(static_cast<std::uint32_t>(size), static_cast<std::uint32_t>(size));
    q_.assign(size, 0.0);
    fill();
  }

  std::size_t size() const { return q_.size(); }
  /// With `give` added to the diagonal of W (contacts that give way a little), f - give * p at forces `near`, and
  /// friction that holds `hold` of the largest term without a normal force.
  LemkeResult solve(std::span<const double> cover, double give, double hold,
                    std::span<const double> near) const {
    LemkeOptions options;
    options.cover = cover;
    if (give == 0.0 && hold == 0.0) return lemke(q_, m_, options);
    Matrix m = m_;
    std::vector<double> q = q_;
    double largest = 0.0;
    for (const double x : q_) largest = std::fmax(largest, std::fabs(x));
    for (std::size_t i = 0; i < n_; ++i) {
      m(i, i) += give;
      q[i] -= give * near[i];
    }
    for (std::size_t k = 0; k < sticky_.size(); ++k) {
      const double shift = give * near[n_ + sticky_[k]];
      // of each contact another: without it all these rows are ties, and where there are many of them the path
      // is lost to rounding
      q[speed(k)] +=
          hold * largest * (1.0 + static_cast<double>(k + 1) / static_cast<double>(n_ + 1));
      q[plus(k)] -= shift;
      q[minus(k)] += shift;
      m(plus(k), plus(k)) += give;
      m(minus(k), minus(k)) += give;
      m(plus(k), minus(k)) -= give;
      m(minus(k), plus(k)) -= give;
    }
    return lemke(q, m, options);
  }
  CoulombMotion read(const LemkeResult& found) const {
    CoulombMotion motion;
    motion.status.assign(n_, ContactStatus::closed);
    motion.p.assign(2 * n_, 0.0);
    for (std::size_t i = 0; i < n_; ++i) {
      const CoulombContact& c = problem_.contacts[i];
      motion.p[i] = found.z[i];
      if (c.slides != 0 && c.frictional) {
        motion.p[n_ + i] = -c.slides * c.mu * found.z[i];
        motion.status[i] =
            c.slides > 0 ? ContactStatus::slip_positive : ContactStatus::slip_negative;
      }
    }
    for (std::size_t k = 0; k < sticky_.size(); ++k) {
      const std::size_t i = sticky_[k];
      motion.p[n_ + i] = found.z[plus(k)] - found.z[minus(k)];
      motion.status[i] = ContactStatus::stick;
      // of l + a_T and l - a_T one is 2 |a_T|, the other 0
      if (found.z[speed(k)] > 0.0) {
        motion.status[i] = found.w[plus(k)] > found.w[minus(k)] ? ContactStatus::slip_positive
                                                                : ContactStatus::slip_negative;
      }
    }
    for (std::size_t i = 0; i < n_; ++i) {
      if (found.w[i] > 0.0) motion.status[i] = ContactStatus::open;
    }
    motion.a = accelerations(problem_.response, motion.p);
    return motion;
  }

 private:
  std::size_t plus(std::size_t k) const { return n_ + k; }
  std::size_t minus(std::size_t k) const { return n_ + sticky_.size() + k; }
  std::size_t speed(std::size_t k) const { return n_ + 2 * sticky_.size() + k; }

  /// Accelerations of row `from` of W enter row `to` with a sign.
  void add_acceleration(std::size_t to, std::size_t from, double sign) {
    const Matrix& w = problem_.response.w;
    q_[to] += sign * problem_.response.f[from];
    for (std::size_t j = 0; j < n_; ++j) {
      const CoulombContact& c = problem_.contacts[j];
      m_(to, j) += sign * w(from, j);
      if (c.slides != 0 && c.frictional) m_(to, j) -= sign * c.slides * c.mu * w(from, n_ + j);
    }
    for (std::size_t k = 0; k < sticky_.size(); ++k) {
      m_(to, plus(k)) += sign * w(from, n_ + sticky_[k]);
      m_(to, minus(k)) -= sign * w(from, n_ + sticky_[k]);
    }
  }
  void fill() {
    for (std::size_t i = 0; i < n_; ++i) add_acceleration(i, i, 1.0);
    for (std::size_t k = 0; k < sticky_.size(); ++k) {
      add_acceleration(plus(k), n_ + sticky_[k], 1.0);
      add_acceleration(minus(k), n_ + sticky_[k], -1.0);
      m_(plus(k), speed(k)) = m_(minus(k), speed(k)) = 1.0;
      m_(speed(k), sticky_[k]) = problem_.contacts[sticky_[k]].mu;
      m_(speed(k), plus(k)) = m_(speed(k), minus(k)) = -1.0;
    }
  }

  const CoulombProblem& problem_;
  std::size_t n_;
  std::vector<std::size_t> sticky_;
  Matrix m_;
  std::vector<double> q_;
};

/// Of every row of W whether it follows from the rows that vanish: what is left of its diagonal when these are
/// eliminated, W being a square of kinematics.
std::vector<bool> follows(const CoulombProblem& problem, std::span<const ContactStatus> status) {
  const std::size_t n = problem.contacts.size();
  Matrix w = problem.response.w;
  std::vector<bool> vanishes(2 * n, false), used(2 * n, false);
  for (std::size_t i = 0; i < n; ++i) {
    vanishes[i] = status[i] != ContactStatus::open;
    vanishes[n + i] = status[i] == ContactStatus::stick;
  }
  for (;;) {
    std::size_t pivot = 2 * n;
    for (std::size_t i = 0; i < 2 * n; ++i) {
      if (vanishes[i] && !used[i] && w(i, i) > 1e-10 &&
          (pivot == 2 * n || w(i, i) > w(pivot, pivot)))
        pivot = i;
    }
    if (pivot == 2 * n) break;
    used[pivot] = true;
    for (std::size_t i = 0; i < 2 * n; ++i) {
      if (used[i]) continue;
      const double factor = w(i, pivot) / w(pivot, pivot);
      for (std::size_t j = 0; j < 2 * n; ++j) {
        if (!used[j]) w(i, j) -= factor * w(pivot, j);
      }
    }
  }
  std::vector<bool> depends(2 * n);
  for (std::size_t i = 0; i < 2 * n; ++i) depends[i] = !vanishes[i] && w(i, i) <= 1e-10;
  return depends;
}

/// The largest term of every row, not below `smallest_row` of the largest in any: on some contacts nothing acts but
/// the rounding of others.
std::vector<double> row_sizes(const CoulombProblem& problem, std::span<const double> p) {
  std::vector<double> sizes(p.size());
  double largest = 0.0;
  for (std::size_t row = 0; row < p.size(); ++row) {
    sizes[row] = std::fabs(problem.response.f[row]);
    for (std::size_t j = 0; j < p.size(); ++j)
      sizes[row] = std::fmax(sizes[row], std::fabs(problem.response.w(row, j) * p[j]));
    largest = std::fmax(largest, sizes[row]);
  }
  for (double& size : sizes) size = std::fmax(size, smallest_row * largest);
  return sizes;
}

/// A basis of Lemke's method holds no more contacts than it needs. Others whose rows vanish because these do
/// are closed, or stick, as well; only then can forces be shared among all of them.
std::vector<ContactStatus> with_followers(const CoulombProblem& problem,
                                          const CoulombMotion& motion, double tolerance) {
  const std::size_t n = problem.contacts.size();
  const std::vector<bool> depends = follows(problem, motion.status);
  const std::vector<double> sizes = row_sizes(problem, motion.p);
  const auto vanishes = [&](std::size_t row) {
    return std::fabs(motion.a[row]) <= tolerance * sizes[row];
  };
  std::vector<ContactStatus> status = motion.status;
  for (std::size_t i = 0; i < n; ++i) {
    const CoulombContact& c = problem.contacts[i];
    const bool was_open = status[i] == ContactStatus::open;
    if (was_open) {
      if (!depends[i] || !vanishes(i)) continue;
      status[i] = ContactStatus::closed;
      if (c.frictional) {
        status[i] = (c.slides != 0 ? c.slides > 0 : motion.a[n + i] > 0.0)
                        ? ContactStatus::slip_positive
                        : ContactStatus::slip_negative;
      }
    }
    if (slips(status[i]) && c.may_stick() && vanishes(n + i) && (depends[n + i] || was_open))
      status[i] = ContactStatus::stick;
  }
  return status;
}

/// Positive numbers that look random, the same every time (a multiplicative generator modulo 2^31 - 1).
std::vector<double> covering_vector(std::size_t size, unsigned variant) {
  std::vector<double> cover(size, 1.0);
  std::uint64_t state = 1 + 7919ULL * variant;
  for (double& d : cover) {
    state = state * 48271 % 2147483647;
    if (variant > 0) d = std::exp2(6.0 * static_cast<double>(state) / 2147483647.0 - 3.0);
  }
  return cover;
}

}  // namespace

/// Where many rows depend on each other, or are ties, pivots of Lemke's method are rounding and it loses its path.
/// With contacts that give way and hold a little it does not, and forces near those it found (a proximal point
/// iteration) take back what giving way changed. What it decides is solved for with W as it is.
std::optional<CoulombMotion> solve_by_lemke(const CoulombProblem& problem, unsigned variant) {
  struct Attempt {
    double give, hold;
    int rounds;
  };
  constexpr Attempt attempts[] = {{0.0, 0.0, 1},   {0.0, 1e-11, 1},  {1e-10, 1e-10, 3},
                                  {1e-9, 1e-9, 4}, {1e-8, 1e-10, 4}, {1e-6, 1e-9, 4}};
  const CoulombLcp lcp(problem);
  const std::vector<double> cover = covering_vector(lcp.size(), variant);
  for (const Attempt& attempt : attempts) {
    std::vector<double> near(problem.response.f.size(), 0.0);
    for (int round = 0; round < attempt.rounds; ++round) {
      const LemkeResult found = lcp.solve(cover, attempt.give, attempt.hold, near);
      if (found.outcome != LemkeOutcome::solved) break;
      const CoulombMotion motion = lcp.read(found);
      const double tolerance = std::fmax(contact_tolerance, 10.0 * (attempt.give + attempt.hold));
      if (auto found_motion = settled(problem, motion, tolerance)) return found_motion;
      near = motion.p;
    }
  }
  return std::nullopt;
}

std::optional<CoulombMotion> settled(const CoulombProblem& problem, const CoulombMotion& nearly,
                                     double tolerance) {
  if (auto shared = motion_of(problem, with_followers(problem, nearly, tolerance))) return shared;
  return motion_of(problem, nearly.status);
}

std::optional<CoulombMotion> motion_of(const CoulombProblem& problem,
                                       std::span<const ContactStatus> status, bool* motion_open) {
  const std::size_t n = problem.contacts.size();
  std::vector<DecidedContact> decided(n);
  std::vector<bool> slides(n);
  for (std::size_t i = 0; i < n; ++i) {
    decided[i] = problem.contacts[i].decided(status[i]);
    slides[i] = problem.contacts[i].slides != 0;
  }
  DecidedForces forces = solve_decided(problem.response, decided);
  if (!forces.feasible ||
      !(law_violation(problem.response, decided, slides, forces.p) <= contact_tolerance)) {
    return std::nullopt;
  }
  if (motion_open != nullptr) *motion_open = forces.motion_open;
  return CoulombMotion{{status.begin(), status.end()}, std::move(forces.p), std::move(forces.a)};
}

std::span<const ContactStatus> possible_statuses(const CoulombContact& contact) {
  using S = ContactStatus;
  static constexpr S frictionless[] = {S::open, S::closed};
  static constexpr S sticky[] = {S::open, S::stick, S::slip_positive, S::slip_negative};
  static constexpr S forwards[] = {S::open, S::slip_positive};
  static constexpr S backwards[] = {S::open, S::slip_negative};
  if (!contact.frictional) return frictionless;
  if (contact.slides == 0) return sticky;
  return contact.slides > 0 ? forwards : backwards;
}

bool same_motion(const CoulombProblem& problem, const CoulombMotion& one,
                 const CoulombMotion& other) {
  const std::vector<double> sizes = row_sizes(problem, one.p);
  const std::vector<double> others = row_sizes(problem, other.p);
  for (std::size_t row = 0; row < one.a.size(); ++row) {
    const double size = std::fmax(sizes[row], others[row]);
    if (!(std::fabs(one.a[row] - other.a[row]) <= 1e-7 * size)) return false;
  }
  return true;
}

}  // namespace saltus::detail
