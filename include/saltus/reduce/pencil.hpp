// Analyses the linear system E x' = A x + B u, y = C x + C' x' + D u: modes, regularity,
// controllability, observability.
//
// A square pencil lambda E - A is regular if its determinant is not zero for all lambda. It then
// has n eigenvalues, finite or infinite; the infinite ones belong to algebraic equations, hidden
// ones included. Orthogonal transformations deflate them, stage by stage,
//
//   P E Q = [ E_f  * ; 0  E_inf ],   P A Q = [ A_f  * ; 0  A_inf ],
//
// with E_f and A_inf regular and E_inf nilpotent; the number of stages is the index. The remaining
// system E_f z' = A_f z has exactly the finite eigenvalues. Equations, unknowns and time are first
// scaled by powers of two.
//
// Definitions (Dai, Singular Control Systems, 1989; Bunse-Gerstner, Mehrmann, Nichols, SIAM J.
// Matrix Anal. Appl. 13 (1992) 46-67), with S and T bases of the kernels of E and E^T:
//
//   a finite mode is controllable      rank [lambda E - A, B] = n at its eigenvalue   (Hautus)
//   controllable at infinity           rank [E, A S, B] = n: feedback can avoid impulses
//   all of x can be reached            rank [E, B] = n
//   and, with C + lambda C' for the modes, dually for observability with the rows of C.
#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <saltus/numerics/matrix.hpp>
#include <saltus/reduce/index_analysis.hpp>

namespace saltus {

struct LinearSystem {
  Matrix e, a;   // equations by unknowns
  Matrix b;      // equations by inputs
  Matrix c;      // outputs by unknowns
  Matrix c_dot;  // C', outputs by derivatives of unknowns; zero columns: none
  Matrix d;      // outputs by inputs
};

/// A finite eigenvalue.
struct PencilMode {
  std::complex<double> value;
  /// Rounding in the matrices may move the value by about this much: n eps (|lambda| |E| + |A|)
  /// over its sensitivity, so a double eigenvalue is known to half the digits. Empty when the
  /// margins are.
  std::optional<double> uncertainty = {};
  bool controllable = true;  // also true without inputs: see PencilAnalysis::controllability
  bool observable = true;
  /// The smallest singular value of [lambda E - A, B] over the largest (of the finite part, in
  /// scaled units): the distance of the mode from being uncontrollable. Zero if it is
  /// uncontrollable; empty without inputs.
  std::optional<double> controllability_margin = {};
  std::optional<double> observability_margin = {};
};

/// Ranks for the inputs; dually for the outputs.
struct ReachRanks {
  std::uint32_t finite = 0;  // dimension of the controllable part of the finite modes
  bool at_infinity =
      false;         // rank [E, A S, B] = n; unknown outputs with derivatives count as false
  bool all = false;  // rank [E, B] = n
};

/// The symmetry of E and A, possibly after changing the sign of equations.
enum class PairStructure : std::uint8_t {
  general,
  symmetric,     // E = E^T, A = A^T
  self_adjoint,  // E = -E^T, A = A^T: the form of optimality systems (constant coefficients)
};

struct PencilAnalysis {
  bool regular = false;
  /// The rank of lambda E - A for almost all lambda; n for a regular pencil.
  std::uint32_t normal_rank = 0;
  /// For a singular pencil: equations that depend on each other, and undetermined unknowns.
  std::vector<std::uint32_t> dependent_equations = {};
  std::vector<std::uint32_t> open_unknowns = {};

  // ---- the rest of a regular pencil only --------------------------------------------------------
  std::uint32_t index = 0;  // 0: E is regular
  std::uint32_t n_infinite = 0;
  std::vector<PencilMode> modes = {};  // finite, by size; as many as there are degrees of freedom
  std::optional<ReachRanks> controllability = {};  // empty without inputs
  std::optional<ReachRanks> observability = {};    // empty without outputs

  PairStructure structure = PairStructure::general;
  std::vector<std::uint8_t> negated_equations =
      {};  // one flag each: sign changed to see `structure`

  std::vector<RankDecision> decisions = {};
  std::vector<std::string> remarks = {};  // uncertain results and omissions
};

/// Analyses a system with E and A of the same size; b, c, c_dot may be empty. Dense: n^3 per stage.
/// Margins and uncertainties are omitted above 150 finite modes. A gap below 1e3 in any rank
/// decision adds a remark.
PencilAnalysis analyze_pencil(const LinearSystem& system);

}  // namespace saltus
