// How many motions obey the laws of contacts.
#pragma once

#include <vector>

#include "coulomb.hpp"

namespace saltus::detail {

struct MotionsFound {
  /// Different ones; the first found first.
  std::vector<CoulombMotion> motions;
  /// There are no others.
  bool complete = false;
};
MotionsFound find_motions(const CoulombProblem& problem);

/// No friction, W symmetric and positive semidefinite: two solutions p, p' have (p - p') . W (p - p') <= 0, so
/// W p = W p'.
bool unique_by_symmetry(const CoulombProblem& problem);

/// All determinants of W with contacts open, sticking or slipping are positive. With x = p_N - a_N and
/// y = p_T - a_T of every contact p and a are piecewise linear and continuous in (x, y), and so is W p - a, with
/// these determinants. It then takes every value, and as often as any other value (a covering map); determinants
/// are affine in each mu, hence positive for smaller ones too, and without friction the value is taken once.
/// So there is one solution, whatever f is. False: nothing is known (or too many combinations).
bool unique_by_determinants(const CoulombProblem& problem);

}  // namespace saltus::detail
