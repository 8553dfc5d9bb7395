#include "hybrid/instant/stop_watch.hpp"

#include <algorithm>
#include <cmath>

#include <saltus/core/text.hpp>

namespace saltus::detail {

void StopWatch::note(const ModeRun& mode, const EventPoint& point,
                     std::span<const Crossing> crossings, const InstantResult& result) {
  const bool sets = std::any_of(result.set.begin(), result.set.end(), [](const auto& s) {
    return s.target.is_unknown && s.after != s.before;
  });
  if (!sets || result.fired.empty()) return;
  SwitchBoard& board = mode.kit->board;
  std::vector<double> g(board.count()), rate(board.count()), rate_before(board.count());
  if (!board.functions().rates(point.t, point.x, point.xdot, g, rate_before) ||
      !board.functions().rates(point.t, result.start.x, result.start.xdot, g, rate))
    return;
  constexpr double at_rest = 1e-9;  // of the speed before
  for (const Crossing& c : crossings) {
    if (c.which >= board.count()) continue;  // an exit
    const double before = rate_before[c.which];
    const bool goes_on = board.side(c.which) * before * (here_.forward() ? 1.0 : -1.0) > 0;
    if (!goes_on || !(std::abs(rate[c.which]) <= at_rest * std::abs(before))) continue;
    const std::string& relation = board.info(c.which).name;
    std::vector<std::string> clauses;
    for (const auto& fired : result.fired)
      clauses.push_back(quote(board.actions()->info(fired.action).name));
    stop_ = {c.which, "at t = " + to_text(point.t) + " " + join(clauses, ", ") + " brings " +
                          quote(relation) + " to rest on its surface"};
  }
}

void StopWatch::look() {
  if (!stop_ || !here_->kit || stop_->which >= here_->kit->board.count()) return;
  const SwitchBoard& board = here_->kit->board;
  double g = 0.0;
  if (!here_->kit->board.functions().evaluate_one(stop_->which, here_.t(), here_.x(), here_.xdot(),
                                                  g))
    return;
  constexpr double clearly = 10.0;
  const double error =
      here_->kit->locator.band_at(here_.t(), here_.x(), here_.xdot(), stop_->which);
  if (!(board.side(stop_->which) * g > clearly * error)) return;
  const std::string& relation = board.info(stop_->which).name;
  ledger_.warn_once(
      "stop at " + relation,
      stop_->text +
          ", but the solution moves on beyond it: a clause is carried out once and does not hold "
          "the "
          "solution. To hold it there, write a contact (unilateral) or a mode of its own");
  stop_.reset();
}

}  // namespace saltus::detail
