#include <saltus/reduce/second_order.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <saltus/core/error.hpp>
#include <saltus/core/text.hpp>

#include "reduce/index/certificate.hpp"
#include "reduce/start/consistent_path.hpp"
#include "reduce/matrix/elimination.hpp"
#include "reduce/array/second_order_array.hpp"

namespace saltus::detail {

namespace {

struct SecondOrderRanks {
  StageRank m, l, a, d1, d2;
  std::uint32_t corank = 0;

  bool is_clear() const {
    return std::min({m.gap(), l.gap(), a.gap(), d1.gap(), d2.gap()}) >= required_gap;
  }
};

using QuadElimination = Elimination<Quad>;

/// Rows of pivots as they were when they became pivots: a basis of the space of all rows.
void copy_pivot_rows(const QuadElimination& elimination, const QuadElimination::StageOutcome& from,
                     std::size_t first_column, DenseMatrix<Quad>& to, std::size_t& row) {
  for (const auto& pivot : from.pivots) {
    for (std::size_t j = 0; j < to.n_cols(); ++j) {
      to(row, j) = elimination.matrix()(pivot.row, first_column + j);
    }
    ++row;
  }
}

SecondOrderRanks second_order_ranks(const SecondOrderArray& array, int level,
                                    const ArrayScaling& scaling) {
  const std::size_t m = array.n_equations(), n = array.n_unknowns();
  DenseMatrix<Quad> jacobian = array.jacobian(level, scaling);
  const std::size_t n_rows = jacobian.n_rows(), n_columns = jacobian.n_cols();
  QuadElimination elimination(std::move(jacobian));
  const double tolerance = fine_rank_tolerance;
  const auto by_higher = elimination.run({0, n_rows, 2 * n, n_columns}, tolerance);
  const auto first_order = elimination.run({0, n_rows, n, 2 * n}, tolerance);
  const auto algebraic = elimination.run({0, n_rows, 0, n}, tolerance);

  // [Z2^T N; Z3^T L; dF/dx''], all by the same n unknowns.
  const std::size_t n_a = algebraic.pivots.size(), n_l = first_order.pivots.size();
  DenseMatrix<Quad> stack(n_a + n_l + m, n);
  std::size_t row = 0;
  copy_pivot_rows(elimination, algebraic, 0, stack, row);
  copy_pivot_rows(elimination, first_order, n, stack, row);
  const DenseMatrix<Quad> leading = array.leading(scaling);
  for (std::size_t i = 0; i < m; ++i, ++row) {
    for (std::size_t j = 0; j < n; ++j) stack(row, j) = leading(i, j);
  }
  QuadElimination last(std::move(stack));
  SecondOrderRanks ranks;
  ranks.m = stage_rank(by_higher);
  ranks.l = stage_rank(first_order);
  ranks.a = stage_rank(algebraic);
  // The pivots of N once more, so that what is left acts where the algebraic equations hold. Their
  // size was judged above.
  (void)last.run({0, n_a, 0, n}, 0.0);
  ranks.d1 = stage_rank(last.run({n_a, n_a + n_l, 0, n}, tolerance));
  ranks.d2 = stage_rank(last.run({n_a + n_l, n_a + n_l + m, 0, n}, tolerance));
  ranks.corank = static_cast<std::uint32_t>(n_rows - by_higher.pivots.size() - n_l - n_a);
  return ranks;
}

/// At the first level whose counts close, if they are found again one level higher and are clear.
std::optional<SecondOrderValues> second_order_reading(const SecondOrderArray& array, int n_levels,
                                                      const ArrayScaling& scaling) {
  std::optional<SecondOrderValues> found;
  std::uint32_t last_corank = 0;
  for (int level = 0; level < n_levels; ++level) {
    const SecondOrderRanks r = second_order_ranks(array, level, scaling);
    const auto m = static_cast<std::uint32_t>(array.n_equations());
    const auto n = static_cast<std::uint32_t>(array.n_unknowns());
    if (!r.is_clear() || r.corank < last_corank) return std::nullopt;
    SecondOrderValues now{level,
                          r.d2.rank,
                          r.d1.rank,
                          r.a.rank,
                          r.corank - last_corank,
                          n - r.d2.rank - r.d1.rank - r.a.rank};
    last_corank = r.corank;
    if (found) {
      now.mu = found->mu;
      return now == *found ? found : std::nullopt;
    }
    if (now.d2 + now.d1 + now.a + now.v == m) found = now;
  }
  return std::nullopt;
}

}  // namespace

namespace {

/// At the consistent point next to `path`.
Result<SecondOrderValues> second_order_values_at(const System& system, Workspace& workspace,
                                                 double t, const IndexAnalysis& analysis,
                                                 std::vector<double> path) {
  const std::string where = "second-order analysis at t = " + to_text(t) + ": ";
  // The counts may close one level above mu, and one more confirms them.
  const int level = analysis.values.mu + 2;
  PathSearch search(system, workspace, t);
  const PathWish stay{std::vector<double>(path.begin(), path.begin() + system.size()),
                      Eigen::MatrixXd(0, system.size()),
                      {}};
  if (auto ok = search.solve(path, level, analysis.scaling, stay); !ok) return ok.failure();
  auto polished = search.polish(path, level, analysis.scaling);
  if (!polished) return polished.failure();
  ArrayCoefficients<Quad> coefficients;
  const std::vector<Quad> xi = scaled_path<Quad>(polished->path, analysis.scaling);
  const Evaluation e = search.quad_array().coefficients(xi, level, analysis.scaling, coefficients);
  if (!e) return search.not_evaluated(e);

  const SecondOrderArray array(system.pattern(), coefficients);
  ArrayScaling scaling = array.scaling();
  const int time_exponent = scaling.time_exponent;
  std::array<std::optional<SecondOrderValues>, time_shifts.size()> readings;
  std::string candidates;
  for (std::size_t s = 0; s < time_shifts.size(); ++s) {
    scaling.time_exponent = time_exponent + time_shifts[s];
    readings[s] = second_order_reading(array, level + 1, scaling);
    candidates += (s > 0 ? ", " : "") +
                  (readings[s] ? to_text(*readings[s]) : std::string("none")) + " at time scale " +
                  to_text(std::ldexp(1.0, scaling.time_exponent));
  }
  const bool agree = std::all_of(readings.begin(), readings.end(),
                                 [&](const auto& r) { return r && *r == *readings[0]; });
  if (!agree) {
    return Failure{FailureCode::not_certified,
                   where + "the values (mu, d2, d1, a, v, u) are not certain: " + candidates};
  }
  const SecondOrderValues& values = *readings[0];
  if (values.u == 0 && 2 * values.d2 + values.d1 != analysis.values.d) {
    return Failure{FailureCode::not_certified,
                   where + "the values (mu, d2, d1, a, v, u) are " + to_text(values) +
                       ", but as a system of first order (mu, d, a, v, u) are " +
                       to_text(analysis.values) + ", and d should be 2 d2 + d1"};
  }
  return values;
}

}  // namespace

Result<SecondOrderValues> second_order_values(const System& system, Workspace& workspace, double t,
                                              const IndexAnalysis& analysis) {
  auto here = second_order_values_at(system, workspace, t, analysis, analysis.path);
  if (here) return here;
  // Starts are often special: at rest, what multiplies velocities does not count. Any point nearby does.
  constexpr double distance = 1e-3;
  std::vector<double> nearby = analysis.path;
  for (std::size_t i = 0; i < system.size(); ++i) {
    const double unit = std::ldexp(1.0, analysis.scaling.column_exponent[i]);
    nearby[i] +=
        distance * std::cos(1.0 + 2.3 * static_cast<double>(i)) * (unit + std::abs(nearby[i]));
  }
  return second_order_values_at(system, workspace, t, analysis, std::move(nearby));
}

}  // namespace saltus::detail

namespace saltus {

std::string to_text(const SecondOrderValues& values) {
  std::string text = "(" + std::to_string(values.mu);
  for (const std::uint32_t count : {values.d2, values.d1, values.a, values.v, values.u}) {
    text += ", " + std::to_string(count);
  }
  return text + ")";
}

Result<SecondOrderValues> analyze_second_order(const System& system, Workspace& workspace, double t,
                                               const IndexAnalysis& analysis) {
  if (workspace.ability<DerivativeLevels<double>>() == nullptr ||
      workspace.ability<DerivativeLevels<Quad>>() == nullptr) {
    throw ModelError("system", "offers no derivatives of its equations: its index cannot be found");
  }
  return detail::second_order_values(system, workspace, t, analysis);
}

}  // namespace saltus
