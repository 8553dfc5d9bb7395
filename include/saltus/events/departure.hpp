// Finds where, along an accepted step, switching functions leave the side they are locked on.
//
// Every watched function has a side, +1 or -1, and a slack >= 0. It departs where
// side * g < -slack. A zero that is touched without crossing is not a departure. A function that
// begins at zero and goes to the wrong side departs at once. Results hold for the polynomial of the
// step, not for the exact solution: docs/design/0009.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <saltus/system/switching.hpp>

namespace saltus {

struct DetectionOptions {
  /// Samples per step, from 4 to 20, for functions without enclosures.
  int samples_per_step = 8;
  /// If false, only signs at the ends of a step are compared, as by a plain integrator. For
  /// comparison.
  bool enclosures = true;
};

/// The watched functions, with one entry per switching function.
struct WatchList {
  std::span<const std::int8_t> side;    // 0: not watched
  std::span<const double> slack;        // empty: none
  std::span<const double> uncertainty;  // error of g allowed by the tolerances; empty: none
  double reach = 1.0;                   // extrema within this many uncertainties are reported
  /// The part of the slack that is intended, not an error. Empty: none.
  std::span<const double> width = {};
  /// Not 0: the function left its surface along a tangent at the begin of the step. Until it first
  /// rises, being near the surface does not make it marginal. Empty: none.
  std::span<const std::uint8_t> leaves = {};
};

/// A function that came close to zero, or to zero, before any departure.
struct Approach {
  std::uint32_t which = 0;
  double s = 0.0;  // approximate position
  /// A lower bound for side * g; 0 if it cannot be distinguished from zero.
  double distance = 0.0;
  bool is_marginal = false;  // within its uncertainty
};

/// A function on its way to the wrong side, bracketed between positions of the step.
struct Departure {
  std::uint32_t which = 0;
  double s_before = 0.0;  // still on its side, or at zero; or the begin of the search
  double s_after = 0.0;   // on the wrong side
  /// The same positions as times. At t_after, g has the wrong sign as computed by evaluate_one();
  /// rounding a position to a time need not preserve the sign.
  double t_before = 0.0;
  double t_after = 0.0;
  Guarantee guarantee = Guarantee::proven;
};

/// Counts per switching function, over all steps searched. Each step is proven, heuristic or
/// marginal.
struct DetectionCounts {
  std::uint64_t n_steps = 0;   // steps on which it was watched
  std::uint64_t n_proven = 0;  // steps certified to have no missed crossing
  std::uint64_t n_heuristic = 0;
  std::uint64_t n_marginal = 0;
  std::uint64_t n_evaluations = 0;  // of g, in units of one plain evaluation
};

class DepartureSearch {
 public:
  /// A null enclosure means samples only. Both must outlive the search.
  DepartureSearch(SwitchingFunctions& functions, StepEnclosure* enclosure,
                  const DetectionOptions& options = {});
  ~DepartureSearch();

  /// Returns the earliest departure after position s_from, and every other one whose bracket begins
  /// before the first one's ends, in order of (s_before, which). Empty: none up to the end of the
  /// step. Brackets of the first are at most 4 ulp of the time wide, unless a zero cannot be
  /// resolved better. Brackets of exits end where g is a hundredth of its uncertainty. Valid until
  /// the next call.
  std::span<const Departure> first(const StepPolynomial& step, double s_from,
                                   const WatchList& watch);

  /// Returns the approaches of the last call of first(), in order of their numbers: one per
  /// function, a marginal one if there is one.
  std::span<const Approach> approaches() const;

  std::span<const DetectionCounts> counts() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace saltus
