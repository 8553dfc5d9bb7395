// Steps of which it cannot be told whether they met a surface, and excursions too small to be told from none.
//
// A search sees the polynomial of a step. Between the ends of the step that may be off by more than the
// tolerance: the polynomials p of most engines have a lower order than their steps. What is left of it,
//
//   x(s) - p(s) = integral of f(p) - p' from the nearer end of the step to s, to first order,          (M.1)
//
// is found where a function comes near its surface, by a formula of Gauss with three points.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <saltus/events/departure.hpp>
#include <saltus/hybrid/follower.hpp>

#include "hybrid/books/ledger.hpp"
#include "hybrid/stay/stay.hpp"

namespace saltus::detail {

class Excursions {
 public:
  /// All outlive it. No follower: nobody is told.
  Excursions(const Stay& here, const RunOptions& options, Ledger& ledger, RunFollower* follower)
      : here_(here), options_(options), ledger_(ledger), follower_(follower) {}

  /// A function that leaves its side by less than its own error, and is back at the end of the step, or stays
  /// within that error for steps and changes nothing, cannot be told from one that does not. True if there were
  /// such ones, which are not searched for again along this step.
  bool pardon(const StepPolynomial& step, double s_from, std::span<Departure> group);
  /// After a search along a step.
  void note_approaches(const StepPolynomial& step);
  /// What is left of a function where it is nearest, with (M.1); none if the equations cannot be evaluated.
  std::optional<double> distance_beside(const StepPolynomial& step, const Approach& approach);
  /// Whether a function that has just crossed would, going on as it is, come back without having been further beyond
  /// its surface than it may be off: v^2 / (2 a) for a speed v there that falls by a. Steps before this one have left
  /// errors of their own, which nobody knows: some times that of one step.
  bool is_flat(const EventPoint& point, std::uint32_t which);
  /// Relations that crossed and are what they were. One that still goes for its surface, and will be beyond it soon, was
  /// only found a little early: polynomials of unknowns that follow from others are off by more than these.
  void mark_touches(std::span<const Crossing> crossings, double t_here);

 private:
  bool switching_matters(std::uint32_t w, double t_there, double duration);
  bool rests_in_band(const StepPolynomial& step, std::uint32_t which, double error);
  void note_marginal(std::uint32_t which, MarginalMark mark);

  const Stay& here_;
  const RunOptions& options_;
  Ledger& ledger_;
  RunFollower* follower_;
  std::vector<double> x_, xdot_;  // at the point of a step that was looked at last
};

}  // namespace saltus::detail
