// Computes the characteristic values of a system: the numbers of differential, algebraic and
// redundant equations and of undetermined unknowns (Kunkel and Mehrmann's strangeness index).
//
// With the derivative array F_0 … F_L in Taylor coefficients, M its Jacobian by x_1 … x_{L+1} and J
// its Jacobian by all of x_0 … x_{L+1}, taken on the solution set:
//   corank J (new at this level)  = v, redundant equations
//   rank J - rank M               = a, algebraic equations, hidden ones included
//   rank [N M; E 0] - rank M - a  = d, differential equations       (N by x_0; E = dF/dx')
//   n - d - a                     = u, undetermined unknowns,
// and mu is the first level at which the counts close: d = m - a - v. Ranks are decided once per
// mode, in quad precision, after scaling equations, unknowns and time by powers of two. A result is
// refused, with all candidates, unless it holds at three time scales (h/8, h, 8h), one level
// higher, and at a second point of the solution set. docs/design/0006 explains why.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <saltus/core/result.hpp>
#include <saltus/system/system.hpp>

namespace saltus {

struct CharacteristicValues {
  int mu = 0;
  std::uint32_t d = 0;
  std::uint32_t a = 0;
  std::uint32_t v = 0;
  std::uint32_t u = 0;

  friend bool operator==(const CharacteristicValues&, const CharacteristicValues&) = default;
};
/// Returns "(2, 2, 3, 0, 0)", in the order mu, d, a, v, u.
std::string to_text(const CharacteristicValues& values);

/// Says how clear a rank was: the smallest pivot that counts over the largest that does not.
struct RankDecision {
  std::string matrix;  // "J_2"
  std::uint32_t rank = 0;
  double gap = 0.0;  // the smallest of the three time scales; infinite if nothing was left
  std::string note;  // further remarks for users, e.g. on equations redundant up to rounding
};

struct IndexOptions {
  int max_level = 8;
  /// The expected values. A mismatch is a failure that names both.
  std::optional<CharacteristicValues> expected = {};
  /// Unknowns whose start values must not move (one flag each). Empty: those that the analysis
  /// finds to be differential content.
  std::vector<std::uint8_t> fixed = {};
  /// Treats equations that contradict each other at the start as redundant if they do so by no more
  /// than this, |F_i| <= tolerated (1 + sum_j |dF_i/dx_j x_j|) in scaled units. 0: rounding alone.
  double tolerated_contradiction = 0.0;
};

/// The scaling in which equations, unknowns and time are of size one: powers of two.
struct ArrayScaling {
  std::vector<int> row_exponent;     // equation i is multiplied by 2^row_exponent[i]
  std::vector<int> column_exponent;  // unknown j is 2^column_exponent[j] times a number of size one
  int time_exponent = 0;             // time is 2^time_exponent times a number of size one
};

struct IndexAnalysis {
  CharacteristicValues values;
  std::vector<RankDecision> decisions;
  ArrayScaling scaling;
  /// The consistent path: x_0 … x_{mu+2} in Taylor coefficients, path[j n + i]. F_0 … F_{mu+1}
  /// vanish on it to double precision. x_0 is the guess if that is consistent.
  std::vector<double> path;
  /// Evaluations of the derivative array or its Jacobian, at one point each, for this analysis.
  std::uint64_t n_evaluations = 0;
  /// As in ConsistentPoint, for the path.
  bool keeps_content = true;
};

/// Analyses the system at time t, starting from a guess. Failures: not_certified (ranks are not
/// clear, or not as expected), limit_reached (max_level, or more than 600 columns), not_converged
/// (no consistent point was found: names the worst equations), out_of_domain. The workspace must
/// offer DerivativeLevels in double and quad; otherwise throws ModelError.
Result<IndexAnalysis> analyze_index(const System& system, Workspace& workspace, double t,
                                    const StartValues& guess, const IndexOptions& options = {});

}  // namespace saltus
