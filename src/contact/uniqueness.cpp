#include "uniqueness.hpp"

#include <algorithm>
#include <cmath>

namespace saltus::detail {
namespace {

// Of 10 contacts without friction, 5 with friction.
constexpr std::size_t most_statuses = 1100;
// Determinants are cheaper: 8 contacts with friction.
constexpr std::size_t most_determinants = 70000;
// Starts of Lemke's method where neither a proof nor all statuses can be had.
constexpr unsigned n_starts = 8;
// Of projections, where Lemke's method finds nothing: a sweep costs a few pivots.
constexpr unsigned most_sweeps = 20000;

std::size_t n_statuses(const CoulombProblem& problem, std::size_t at_most) {
  std::size_t n = 1;
  for (const CoulombContact& c : problem.contacts) {
    n *= possible_statuses(c).size();
    if (n > at_most) return at_most + 1;
  }
  return n;
}

/// Pivots of the recursion are ratios of determinants; rows and columns of contacts done are left behind.
class DeterminantTest {
 public:
  explicit DeterminantTest(const CoulombProblem& problem) : problem_(problem) {}
  bool all_positive() const { return from(0, problem_.response.w); }

 private:
  // of matrices with a diagonal of about 1
  static constexpr double positive = 1e-9;

  bool from(std::size_t i, const Matrix& w) const {
    const std::size_t n = problem_.contacts.size();
    if (i == n) return true;
    const CoulombContact& c = problem_.contacts[i];
    if (!from(i + 1, w)) return false;
    if (!c.frictional) return slipping(i, w, 0.0);
    if (c.slides != 0) return slipping(i, w, -c.slides * c.mu);
    return slipping(i, w, -c.mu) && slipping(i, w, c.mu) && sticking(i, w);
  }
  bool slipping(std::size_t i, const Matrix& w, double share) const {
    const std::size_t n = problem_.contacts.size();
    const double pivot = w(i, i) + share * w(i, n + i);
    if (!(pivot > positive)) return false;
    Matrix rest = w;
    each_left(i, [&](std::size_t r) {
      const double factor = (w(r, i) + share * w(r, n + i)) / pivot;
      each_left(i, [&](std::size_t s) { rest(r, s) -= factor * w(i, s); });
    });
    return from(i + 1, rest);
  }
  bool sticking(std::size_t i, const Matrix& w) const {
    const std::size_t n = problem_.contacts.size();
    const double a = w(i, i), b = w(i, n + i), c = w(n + i, i), d = w(n + i, n + i);
    const double det = a * d - b * c;
    if (!(det > positive)) return false;
    Matrix rest = w;
    each_left(i, [&](std::size_t r) {
      const double u = (w(r, i) * d - w(r, n + i) * c) / det;
      const double v = (w(r, n + i) * a - w(r, i) * b) / det;
      each_left(i, [&](std::size_t s) { rest(r, s) -= u * w(i, s) + v * w(n + i, s); });
    });
    return from(i + 1, rest);
  }
  void each_left(std::size_t i, const auto& what) const {
    const std::size_t n = problem_.contacts.size();
    for (std::size_t r = i + 1; r < n; ++r) what(r);
    for (std::size_t r = i + 1; r < n; ++r) {
      if (problem_.contacts[r].frictional) what(n + r);
    }
  }

  const CoulombProblem& problem_;
};

void add_motion(const CoulombProblem& problem, CoulombMotion motion, MotionsFound& found) {
  const auto same = [&](const CoulombMotion& m) { return same_motion(problem, m, motion); };
  if (std::none_of(found.motions.begin(), found.motions.end(), same))
    found.motions.push_back(std::move(motion));
}

void try_all_statuses(const CoulombProblem& problem, MotionsFound& found) {
  const std::size_t n = problem.contacts.size();
  std::vector<std::size_t> at(n, 0);
  std::vector<ContactStatus> status(n);
  found.complete = true;
  for (;;) {
    for (std::size_t i = 0; i < n; ++i) status[i] = possible_statuses(problem.contacts[i])[at[i]];
    bool motion_open = false;
    if (auto motion = motion_of(problem, status, &motion_open)) {
      // motions of the same statuses may differ: those of other forces are not looked at
      found.complete = found.complete && !motion_open;
      add_motion(problem, std::move(*motion), found);
    }
    std::size_t i = 0;
    while (i < n && ++at[i] == possible_statuses(problem.contacts[i]).size()) at[i++] = 0;
    if (i == n) return;
  }
}

}  // namespace

bool unique_by_symmetry(const CoulombProblem& problem) {
  const std::size_t n = problem.contacts.size();
  for (const CoulombContact& c : problem.contacts) {
    if (c.frictional) return false;
  }
  Matrix w = problem.response.w;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (std::fabs(w(i, j) - w(j, i)) > 1e-12) return false;
    }
  }
  // Cholesky with the largest pivot first; a semidefinite matrix leaves nothing but rounding.
  std::vector<bool> used(n, false);
  for (std::size_t step = 0; step < n; ++step) {
    std::size_t pivot = n;
    for (std::size_t i = 0; i < n; ++i) {
      if (!used[i] && (pivot == n || w(i, i) > w(pivot, pivot))) pivot = i;
    }
    if (w(pivot, pivot) < 1e-12) {
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
          if (!used[i] && !used[j] && std::fabs(w(i, j)) > 1e-12) return false;
        }
      }
      return true;
    }
    used[pivot] = true;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        if (!used[i] && !used[j]) w(i, j) -= w(i, pivot) * w(pivot, j) / w(pivot, pivot);
      }
    }
  }
  return true;
}

bool unique_by_determinants(const CoulombProblem& problem) {
  return n_statuses(problem, most_determinants) <= most_determinants &&
         DeterminantTest(problem).all_positive();
}

MotionsFound find_motions(const CoulombProblem& problem) {
  MotionsFound found;
  const bool unique = unique_by_symmetry(problem) || unique_by_determinants(problem);
  for (unsigned variant = 0; variant < n_starts && !found.complete; ++variant) {
    auto motion = solve_by_lemke(problem, variant);
    if (!motion && variant == 0) motion = solve_by_sweeps(problem, most_sweeps);
    if (motion) {
      add_motion(problem, std::move(*motion), found);
      found.complete = unique;
    }
    if (variant == 0 && !found.complete && n_statuses(problem, most_statuses) <= most_statuses)
      try_all_statuses(problem, found);
  }
  return found;
}

}  // namespace saltus::detail
