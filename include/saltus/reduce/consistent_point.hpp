// Consistent points of a system whose index is known: a mode is analysed once and started often.
//
// From a wish for x, with F_0 … F_mu of the derivative array and y the higher coefficients:
//   0. y alone. If that meets the array to 1e-10 of its size, x is consistent and is not moved.
//   1. x and y together. What stays is W x, the differential content at the answer, in which no scaling of
//      equations occurs (docs/theory/starts.md, I.8); or the unknowns that are fixed, and what equations between
//      both limits of an instant say; or nothing, then x becomes the nearest consistent point.
//   2. One level more, for the derivatives of what is algebraic.
// T2 T2^T, the projector on what constraints leave free, is not a substitute for W: it contains
// algebraic unknowns, and a stale multiplier would move positions.
#pragma once

#include <cstdint>
#include <vector>

#include <saltus/core/result.hpp>
#include <saltus/reduce/index_analysis.hpp>
#include <saltus/system/system.hpp>
#include <saltus/system/transition.hpp>

namespace saltus {

enum class KeptContent : std::uint8_t {
  differential,  // W x stays
  nothing,       // sum of ((x_i - wish_i) / nominal_i)^2 becomes smallest
};

struct PointOptions {
  KeptContent kept = KeptContent::differential;
  /// Unknowns that must not move, one flag each, instead of the differential content; the others move
  /// as little as possible, those with derivatives first.
  std::vector<std::uint8_t> fixed = {};
  /// r(x) = 0 besides, instead of the differential content. Together with `fixed` they must determine all
  /// that has a derivative.
  LimitEquations* equations = nullptr;
  /// Fixed values are wishes: they count a thousand times as much as others in the sum of squares.
  bool relax = false;
  /// Stage 2. Without it the path ends with x_{mu+1}, and derivatives of what is algebraic are not determined.
  bool one_level_more = true;
  /// The wish is an answer already, near the path of the analysis: stages 0 and 2 are tried at once.
  bool expects_consistent = false;
  /// As in IndexOptions.
  double tolerated_contradiction = 0.0;
};

struct ConsistentPoint {
  /// x_0 … x_{mu+2} in Taylor coefficients, path[j n + i]; F_0 … F_{mu+1} vanish on it.
  std::vector<double> path;
  /// The wish was consistent: x_0 is the wish, bit for bit.
  bool was_consistent = false;
  /// W (x - wish) = 0 with the W of the point: false if the search for such a point did not settle.
  bool keeps_content = true;
  /// Of the derivative array or its Jacobian, at one point each.
  std::uint64_t n_evaluations = 0;
};

/// `known` is the analysis of the same system at any of its points. Failures as in analyze_index;
/// fixed values and equations between limits that contradict the equations are named, and so are unknowns
/// that these leave undetermined.
Result<ConsistentPoint> find_consistent_point(const System& system, Workspace& workspace, double t,
                                              const StartValues& wish, const IndexAnalysis& known,
                                              const PointOptions& options = {});

}  // namespace saltus
