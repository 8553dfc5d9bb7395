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

  /// Relations that cross on the engine's last step and interrupt the solution; none if nothing does. Relations that
  /// change nothing that is integrated are passed on the way.
  std::vector<Departure> next_interruption();
  Crossing crossing_of(const Departure& departure, double time_width) const;

 private:
  /// Crossings that follow soon enough to be handled together: at the last of them, for their state must
  /// have passed all surfaces.
  void widen(const StepPolynomial& step, std::vector<Departure>& group);
  /// Handling a crossing late by dt changes the state by |f_plus - f_minus| dt: a tenth of the tolerance
  /// at most.
  double concurrency_bound(const StepPolynomial& step, std::span<const Departure> group);
  /// Whether the step goes on as it is. If so, the relations have got their new truth.
  bool only_flips(std::span<const Departure> group, double t_here);

  const Stay& here_;
  Recording& recording_;
  Excursions& excursions_;
  const RunOptions& options_;
  Ledger& ledger_;
  RunFollower* follower_;
  std::vector<double> x_, xdot_;  // at the point of a step that was looked at last
};

}  // namespace saltus::detail
