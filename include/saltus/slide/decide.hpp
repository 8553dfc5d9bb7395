// How a solution goes on from a point on one or more switching surfaces.
//
// Each surface is left to its + side, to its - side, or kept: the solution slides on it. A combination of
// these is a *candidate*. On the surfaces it keeps, its multipliers u (from -1, the - side, to 1, the + side)
// make the normal velocity of the mixture vanish:
//
//   sum_b w_b(u) V_k(b) = 0  for every kept k,   w_b(u) = prod_k (1 + b_k u_k) / 2.                (S.2)
//
// A candidate is *consistent* if every surface that is left moves to the side it is left to, every
// multiplier lies inside its range, and each kept surface attracts: with the others as they are, both of its
// sides move towards it. (Each by itself: that is simpler than stability of all at once, and says `several`
// rather than too little. What remains if nothing is consistent is told at SurfaceCandidate::repels.) Exactly one consistent candidate is proof of how to go on. Where a velocity
// vanishes, the next derivative of g along the candidate's motion decides (an exit from sliding is always of
// this kind).
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
  /// Per surface: of those that are kept in [-1, 1], of others their state.
  std::vector<double> multiplier;
  /// Per surface: the normal velocity of the motion, 0 on surfaces that are kept.
  std::vector<double> rate;
  bool consistent = false;
  bool by_second_order =
      false;  // a velocity vanishes and the next derivative decided, for it or against it
  /// A motion on which a kept surface does not attract by itself. Consistent only as the only motion there is: a
  /// solution exists, so this is it (a surface may attract only while the solution slides on another one).
  bool repels = false;
  /// Why it is not consistent, with numbers, surfaces as "surface 1" …: "surface 2 would be left to its + side, but moves
  /// at -0.3". Empty if it is.
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
  /// All that were looked at; consistent ones first, of these those that keep fewer surfaces first.
  std::vector<SurfaceCandidate> candidates;
  /// No consistent candidate can have been missed. False where a search stands for a proof: three or more
  /// surfaces kept whose vertices are not affine; more than eight surfaces without a sign of uniqueness.
  bool complete = true;
  /// The motion of the first candidate depends on the rule: its vertices are not affine in the multipliers.
  bool depends_on_rule = false;
  /// Of surfaces that act on each other, one is held only because another one lets go (DecideOptions::hold); had both let
  /// go together, that would have been a motion as well.
  bool depends_on_hold = false;

  /// If unique.
  const SurfaceCandidate& taken() const { return candidates.front(); }
};

struct DecideOptions {
  SlidingRule rule = SlidingRule::bilinear;
  /// Per surface, at least 1; empty: 1 for all. The multiplier of a surface that is kept lies between -hold and hold
  /// (static friction). What can be held is not left, though both of its sides may lead the same way.
  std::vector<double> hold = {};
  /// Per surface: velocities too small for a user to care by which rule sides are mixed; empty: none but negligible ones.
  std::vector<double> unimportant = {};
  /// The second derivative of g_k along the motion of a candidate whose normal velocity of surface k
  /// vanishes; nothing if it is not known. Empty: such candidates are consistent with neither side.
  std::function<std::optional<double>(const SurfaceCandidate&, std::uint32_t k)> second_derivative;
};

/// All 3^m candidates; up to four surfaces. More are refused unless affine() applies.
SurfaceDecision decide(const NormalVelocities& velocities, const DecideOptions& options = {});

/// Multipliers that are an affine function of velocities: V(u) = v + M u with u in {-1, 1}^m at the vertices.
struct AffineVelocities {
  std::vector<double> v;
  Matrix m;
  std::vector<double> negligible;
};
/// Of vertices that are affine; nothing if mixed differences of velocities do not vanish.
std::optional<AffineVelocities> affine(const NormalVelocities& velocities);
/// Any number of surfaces, by a complementarity problem (Lemke's method, which always finds a solution of it).
/// If all principal minors of -m are positive this is the only one, and the answer is proven. Otherwise all
/// candidates of up to eight surfaces are looked at; beyond, paths from 2m + 2 vertices may find a second
/// one, and the answer is not `complete`. Candidates listed are those the paths end at, and consistent ones.
SurfaceDecision decide(const AffineVelocities& velocities, const DecideOptions& options = {});

/// Weights w_b of the vertices for given multipliers.
void vertex_weights(std::span<const double> u, std::span<double> w);
/// The multipliers that solve (S.2), all surfaces being kept, wherever they are: a solution that leaves
/// [-1, 1]^m goes on smoothly. Of several, for two surfaces the one nearest to `u` as it comes, for more
/// what Newton's method finds from there. False if there is none, or for more than eight surfaces.
/// `negligible` is not looked at, nothing is allocated.
bool solve_multipliers(const NormalVelocities& velocities, std::span<double> u);
/// Weights of two surfaces by moments (Dieci and Difonzo): they sum to 1 and make both normal velocities
/// vanish, but are no products of multipliers. False if they are not determined.
bool moment_weights(const NormalVelocities& velocities, std::span<double> w);
/// The mean side of each surface under given weights: multipliers, if the weights are those of multipliers.
void mean_sides(std::span<const double> w, std::span<double> u);

}  // namespace saltus
