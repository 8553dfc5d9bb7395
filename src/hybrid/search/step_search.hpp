// The events along an accepted step, in order.
#pragma once

#include <span>
#include <vector>

#include <saltus/events/departure.hpp>
#include <saltus/hybrid/follower.hpp>

#include "hybrid/books/ledger.hpp"
#include "hybrid/search/excursions.hpp"
#include "hybrid/stay/recording.hpp"
#include "hybrid/stay/stay.hpp"

namespace saltus::detail {

class StepSearch {
 public:
  /// All outlive it. No follower: nobody is told.
  StepSearch(const Stay& here, Recording& recording, Excursions& excursions,
             const RunOptions& options, Ledger& ledger, RunFollower* follower)
      : here_(here),
        recording_(recording),
        excursions_(excursions),
        options_(options),
        ledger_(ledger),
        follower_(follower) {}

  /// The engine has made a step.
  void begin();
  /// Relations that cross next on it; none if no more do. They have not been passed.
  std::vector<Departure> next();
  /// Passes them if the step goes on as it is, for they change nothing that is integrated. False: they interrupt it.
  bool pass(std::span<const Departure> group);
  Crossing crossing_of(const Departure& departure, double time_width) const;

 private:
  /// Crossings that follow soon enough to be handled together: at the last of them, for their state must
  /// have passed all surfaces.
  void widen(const StepPolynomial& step, std::vector<Departure>& group);
  /// Handling a crossing late by dt changes the state by |f_plus - f_minus| dt: a tenth of the tolerance
  /// at most.
  double concurrency_bound(const StepPolynomial& step, std::span<const Departure> group);
  /// Gives them their new truth, if that interrupts nothing.
  bool turn(std::span<const Departure> group, double t_here);

  const Stay& here_;
  Recording& recording_;
  Excursions& excursions_;
  const RunOptions& options_;
  Ledger& ledger_;
  RunFollower* follower_;
  double s_from_ = 0.0;           // so far the step has been searched
  std::vector<double> x_, xdot_;  // at the point of a step that was looked at last
};

}  // namespace saltus::detail
