// What a model does that is seldom meant, or that a run could not look at closely: warnings.
#include <algorithm>
#include <cmath>

#include <saltus/core/text.hpp>

#include "hybrid/controller.hpp"

namespace saltus {

/// A clause that brings its own condition to rest on its surface: if the solution moves on beyond it nevertheless, that is
/// seldom meant. The clause is carried out once, and nothing holds the solution there.
void Run::Controller::note_stop(const detail::ModeRun& mode, const detail::EventPoint& point,
                                std::span<const detail::Crossing> crossings,
                                const detail::InstantResult& result) {
  const bool sets = std::any_of(result.set.begin(), result.set.end(), [](const auto& s) {
    return s.target.is_unknown && s.after != s.before;
  });
  if (!sets || result.fired.empty()) return;
  detail::SwitchBoard& board = mode.kit->board;
  std::vector<double> g(board.count()), rate(board.count()), rate_before(board.count());
  if (!board.functions().rates(point.t, point.x, point.xdot, g, rate_before) ||
      !board.functions().rates(point.t, result.start.x, result.start.xdot, g, rate))
    return;
  constexpr double at_rest = 1e-9;  // of the speed before
  for (const detail::Crossing& c : crossings) {
    if (c.which >= board.count()) continue;  // an exit
    const double before = rate_before[c.which];
    const bool goes_on = board.side(c.which) * before * (forward() ? 1.0 : -1.0) > 0;
    if (!goes_on || !(std::abs(rate[c.which]) <= at_rest * std::abs(before))) continue;
    const std::string& relation = board.info(c.which).name;
    std::vector<std::string> clauses;
    for (const auto& fired : result.fired)
      clauses.push_back(quote(board.actions()->info(fired.action).name));
    stop_ = {c.which, "at t = " + to_text(point.t) + " " + join(clauses, ", ") + " brings " +
                          quote(relation) + " to rest on its surface"};
  }
}

/// After a step: whether the solution has left the surface on which it was stopped.
void Run::Controller::look_after_stop() {
  if (!stop_ || !here_->kit || stop_->which >= here_->kit->board.count()) return;
  const detail::SwitchBoard& board = here_->kit->board;
  double g = 0.0;
  if (!here_->kit->board.functions().evaluate_one(stop_->which, t(), x(), xdot(), g)) return;
  constexpr double clearly = 10.0;
  const double error = here_->kit->locator.band_at(t(), x(), xdot(), stop_->which);
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

/// Where the tolerances do not tell what comes next.
void Run::Controller::tell_of_order(const detail::OrderWatch::Found& order,
                                    const detail::InstantResult& result,
                                    std::span<detail::Crossing> crossings) {
  if (result.fired.empty() && result.leaving.empty()) return;
  for (const std::string& warning : order.warnings) ledger_.warn(warning);
  for (detail::Crossing& c : crossings)
    if (order.is_open) c.guarantee = Guarantee::marginal;
}

/// A clause of the first or the last instant, in a mode in which it cannot be carried out.
void Run::Controller::warn_of_left_out(double t_here, std::uint32_t action) {
  const ActionInfo& info = here_->kit->board.actions()->info(action);
  ledger_.warn("at t = " + to_text(t_here) + " when-clause " + quote(info.name) +
               " was not carried out in mode " + quote(here_->name) + ": " + info.lacks);
}

/// What equations between both limits find out about a mode has no effect if that mode lasts no time.
void Run::Controller::warn_of_dropped_equations(double t_here, const detail::ModeChange& change) {
  for (auto d = change.dropped.rbegin(); d != change.dropped.rend(); ++d) {
    ledger_.warn_once(
        "equations of " + d->transition + " into " + d->mode,
        "at t = " + to_text(t_here) + " transition " + quote(d->transition) + " led into mode " +
            quote(d->mode) + ", which was left at once: " +
            (d->equations.size() == 1 ? "its equation " : "its equations ") +
            join(d->equations, ", ") + " had no effect, and mode " + quote(change.to->name) +
            " starts from the values before; to keep their effect, write them as a map");
  }
}

}  // namespace saltus
