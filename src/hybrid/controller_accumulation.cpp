// How a run goes on where a series of events comes to its end.
#include <algorithm>
#include <cmath>

#include <saltus/core/text.hpp>

#include "hybrid/controller.hpp"

namespace saltus {

/// A clause that leaves nothing of the motion to its surface (a plastic impact): that is the limit of events already, if
/// the motion would go on beyond and the model, or an option, says what comes at the limit.
bool Run::Controller::rest_where_stopped() {
  constexpr double ahead = 1e-3;  // of a step
  detail::SwitchBoard& board = here_->kit->board;
  const auto& stop = stop_watch_.stop();
  if (!stop || !series_.action_at_end(stop->which)) return false;
  const double dt = ahead * here_->natural_step * (forward() ? 1.0 : -1.0);
  StartValues next{{x().begin(), x().end()},
                   {xdot().begin(), xdot().end()},
                   std::vector<std::uint8_t>(x().size(), 0)};
  for (std::size_t i = 0; i < next.x.size(); ++i) next.x[i] += dt * next.xdot[i];
  const auto found = find_start(t() + dt, next);
  ++ledger_.event_work().n_evaluations_iterate;
  std::vector<double> g(board.count()), rate(board.count());
  if (!found || !board.functions().rates(t() + dt, found->x, found->xdot, g, rate)) return false;
  if (!(board.side(stop->which) * rate[stop->which] * dt > 0)) return false;
  continue_at_limit({stop->which, t(), std::string(stop->text), false});
  return true;
}

/// After an event: whether its series has come to an end.
void Run::Controller::look_for_end(double t_here, std::span<const detail::Crossing> crossings) {
  const auto found = series_.look(t_here, crossings);
  if (const auto* ending = std::get_if<detail::Ending>(&found)) end(*ending);
  if (const auto* limit = std::get_if<detail::SeriesEnd>(&found)) continue_at_limit(*limit);
}

void Run::Controller::continue_at_limit(const detail::SeriesEnd& series) {
  const auto& [which, t_limit, text, is_predicted] = series;
  const std::string who = here_->kit->board.info(which).name;
  const std::optional<std::uint32_t> action = series_.action_at_end(which);
  // Nothing else may happen before the limit.
  const auto other = here_->kit->locator.next_meeting(t(), x(), xdot(), forward(),
                                                      series_.ending_with(which, t_limit));
  const double rest = std::abs(t_limit - t());
  const bool is_free = forward() ? t_limit < here_.stretch_end() : t_limit > here_.stretch_end();
  if (!is_free) return;
  if (const auto partner = series_.corner_partner(which, t_limit)) {
    continue_at_corner(which, *partner, t_limit);
    return;
  }
  if (other && other->duration <= rest) return;
  here_->accumulation_of(which).forget(which);
  const std::string name = "accumulation of '" + who + "'";
  if (!action) {
    ledger_.note({name, "", to_text(t_limit), "the run ends"});
    end({Outcome::accumulation,
         text +
             "; to go on from there write a transition that is taken at this accumulation, or name "
             "an action in events.accumulation"});
    return;
  }
  // All of them are choices; one warning of each relation is enough.
  const auto is_it = [&](const DecisionRecord& choice) { return choice.name == name; };
  if (is_predicted && std::ranges::none_of(ledger_.choices(), is_it)) ledger_.warn(text);
  ledger_.note({name, "", to_text(t_limit),
                "continued with '" + here_->kit->board.actions()->info(*action).name +
                    "'; from t = " + to_text(t()) + " to there the solution goes straight on; " +
                    text});
  // What is left of the motion that accumulates is set by the action; the rest follows its tangent.
  detail::EventPoint point;
  point.t = t_limit;
  point.x.assign(x().begin(), x().end());
  point.xdot.assign(xdot().begin(), xdot().end());
  std::vector<double> line = point.x;
  for (std::size_t i = 0; i < point.x.size(); ++i) {
    const double change = (t_limit - t()) * point.xdot[i];
    line.push_back(change);
    point.x[i] += change;
  }
  const StepPolynomial straight{t(), t_limit, 1, static_cast<std::uint32_t>(point.x.size()), line};
  series_.warn_of_bends(which, point);
  motion_.cut();
  follower_.breaks(t(), "events accumulate");
  auto passed = recording_.add_piece(straight, t_limit, point.x, point.xdot);
  if (passed) passed = pass_instant(point, {}, false, action);
  if (!passed) end(detail::ended_by(passed.failure()));
}

}  // namespace saltus
