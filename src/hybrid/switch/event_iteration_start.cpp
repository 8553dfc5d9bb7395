// At the start of a run or of a mode: the truth of all relations, and what already holds there.
#include <algorithm>
#include <cmath>

#include <saltus/core/text.hpp>

#include "hybrid/switch/event_iteration.hpp"

namespace saltus::detail {

Result<InstantResult> EventIteration::begin(double t, const StartValues& guess,
                                            const StartOfRelations& relations) {
  InstantResult result;
  is_crossed_.assign(board_.count(), 0);
  StartValues now = guess;
  std::vector<double> margin = relations.margin;
  margin.resize(board_.count(), 0.0);
  if (!board_.decide(t, now.x, now.xdot)) {
    // Relations of unknowns that are not known yet: they follow from the search.
  }
  std::vector<Snapshot> seen;
  for (int round = 0; round < max_micro_steps_; ++round) {
    ++result.n_searches;
    auto found = find_start_(t, now);
    if (!found) return found.failure();
    result.start = std::move(*found);
    InstantEntry entry{t,      result.start.x, result.start.xdot, {},
                       margin, false,          std::nullopt,      relations.impulse};
    std::vector<std::uint8_t> truth(board_.truths().begin(), board_.truths().end());
    if (auto settled = settle_truths(entry, result.start, true, truth); !settled)
      return settled.failure();
    if (std::equal(truth.begin(), truth.end(), board_.truths().begin())) {
      if (!relations.uncertainty.empty())
        doubt_guards(entry, relations.uncertainty, relations.margin.empty());
      return result;
    }
    Snapshot here;
    here.truth = truth;
    for (const Snapshot& earlier : seen) {
      if (!is_same(earlier, here)) continue;
      auto turning = cycle(here, entry, result);
      if (!turning) return turning.failure();
      result.undecided = std::move(*turning);
      return result;
    }
    seen.push_back(std::move(here));
    board_.set_truths(truth);
  }
  return Failure{FailureCode::not_converged,
                 "at t = " + to_text(t) +
                     " no choice of true and false for the relations fits the start values; other "
                     "start values or guesses may help"};
}

/// A mode that is entered on the surface of a guard that leads out of it, or of something it requires, is not
/// left at once unless the solution clearly goes there: the relation is watched from the other side. At the start of a
/// run, and at rest there, the condition is taken as it was written.
void EventIteration::doubt_guards(const InstantEntry& entry, std::span<const double> uncertainty,
                                  bool at_start_of_run) {
  if (board_.actions() == nullptr || !uses_rates_) return;
  const auto n_holding = [&] {
    return actions_.holding(ActionKind::transition, entry.x).size() +
           actions_.holding(ActionKind::requirement, entry.x).size();
  };
  std::size_t n = n_holding();
  for (std::uint32_t w = 0; w < board_.count() && n > 0; ++w) {
    if (!board_.functions().is_active(w) || board_.functions().is_timed(w)) continue;
    if (entry.has_impulse(w) || std::abs(g_[w]) > uncertainty[w]) continue;
    if (at_start_of_run && g_[w] == 0 && rate_[w] == 0) continue;
    const double further = board_.side(w) * rate_[w] * direction_;
    if (further * at_once_ > uncertainty[w]) continue;
    const auto branches = board_.equation_branches();
    const std::vector<std::uint8_t> before(branches.begin(), branches.end());
    board_.set_truth(w, !board_.truth(w));
    const auto now = board_.equation_branches();
    const std::size_t left = n_holding();
    if (left < n && std::equal(now.begin(), now.end(), before.begin(), before.end())) {
      n = left;
    } else {
      board_.set_truth(w, !board_.truth(w));
    }
  }
}

}  // namespace saltus::detail
