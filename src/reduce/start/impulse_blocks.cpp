#include <saltus/reduce/impulse_blocks.hpp>

#include <algorithm>
#include <cmath>

#include <saltus/numerics/quad.hpp>
#include <saltus/system/abilities.hpp>

#include "reduce/matrix/elimination.hpp"
#include "reduce/array/level_ranks.hpp"
#include "reduce/array/scaled_array.hpp"

namespace saltus::detail {

namespace {

// Elimination with complete pivoting takes (mu n)^3 operations in quad precision, steps take n^3 each.
constexpr std::size_t most_columns = 300;
constexpr int max_newton_steps = 6;
// Of the last Newton step, in scaled unknowns.
constexpr double newton_tolerance = 1e-13;
// What rows without a pivot may be left at, of size one.
constexpr double most_contradiction = 1e-11;
// Entries that differ by less, relative, are the same: quad precision rounds far below.
constexpr double same_entry = 1e-20;
// Where entries change: how much of an equation that may make up, and how large impulses of higher order may
// be, which meet the rate of that change. Steps across the instant are known to 1e-7 at worst.
constexpr double share_of_change = 1e-8;
constexpr double nearly_no_impulse = 1e-9;
constexpr double nearly_no_jump = 1e-12;

double magnitude(const Quad& value) { return std::abs(static_cast<double>(value)); }

class ImpulseBlocks {
 public:
  ImpulseBlocks(const System& system, Workspace& workspace, double t,
                const std::vector<double>& left, const IndexAnalysis& known)
      : system_(system),
        array_(system, workspace, t),
        known_(known),
        m_(system.n_equations()),
        n_(system.size()),
        mu_(static_cast<std::size_t>(known.values.mu)),
        n_array_(array_.n_columns(known.values.mu)),
        xi_(n_array_),
        gamma_(mu_ * n_) {
    std::vector<Quad> path(n_array_);
    std::copy_n(known.path.begin(), std::min(known.path.size(), n_array_), path.begin());
    std::copy(left.begin(), left.end(), path.begin());
    xi_ = scaled_path<Quad>(path, known.scaling);
    left_.assign(xi_.begin(), xi_.begin() + static_cast<std::ptrdiff_t>(n_));
  }

  std::optional<ImpulsiveJump> run(BlockJumps wanted) {
    if (mu_ * n_ + n_array_ > most_columns || !solve()) return std::nullopt;
    const bool stay = wanted == BlockJumps::exact && coefficients_stay();
    if (wanted == BlockJumps::exact && !stay) return std::nullopt;
    return in_units(stay);
  }
  std::uint64_t n_evaluations() const { return array_.n_evaluations(); }

 private:
  /// Unknowns of a step: u_mu … u_1, xi_0, and the higher coefficients.
  std::size_t column_of(std::size_t j) const { return (mu_ - j) * n_; }
  /// u_j, in scaled unknowns.
  Quad u(std::size_t j, std::size_t i) const {
    return j == 0 ? xi_[i] - left_[i] : j <= mu_ ? gamma_[(j - 1) * n_ + i] : Quad();
  }

  bool solve() {
    const int level = known_.values.mu;
    for (int k = 0; k < max_newton_steps; ++k) {
      std::vector<Quad> phi;
      if (!array_.residuals(xi_, level, known_.scaling, phi)) return false;
      if (!array_.coefficients(xi_, level, known_.scaling, right_)) return false;
      if (k == 0) at_left_ = right_;
      const auto step = newton_step(phi);
      if (!step) return false;
      double size = 0.0;
      for (std::size_t i = 0; i < gamma_.size(); ++i) {
        const Quad& next = (*step)[column_of(1 + i / n_) + i % n_];
        size = std::max(size, magnitude(next - gamma_[i]) / (1.0 + magnitude(next)));
        gamma_[i] = next;
      }
      for (std::size_t i = 0; i < n_array_; ++i) {
        const Quad& change = (*step)[mu_ * n_ + i];
        if (i < n_) size = std::max(size, magnitude(change) / (1.0 + magnitude(xi_[i])));
        xi_[i] += change;
      }
      if (size <= newton_tolerance) return true;
      if (!std::isfinite(size)) return false;
    }
    return false;
  }

  /// [0 J; blocks of (I.6)] with the right-hand side as its last column.
  DenseMatrix<Quad> matrix_of_step(const std::vector<Quad>& phi) const {
    const DenseMatrix<Quad> jacobian =
        array_.jacobian(right_, known_.values.mu, known_.scaling, true);
    const std::size_t n_rows = (mu_ + 1) * m_, rhs = mu_ * n_ + n_array_;
    DenseMatrix<Quad> matrix(2 * n_rows, rhs + 1);
    for (std::size_t i = 0; i < n_rows; ++i) {
      for (std::size_t k = 0; k < n_array_; ++k) matrix(i, mu_ * n_ + k) = jacobian(i, k);
      matrix(i, rhs) = -phi[i];
    }
    for (std::size_t j = 0; j <= mu_; ++j) {
      for (std::size_t i = 0; i < m_; ++i) {
        const std::size_t row = n_rows + j * m_ + i;
        for (std::size_t k = 0; k < n_; ++k) {
          const Quad& e = jacobian(n_rows + i, k);
          matrix(row, column_of(j) + k) = e;
          if (j < mu_) matrix(row, column_of(j + 1) + k) = jacobian(i, k);
          if (j == 0) matrix(row, rhs) += e * (left_[k] - xi_[k]);
        }
      }
    }
    return matrix;
  }

  /// Higher coefficients first: what is left must determine x+ and all impulses.
  std::optional<std::vector<Quad>> newton_step(const std::vector<Quad>& phi) const {
    DenseMatrix<Quad> matrix = matrix_of_step(phi);
    const std::size_t n_rows = matrix.n_rows(), rhs = matrix.n_cols() - 1;
    double largest = 0.0, of_rhs = 0.0, of_unknowns = 1.0;
    for (std::size_t i = 0; i < n_rows; ++i) {
      of_rhs = std::max(of_rhs, magnitude(matrix(i, rhs)));
      for (std::size_t j = 0; j < rhs; ++j) largest = std::max(largest, magnitude(matrix(i, j)));
    }
    for (const Quad& v : xi_) of_unknowns = std::max(of_unknowns, magnitude(v));
    if (!(largest > 0.0) || !std::isfinite(of_rhs)) return std::nullopt;
    // The right-hand side must not set the scale of the pivots.
    const Quad rhs_scale(of_rhs > largest ? largest / of_rhs : 1.0);
    for (std::size_t i = 0; i < n_rows; ++i) matrix(i, rhs) *= rhs_scale;

    Elimination<Quad> elimination(std::move(matrix));
    const auto higher = elimination.run({0, n_rows, (mu_ + 1) * n_, rhs}, coarse_rank_tolerance);
    const auto wanted = elimination.run({0, n_rows, 0, (mu_ + 1) * n_}, coarse_rank_tolerance);
    if (higher.pivots.size() != rank_of_higher() || wanted.pivots.size() != (mu_ + 1) * n_) {
      return std::nullopt;
    }
    auto pivots = higher.pivots;
    pivots.insert(pivots.end(), wanted.pivots.begin(), wanted.pivots.end());
    for (const auto& p : pivots) {
      if (p.size < required_gap * std::max(higher.largest_left, wanted.largest_left)) {
        return std::nullopt;
      }
    }
    const DenseMatrix<Quad>& upper = elimination.matrix();
    std::vector<char> has_pivot(n_rows, 0);
    for (const auto& p : pivots) has_pivot[p.row] = 1;
    for (std::size_t i = 0; i < n_rows; ++i) {
      const double left = magnitude(upper(i, rhs) / rhs_scale);
      if (!has_pivot[i] && !(left <= most_contradiction * largest * of_unknowns))
        return std::nullopt;
    }
    std::vector<Quad> step(rhs);
    for (std::size_t k = pivots.size(); k-- > 0;) {
      Quad sum = upper(pivots[k].row, rhs) / rhs_scale;
      for (std::size_t l = k + 1; l < pivots.size(); ++l) {
        sum -= upper(pivots[k].row, pivots[l].column) * step[pivots[l].column];
      }
      step[pivots[k].column] = sum / upper(pivots[k].row, pivots[k].column);
    }
    return step;
  }

  std::size_t rank_of_higher() const {
    const std::string name = "M_" + std::to_string(known_.values.mu);
    std::size_t rank = 0;
    for (const RankDecision& decision : known_.decisions) {
      if (decision.matrix == name) rank = decision.rank;
    }
    return rank;
  }

  /// At the left limit and inside the instant they are what they are at x+: all of them, or those that meet a
  /// jump or an impulse, if there are none of higher order.
  bool coefficients_stay() {
    constexpr double part_of_jump = 0.37, inverse_length = 1024;  // in units of the time scale
    std::vector<Quad> inside(2 * n_);
    for (std::size_t i = 0; i < n_; ++i) {
      const Quad jump = u(0, i);
      inside[i] = left_[i] + Quad(part_of_jump) * jump + Quad(inverse_length) * u(1, i);
      inside[n_ + i] = Quad(inverse_length) * jump;
    }
    ArrayCoefficients<Quad> at_inside;
    if (!array_.coefficients(inside, 0, known_.scaling, at_inside)) return false;
    if (are_same(at_left_) && are_same(at_inside)) return true;
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t j = 2; j <= mu_; ++j) {
        if (magnitude(u(j, i)) > nearly_no_impulse * (1.0 + magnitude(xi_[i]))) return false;
      }
    }
    return act_the_same(at_left_) && act_the_same(at_inside);
  }

  bool are_same(const ArrayCoefficients<Quad>& other) const {
    const auto same = [](const Quad& one, const Quad& two) {
      return magnitude(one - two) <= same_entry * magnitude(one);
    };
    const auto n_entries = static_cast<std::ptrdiff_t>(system_.pattern().nnz());
    return std::equal(right_.a.begin(), right_.a.begin() + n_entries, other.a.begin(), same) &&
           std::equal(right_.b.begin(), right_.b.begin() + n_entries, other.b.begin(), same);
  }

  bool act_the_same(const ArrayCoefficients<Quad>& other) const {
    const CscPattern& p = system_.pattern();
    std::vector<double> change(m_), size(m_);
    for (std::size_t k = 0; k < n_; ++k) {
      const double negligible = nearly_no_jump * (1.0 + magnitude(xi_[k]));
      const auto of_size = [&](double v) { return v > negligible ? v : 0.0; };
      const double unit = std::ldexp(1.0, known_.scaling.column_exponent[k]);
      const double by_e = unit * of_size(magnitude(u(0, k))),
                   by_a =
                       std::ldexp(unit, known_.scaling.time_exponent) * of_size(magnitude(u(1, k)));
      const auto end = static_cast<std::size_t>(p.column_start[k + 1]);
      for (auto s = static_cast<std::size_t>(p.column_start[k]); s < end; ++s) {
        const auto row = static_cast<std::size_t>(p.row[s]);
        change[row] +=
            magnitude(right_.b[s] - other.b[s]) * by_e + magnitude(right_.a[s] - other.a[s]) * by_a;
        size[row] += magnitude(right_.b[s]) * by_e + magnitude(right_.a[s]) * by_a;
      }
    }
    for (std::size_t i = 0; i < m_; ++i) {
      if (!(change[i] <= share_of_change * size[i])) return false;
    }
    return true;
  }

  ImpulsiveJump in_units(bool of_constant_coefficients) const {
    ImpulsiveJump jump;
    jump.of_constant_coefficients = of_constant_coefficients;
    jump.strength.resize(n_ * std::max<std::size_t>(1, mu_));
    for (std::size_t i = 0; i < n_; ++i) {
      const int unit = known_.scaling.column_exponent[i];
      jump.x.push_back(std::ldexp(static_cast<double>(xi_[i]), unit));
      for (std::size_t j = 0; j < mu_; ++j) {
        jump.strength[j * n_ + i] =
            std::ldexp(static_cast<double>(gamma_[j * n_ + i]),
                       unit + known_.scaling.time_exponent * static_cast<int>(j + 1));
      }
    }
    return jump;
  }

  const System& system_;
  ScaledArray<Quad> array_;
  const IndexAnalysis& known_;
  std::size_t m_, n_, mu_, n_array_;
  std::vector<Quad> left_, xi_, gamma_;  // x-, the path after, the impulses: scaled
  ArrayCoefficients<Quad> right_, at_left_;
};

}  // namespace

}  // namespace saltus::detail

namespace saltus {

std::optional<ImpulsiveJump> jump_of_blocks(const System& system, Workspace& workspace, double t,
                                            const std::vector<double>& left_limit,
                                            const IndexAnalysis& known,
                                            std::uint64_t& n_evaluations, BlockJumps wanted) {
  detail::ImpulseBlocks blocks(system, workspace, t, left_limit, known);
  auto jump = blocks.run(wanted);
  n_evaluations = blocks.n_evaluations();
  if (jump) jump->n_evaluations = n_evaluations;
  return jump;
}

}  // namespace saltus
