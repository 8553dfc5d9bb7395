#include "decided.hpp"

#include <algorithm>
#include <cmath>

#include <saltus/core/error.hpp>
#include <saltus/numerics/lemke.hpp>

#include "ranked_solve.hpp"

namespace saltus::detail {
namespace {

double slip_direction(ContactStatus status) {
  return status == ContactStatus::slip_positive   ? 1.0
         : status == ContactStatus::slip_negative ? -1.0
                                                  : 0.0;
}

/// One unknown per contact that is not open (its normal force; p_T follows from it where it slips) and one per
/// contact that sticks; as many rows.
class DecidedEquations {
 public:
  DecidedEquations(const ScaledResponse& response, std::span<const DecidedContact> contacts)
      : response_(response), contacts_(contacts) {
    const std::size_t n = contacts.size();
    for (std::size_t i = 0; i < n; ++i) {
      if (contacts[i].status != ContactStatus::open) rows_.push_back(static_cast<std::uint32_t>(i));
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (contacts[i].status == ContactStatus::stick)
        rows_.push_back(static_cast<std::uint32_t>(n + i));
    }
  }

  std::size_t size() const { return rows_.size(); }
  std::uint32_t row(std::size_t k) const { return rows_[k]; }

  Matrix matrix() const {
    const std::size_t n = contacts_.size(), k = size();
    Matrix b(static_cast<std::uint32_t>(k), static_cast<std::uint32_t>(k));
    for (std::size_t i = 0; i < k; ++i) {
      for (std::size_t j = 0; j < k; ++j) {
        b(i, j) = response_.w(rows_[i], rows_[j]);
        if (const double s = tangential_share(j); s != 0.0)
          b(i, j) += s * response_.w(rows_[i], n + rows_[j]);
      }
    }
    return b;
  }
  std::vector<double> right_side() const {
    std::vector<double> b(size());
    for (std::size_t i = 0; i < size(); ++i) b[i] = -response_.f[rows_[i]];
    return b;
  }
  /// p_T = share * p_N of unknown j, a normal force of a contact that slips.
  double tangential_share(std::size_t j) const {
    if (rows_[j] >= contacts_.size()) return 0.0;
    const DecidedContact& c = contacts_[rows_[j]];
    return -slip_direction(c.status) * c.mu_slip;
  }
  /// (weight x)^2 is what unknown j adds to the norm of forces in the user's units.
  double weight(std::size_t j) const {
    const double normal = response_.unit[rows_[j]];
    if (tangential_share(j) == 0.0) return normal;
    return std::hypot(normal, response_.unit[contacts_.size() + rows_[j]] * tangential_share(j));
  }
  std::vector<double> forces(std::span<const double> x) const {
    std::vector<double> p(2 * contacts_.size(), 0.0);
    for (std::size_t j = 0; j < size(); ++j) {
      p[rows_[j]] = x[j];
      if (rows_[j] < contacts_.size() && slips(contacts_[rows_[j]].status))
        p[contacts_.size() + rows_[j]] = tangential_share(j) * x[j];
    }
    return p;
  }
  /// Rows c with c . x >= 0.
  Matrix cones() const {
    std::vector<std::vector<double>> found;
    for (std::size_t j = 0; j < size(); ++j) {
      if (rows_[j] < contacts_.size()) {
        const DecidedContact& c = contacts_[rows_[j]];
        // of one that sticks the two rows below say it too
        if (c.bilateral || (c.status == ContactStatus::stick && c.mu_stick > 0.0)) continue;
        found.emplace_back(size(), 0.0)[j] = 1.0;
        continue;
      }
      const std::size_t contact = rows_[j] - contacts_.size();
      const std::size_t normal =
          static_cast<std::size_t>(std::find(rows_.begin(), rows_.end(), contact) - rows_.begin());
      for (const double sign : {1.0, -1.0}) {
        auto& cone = found.emplace_back(size(), 0.0);
        cone[normal] = contacts_[contact].mu_stick;
        cone[j] = sign;
      }
    }
    Matrix c(static_cast<std::uint32_t>(found.size()), static_cast<std::uint32_t>(size()));
    for (std::size_t i = 0; i < found.size(); ++i)
      std::copy(found[i].begin(), found[i].end(), &c.values[i * size()]);
    return c;
  }

 private:
  const ScaledResponse& response_;
  std::span<const DecidedContact> contacts_;
  std::vector<std::uint32_t> rows_;  // of (C.1); unknown j is the force of row j
};

/// Among x0 + N y the least |x| with C x >= 0 (all of them weighted, N orthonormal, x0 orthogonal to N).
/// Optimal y = (C N)^T u with u >= 0 complementary to C x: a complementarity problem with a semidefinite
/// matrix, so that a ray proves that no y obeys. (Least distance programming, Lawson and Hanson, chapter 23.)
struct LeastForces {
  bool feasible = false;
  std::vector<double> y;
  std::vector<std::size_t> active;  // rows of C that hold forces back
};
LeastForces least_forces(const Matrix& c, std::span<const double> x0, const Matrix& null) {
  const std::size_t n = c.n_rows, k = c.n_cols, d = null.n_cols;
  Matrix g(static_cast<std::uint32_t>(n), static_cast<std::uint32_t>(d));
  Matrix a(static_cast<std::uint32_t>(n), static_cast<std::uint32_t>(n));
  std::vector<double> q(n, 0.0);
  LeastForces least;
  least.y.assign(d, 0.0);
  double largest = 0.0;
  for (const double x : x0) largest = std::fmax(largest, std::fabs(x));
  bool violated = false;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < k; ++j) {
      q[i] += c(i, j) * x0[j];
      for (std::size_t l = 0; l < d; ++l) g(i, l) += c(i, j) * null(j, l);
    }
    violated = violated || q[i] < -1e-13 * largest;
  }
  least.feasible = !violated;
  if (!violated) return least;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t l = 0; l < d; ++l) a(i, j) += g(i, l) * g(j, l);
    }
  }
  const LemkeResult found = lemke(q, a);
  if (found.outcome != LemkeOutcome::solved) return least;
  least.feasible = true;
  for (std::size_t i = 0; i < n; ++i) {
    if (!(found.z[i] > 0.0)) continue;
    least.active.push_back(i);
    for (std::size_t l = 0; l < d; ++l) least.y[l] += g(i, l) * found.z[i];
  }
  return least;
}

/// The equations that stand for dependent rows: cones that hold forces back, and directions of no change.
void name_redundant(const DecidedEquations& equations, const ScaledResponse& response,
                    const RankedSolution& ranked, const Matrix& cones, const Matrix& null,
                    std::span<const double> weights, const LeastForces& least,
                    DecidedForces& forces) {
  const std::size_t k = equations.size(), d = null.n_cols;
  std::vector<std::vector<double>> found;  // of weighted unknowns
  Matrix held(static_cast<std::uint32_t>(d), static_cast<std::uint32_t>(d));
  for (std::size_t i = 0; i < least.active.size() && i < d; ++i) {
    std::vector<double> row(k);
    for (std::size_t j = 0; j < k; ++j) {
      row[j] = cones(least.active[i], j);
      for (std::size_t l = 0; l < d; ++l) held(i, l) += row[j] * null(j, l);
    }
    found.push_back(row);
  }
  const RankedSolution free = solve_ranked(held, std::vector<double>(d, 0.0));
  for (std::size_t l = 0; l < free.null.n_cols; ++l) {
    std::vector<double> row(k, 0.0);
    for (std::size_t j = 0; j < k; ++j) {
      for (std::size_t m = 0; m < d; ++m) row[j] += null(j, m) * free.null(m, l);
    }
    found.push_back(row);
  }
  for (std::size_t r = 0; r < ranked.dependent_rows.size() && r < found.size(); ++r) {
    RedundantRow redundant{equations.row(ranked.dependent_rows[r]),
                           std::vector<double>(response.f.size(), 0.0)};
    for (std::size_t j = 0; j < k; ++j)
      redundant.coefficients[equations.row(j)] = found[r][j] * weights[j];
    forces.redundant.push_back(std::move(redundant));
  }
}

/// Whether W times the forces of some direction in `null` differs from 0.
bool moves(const DecidedEquations& equations, const ScaledResponse& response, const Matrix& null) {
  for (std::size_t l = 0; l < null.n_cols; ++l) {
    std::vector<double> x(null.n_rows);
    for (std::size_t j = 0; j < x.size(); ++j) x[j] = null(j, l);
    const std::vector<double> p = equations.forces(x);
    for (std::size_t i = 0; i < p.size(); ++i) {
      double sum = 0.0;
      for (std::size_t j = 0; j < p.size(); ++j) sum += response.w(i, j) * p[j];
      if (std::fabs(sum) > 1e-5) return true;  // the square root of the rank's tolerance, about
    }
  }
  return false;
}

}  // namespace

DecidedForces solve_decided(const ScaledResponse& response,
                            std::span<const DecidedContact> contacts) {
  const DecidedEquations equations(response, contacts);
  const std::size_t k = equations.size();
  RankedSolution ranked = solve_ranked(equations.matrix(), equations.right_side());
  DecidedForces forces;
  forces.feasible = ranked.residual <= 1e-9;
  if (ranked.null.n_cols != 0 && forces.feasible) {
    forces.motion_open = moves(equations, response, ranked.null);
    std::vector<double> weights(k), x(k);
    Matrix null = ranked.null;
    for (std::size_t j = 0; j < k; ++j) {
      weights[j] = equations.weight(j);
      x[j] = weights[j] * ranked.x[j];
      for (std::size_t l = 0; l < null.n_cols; ++l) null(j, l) *= weights[j];
    }
    orthonormalize(null);
    for (int round = 0; round < 2; ++round) {
      for (std::size_t l = 0; l < null.n_cols; ++l) {
        double part = 0.0;
        for (std::size_t j = 0; j < k; ++j) part += null(j, l) * x[j];
        for (std::size_t j = 0; j < k; ++j) x[j] -= part * null(j, l);
      }
    }
    Matrix cones = equations.cones();
    for (std::size_t i = 0; i < cones.n_rows; ++i) {
      double length2 = 0.0;
      for (std::size_t j = 0; j < k; ++j) {
        cones(i, j) /= weights[j];
        length2 += cones(i, j) * cones(i, j);
      }
      for (std::size_t j = 0; j < k; ++j) cones(i, j) /= std::sqrt(length2);
    }
    const LeastForces least = least_forces(cones, x, null);
    forces.feasible = least.feasible;
    for (std::size_t j = 0; j < k; ++j) {
      for (std::size_t l = 0; l < null.n_cols; ++l) x[j] += null(j, l) * least.y[l];
      ranked.x[j] = x[j] / weights[j];
    }
    name_redundant(equations, response, ranked, cones, null, weights, least, forces);
  }
  forces.p = equations.forces(ranked.x);
  forces.a = accelerations(response, forces.p);
  for (std::size_t r = 0; r < k; ++r) forces.a[equations.row(r)] = 0.0;
  return forces;
}

std::vector<double> accelerations(const ScaledResponse& response, std::span<const double> p) {
  std::vector<double> a(response.f);
  for (std::size_t i = 0; i < a.size(); ++i) {
    long double sum = a[i];
    for (std::size_t j = 0; j < a.size(); ++j)
      sum += static_cast<long double>(response.w(i, j)) * p[j];
    a[i] = static_cast<double>(sum);
  }
  return a;
}

double law_violation(const ScaledResponse& response, std::span<const DecidedContact> contacts,
                     const std::vector<bool>& slides, std::span<const double> p) {
  const std::size_t n = contacts.size();
  const std::vector<double> a = accelerations(response, p);
  double worst = 0.0, largest = 0.0;
  std::vector<double> sizes(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    for (const std::size_t row : {i, n + i}) {
      sizes[i] = std::fmax(sizes[i], std::fabs(response.f[row]));
      for (std::size_t j = 0; j < 2 * n; ++j)
        sizes[i] = std::fmax(sizes[i], std::fabs(response.w(row, j) * p[j]));
    }
    largest = std::fmax(largest, sizes[i]);
  }
  for (std::size_t i = 0; i < n; ++i) {
    const double size = std::fmax(sizes[i], smallest_row * largest);
    const DecidedContact& c = contacts[i];
    const double normal = p[i], tangential = p[n + i];
    double wrong = c.bilateral ? std::fabs(a[i]) : 0.0;
    if (!c.bilateral) {
      wrong = std::fmax(-normal, -a[i]);
      wrong = std::fmax(wrong, std::fmin(std::fabs(normal), std::fabs(a[i])));
    }
    if (c.status == ContactStatus::stick) {
      wrong = std::fmax(wrong, std::fabs(a[n + i]));
      wrong = std::fmax(wrong, std::fabs(tangential) - c.mu_stick * normal);
    } else {
      const double s = slip_direction(c.status);
      wrong = std::fmax(wrong, std::fabs(tangential + s * c.mu_slip * normal));
      if (s != 0.0 && !slides[i]) wrong = std::fmax(wrong, -s * a[n + i]);
    }
    if (wrong > 0.0) worst = std::fmax(worst, wrong / size);
    if (!std::isfinite(wrong)) return wrong;
  }
  return worst;
}

}  // namespace saltus::detail
