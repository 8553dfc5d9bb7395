// Where, along an accepted step, switching functions leave the side they are locked on.
//
// Every function that is watched has a side, +1 or -1, and a slack >= 0: it departs where
// side * g < -slack. A zero that is touched without passing is no departure; a function that begins at
// zero and goes to the wrong side departs at once. What is found is true of the step's polynomial, not
// of the exact solution: docs/design/0009.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <saltus/system/switching.hpp>

namespace saltus {

struct DetectionOptions {
  /// For functions that cannot be enclosed: points per step at which they are looked at, 4 … 20.
  int samples_per_step = 8;
  /// False: signs at the ends of a step only, as a plain integrator would. For comparison.
  bool enclosures = true;
};

/// What was watched, with one entry per switching function.
struct WatchList {
  std::span<const std::int8_t> side;    // 0: not watched
  std::span<const double> slack;        // may be empty: none
  std::span<const double> uncertainty;  // error of g that the tolerances allow; may be empty: none
  double reach = 1.0;                   // extrema within so many uncertainties are told of
  std::span<const double> width =
      {};  // what of the slack is meant, not an error; may be empty: none
  /// Not 0: it left its surface along a tangent where the step begins. Until it first rises, being near the surface
  /// does not make it marginal. May be empty: none.
  std::span<const std::uint8_t> leaves = {};
};

/// A function that came near zero, or to zero, before any departure.
struct Approach {
  std::uint32_t which = 0;
  double s = 0.0;         // about where
  double distance = 0.0;  // what was left of side * g, or less; 0 where it cannot be told from none
  bool is_marginal = false;  // within its uncertainty
};

/// One function on its way to the wrong side, bracketed between positions of the step.
struct Departure {
  std::uint32_t which = 0;
  double s_before = 0.0;  // still on its side, or at zero; or the begin of the search
  double s_after = 0.0;   // on the wrong side
  double t_before =
      0.0;  // the same as times: at t_after g has the wrong sign as evaluate_one() gives
  double t_after = 0.0;  // it, which rounding a position to a time need not preserve
  Guarantee guarantee = Guarantee::proven;
};

/// Per switching function, over all steps searched; each step is proven, heuristic or marginal.
struct DetectionCounts {
  std::uint64_t n_steps = 0;   // watched on so many
  std::uint64_t n_proven = 0;  // certified that nothing was overlooked
  std::uint64_t n_heuristic = 0;
  std::uint64_t n_marginal = 0;
  std::uint64_t n_evaluations = 0;  // of g, in units of a plain one
};

class DepartureSearch {
 public:
  /// Null enclosure: samples only. Both outlive the search.
  DepartureSearch(SwitchingFunctions& functions, StepEnclosure* enclosure,
                  const DetectionOptions& options = {});
  ~DepartureSearch();

  /// The earliest departure after position s_from, and with it every other one whose bracket begins
  /// before the first one's ends; in order of (s_before, which). Empty: none up to the end of the step.
  /// Brackets of the first are not wider than 4 ulp of the time, unless a zero cannot be resolved
  /// better; those of exits end where g is a hundredth of its uncertainty. Valid until the next call.
  std::span<const Departure> first(const StepPolynomial& step, double s_from,
                                   const WatchList& watch);

  /// Of the last call of first(), in order of their numbers; of each function one, a marginal one if there is.
  std::span<const Approach> approaches() const;

  std::span<const DetectionCounts> counts() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace saltus
