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
  if (std::ranges::find(warned_of_stops_, relation) != warned_of_stops_.end()) {
    stop_.reset();
    return;
  }
  warned_of_stops_.push_back(relation);
  warn(stop_->text +
       ", but the solution moves on beyond it: a clause is carried out once and does not hold the "
       "solution. To hold it there, write a contact (unilateral) or a mode of its own");
  stop_.reset();
}

/// Where the tolerances do not tell what comes next.
void Run::Controller::tell_of_order(const detail::OrderWatch::Found& order,
                                    const detail::InstantResult& result,
                                    std::span<detail::Crossing> crossings) {
  if (result.fired.empty() && result.leaving.empty()) return;
  for (const std::string& warning : order.warnings) warn(warning);
  for (detail::Crossing& c : crossings)
    if (order.is_open) c.guarantee = Guarantee::marginal;
}

/// A clause of the first or the last instant, in a mode in which it cannot be carried out.
void Run::Controller::warn_of_left_out(double t_here, std::uint32_t action) {
  const ActionInfo& info = here_->kit->board.actions()->info(action);
  warn("at t = " + to_text(t_here) + " when-clause " + quote(info.name) +
       " was not carried out in mode " + quote(here_->name) + ": " + info.lacks);
}

/// Clauses that modes in which the solution was do not have. Often that is meant: what rests does not bounce.
void Run::Controller::report_left_out() {
  for (const auto& mode : modes_.all()) {
    const EventActions* actions = mode->kit ? mode->kit->board.actions() : nullptr;
    for (std::uint32_t a = 0; actions != nullptr && a < actions->count(); ++a) {
      const ActionInfo& info = actions->info(a);
      if (info.lacks.empty() || mode->visit.n_stays == 0) continue;
      report_.choices.push_back(
          {"when-clause " + quote(info.name) + " in mode " + quote(mode->name), "", "left out",
           info.lacks});
    }
  }
}

/// What equations between both limits find out about a mode has no effect if that mode lasts no time.
void Run::Controller::warn_of_dropped_equations(double t_here, const detail::ModeChange& change) {
  for (auto d = change.dropped.rbegin(); d != change.dropped.rend(); ++d) {
    if (!said_once_.insert("equations of " + d->transition + " into " + d->mode).second) continue;
    warn("at t = " + to_text(t_here) + " transition " + quote(d->transition) + " led into mode " +
         quote(d->mode) + ", which was left at once: " +
         (d->equations.size() == 1 ? "its equation " : "its equations ") +
         join(d->equations, ", ") + " had no effect, and mode " + quote(change.to->name) +
         " starts from the values before; to keep their effect, write them as a map");
  }
}

/// Relations of which nothing but samples could be had.
void Run::Controller::report_sampled() {
  if (!options_.events.prove || options_.events.handling == EventHandling::off) return;
  const auto is_sampled = [](const auto& counts) { return counts.n_heuristic > 0; };
  bool some = std::ranges::any_of(past_switches_, is_sampled);
  for (const auto& mode : modes_.all())
    some = some || (mode->kit && std::ranges::any_of(mode->kit->search.counts(), is_sampled));
  if (!some) return;  // names of many relations are not copied for nothing
  std::vector<SwitchWork> switches = past_switches_;
  for (const auto& mode : modes_.all())
    if (mode->kit) add_switches(*mode, switches);
  std::vector<std::string> names;
  std::size_t n = 0;
  for (const SwitchWork& s : switches) {
    if (s.n_heuristic == 0 || s.n_proven > 0) continue;
    constexpr std::size_t most = 3;
    if (n++ < most) names.push_back(quote(s.name));
  }
  if (n == 0) return;
  if (n > names.size()) names.push_back("and " + std::to_string(n - names.size()) + " more");
  warn(join(names, ", ") + (n == 1 ? " was" : " were") +
       " checked by samples only (your own code cannot be enclosed), so events between two "
       "samples may have been missed: write the relation as an expression, or take more samples "
       "(events.samples_per_step) or shorter steps (max_step)");
}

}  // namespace saltus
