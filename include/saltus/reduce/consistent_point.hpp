// Computes consistent points of a system whose index is known. A mode is analysed once and started
// often.
//
// The input is a wish for x; F_0 … F_mu are the equations of the derivative array and y the higher
// coefficients. The stages are:
//
//   0. y alone. If it meets the array to 1e-10 of its size, x is consistent and is not moved.
//   1. x and y together. This conserves W x, the differential content at the answer, which does not
//      depend on the scaling of equations (docs/theory/starts.md, I.8). Alternatively it holds the
//      fixed unknowns and the equations between both limits of an instant, or it conserves nothing:
//      x then becomes the nearest consistent point.
//   2. One level more, for the derivatives of algebraic unknowns.
//
// T2 T2^T, the projector on the directions that constraints leave free, cannot replace W: it
// contains algebraic unknowns, and an outdated multiplier would move positions.
#pragma once

#include <cstdint>
#include <vector>

#include <saltus/core/result.hpp>
#include <saltus/reduce/index_analysis.hpp>
#include <saltus/system/system.hpp>
#include <saltus/system/transition.hpp>

namespace saltus {

enum class KeptContent : std::uint8_t {
  differential,  // W x is conserved
  nothing,       // the sum of ((x_i - wish_i) / nominal_i)^2 is minimal
};

struct PointOptions {
  KeptContent kept = KeptContent::differential;
  /// Unknowns that must not move, one flag each, instead of the differential content. The others
  /// move as little as possible, preferring to move those with derivatives.
  std::vector<std::uint8_t> fixed = {};
  /// Requires r(x) = 0 as well, instead of the differential content. Together with `fixed` these
  /// equations must determine all unknowns that have a derivative.
  LimitEquations* equations = nullptr;
  /// Treats fixed values as desired values that count a thousand times as much as others in the sum
  /// of squares.
  bool relax = false;
  /// Runs stage 2. Without it the path ends with x_{mu+1}, and the derivatives of algebraic
  /// unknowns are not determined.
  bool one_level_more = true;
  /// Assumes that the wish is already an answer, near the path of the analysis: stages 0 and 2 are
  /// tried at once.
  bool expects_consistent = false;
  /// As in IndexOptions.
  double tolerated_contradiction = 0.0;
};

struct ConsistentPoint {
  /// x_0 … x_{mu+2} in Taylor coefficients, path[j n + i]; F_0 … F_{mu+1} vanish on it.
  std::vector<double> path;
  /// The wish was consistent: x_0 equals the wish, bit for bit.
  bool was_consistent = false;
  /// W (x - wish) = 0 with the W of the point; false if the search for such a point did not
  /// converge.
  bool keeps_content = true;
  /// Evaluations of the derivative array or its Jacobian, at one point each.
  std::uint64_t n_evaluations = 0;
};

/// Finds a consistent point near the wish. `known` is the analysis of the same system at any of its
/// points. Failures are as in analyze_index. Messages name fixed values and equations between
/// limits that contradict the equations, and unknowns that these leave undetermined.
Result<ConsistentPoint> find_consistent_point(const System& system, Workspace& workspace, double t,
                                              const StartValues& wish, const IndexAnalysis& known,
                                              const PointOptions& options = {});

}  // namespace saltus
