// Decides how a solution continues from a point on one or more switching surfaces.
//
// The solution leaves each surface to its + side or to its - side, or it slides on the surface,
// which is then *kept*. A combination of these is a *candidate*. On the kept surfaces, its
// multipliers u (from -1, the - side, to 1, the + side) make the normal velocity of the mixture
// vanish:
//
//   sum_b w_b(u) V_k(b) = 0  for every kept k,   w_b(u) = prod_k (1 + b_k u_k) / 2.           (S.2)
//
// A candidate is *consistent* under three conditions. Every surface that is left moves to the side
// to which it is left. Every multiplier lies inside its range. Each kept surface attracts: with the
// others as they are, both of its sides move towards it. (Checking each surface by itself is
// simpler than stability of all at once, and reports `several` rather than too little.
// SurfaceCandidate::repels explains the case where nothing is consistent.) Exactly one consistent
// candidate proves how to continue. Where a velocity vanishes, the next derivative of g along the
// candidate's motion decides (an exit from sliding is always of this kind).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <saltus/numerics/matrix.hpp>
#include <saltus/slide/surface.hpp>

namespace saltus {

struct SurfaceCandidate {
  /// Per surface +1, -1 or 0: kept.
  std::vector<std::int8_t> state;
  /// Per surface: a multiplier in [-1, 1] if kept, else the state.
  std::vector<double> multiplier;
  /// Per surface: the normal velocity of the motion, 0 on kept surfaces.
  std::vector<double> rate;
  bool consistent = false;
  /// No multipliers keep the surfaces that it keeps: there is no such motion.
  bool has_no_multipliers = false;
  bool by_second_order =
      false;  // a velocity vanishes and the next derivative decided, for it or against it
  /// A motion on which a kept surface does not attract by itself. It is consistent only if it is
  /// the only motion: a solution exists, so this is it (a surface may attract only while the
  /// solution slides on another one).
  bool repels = false;
  /// Why the candidate is not consistent, with numbers: "surface 2 would be left to its + side, but
  /// moves at -0.3", by name if DecideOptions has names. Empty if it is consistent.
  std::string verdict;

  std::uint32_t n_kept() const;
};

enum class DecisionKind : std::uint8_t {
  unique,
  impossible,  // no candidate is consistent
  several,     // the solution is not unique
};

struct SurfaceDecision {
  DecisionKind kind = DecisionKind::impossible;
  /// All candidates examined: consistent ones first, and among these those that keep fewer surfaces
  /// first.
  std::vector<SurfaceCandidate> candidates;
  /// No consistent candidate can have been missed. False where a search replaces a proof: three or
  /// more kept surfaces whose vertices are not affine; more than eight surfaces without a sign of
  /// uniqueness.
  bool complete = true;
  /// The motion of the first candidate depends on the rule: its vertices are not affine in the
  /// multipliers.
  bool depends_on_rule = false;
  /// One of several surfaces that act on each other is held only because another one lets go
  /// (DecideOptions::hold). Letting both go together would have been a possible motion as well.
  bool depends_on_hold = false;

  /// Returns the candidate to take, if it is unique.
  const SurfaceCandidate& taken() const { return candidates.front(); }
};

struct DecideOptions {
  SlidingRule rule = SlidingRule::bilinear;
  /// Per surface, for verdicts; empty: "surface 1" …
  std::vector<std::string> names = {};
  /// Per surface, at least 1; empty: 1 for all. The multiplier of a kept surface lies between -hold
  /// and hold (static friction). A surface that can be held is not left, even if both of its sides
  /// lead the same way.
  std::vector<double> hold = {};
  /// Per surface: velocities too small for the mixing rule to matter to a user; empty: none but
  /// negligible ones.
  std::vector<double> unimportant = {};
  /// Returns the second derivative of g_k along the motion of a candidate whose normal velocity of
  /// surface k vanishes, or nothing if it is not known. Empty: such candidates are consistent with
  /// neither side.
  std::function<std::optional<double>(const SurfaceCandidate&, std::uint32_t k)> second_derivative;
};

/// Examines all 3^m candidates, for up to four surfaces. More are refused unless affine() applies.
SurfaceDecision decide(const NormalVelocities& velocities, const DecideOptions& options = {});

/// Normal velocities as an affine function of the multipliers: V(u) = v + M u with u in {-1, 1}^m
/// at the vertices.
struct AffineVelocities {
  std::vector<double> v;
  Matrix m;
  std::vector<double> negligible;
};
/// Returns this form for affine vertices; nothing if mixed differences of velocities do not vanish.
std::optional<AffineVelocities> affine(const NormalVelocities& velocities);
/// Decides for any number of surfaces, by a complementarity problem (Lemke's method, which always
/// finds a solution of it). If all principal minors of -m are positive this is the only one, and
/// the answer is proven. Otherwise all candidates of up to eight surfaces are examined. For more
/// surfaces, paths from 2m + 2 vertices may find a second one, and the answer is not `complete`.
/// The candidates listed are those at which the paths end, and consistent ones.
SurfaceDecision decide(const AffineVelocities& velocities, const DecideOptions& options = {});

/// Computes the weights w_b of the vertices for given multipliers.
void vertex_weights(std::span<const double> u, std::span<double> w);
/// Finds the multipliers that solve (S.2) with all surfaces kept, wherever they are: a solution
/// that leaves [-1, 1]^m continues smoothly. If there are several solutions for two surfaces, it
/// takes the one nearest to the `u` passed in. For more surfaces it takes the one that Newton's
/// method finds from there. Returns false if there is none, or for more than eight surfaces. Does
/// not use `negligible`, and allocates nothing.
bool solve_multipliers(const NormalVelocities& velocities, std::span<double> u);
/// Computes weights of two surfaces by moments (Dieci and Difonzo). They sum to 1 and make both
/// normal velocities vanish, but are not products of multipliers. Returns false if they are not
/// determined.
bool moment_weights(const NormalVelocities& velocities, std::span<double> w);
/// Computes the mean side of each surface under given weights: the multipliers, if the weights come
/// from multipliers.
void mean_sides(std::span<const double> w, std::span<double> u);

}  // namespace saltus
