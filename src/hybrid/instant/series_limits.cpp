#include "hybrid/instant/series_limits.hpp"

#include <algorithm>
#include <cmath>

#include <saltus/core/text.hpp>

#include "hybrid/stay/follower_port.hpp"

namespace saltus::detail {

Verdict SeriesLimits::look(const GoOn::Series& after) {
  if (const auto rest = rest_where_stopped()) return continue_at(*rest);
  auto found = series_.look(after.t, after.crossings);
  if (auto* ending = std::get_if<Ending>(&found)) return std::move(*ending);
  if (const auto* limit = std::get_if<SeriesEnd>(&found)) return continue_at(*limit);
  return GoOn{};
}

/// A clause that leaves nothing of the motion to its surface (a plastic impact): that is the limit of events already, if
/// the motion would go on beyond and the model, or an option, says what comes at the limit.
std::optional<SeriesEnd> SeriesLimits::rest_where_stopped() {
  constexpr double ahead = 1e-3;  // of a step
  SwitchBoard& board = here_->kit->board;
  const auto& stop = stop_watch_.stop();
  if (!stop || !series_.action_at_end(stop->which)) return std::nullopt;
  const double t = here_.t();
  const auto x = here_.x(), xdot = here_.xdot();
  const double dt = ahead * here_->natural_step * (here_.forward() ? 1.0 : -1.0);
  StartValues next{
      {x.begin(), x.end()}, {xdot.begin(), xdot.end()}, std::vector<std::uint8_t>(x.size(), 0)};
  for (std::size_t i = 0; i < next.x.size(); ++i) next.x[i] += dt * next.xdot[i];
  const auto found = here_->find_start_on_side(t + dt, next);
  ++ledger_.event_work().n_evaluations_iterate;
  std::vector<double> g(board.count()), rate(board.count());
  if (!found || !board.functions().rates(t + dt, found->x, found->xdot, g, rate))
    return std::nullopt;
  if (!(board.side(stop->which) * rate[stop->which] * dt > 0)) return std::nullopt;
  return SeriesEnd{stop->which, t, stop->text, false};
}

Verdict SeriesLimits::continue_at(const SeriesEnd& series) {
  const auto& [which, t_limit, text, is_predicted] = series;
  const std::optional<std::uint32_t> action = series_.action_at_end(which);
  // Nothing else may happen before the limit.
  const auto other = here_->kit->locator.next_meeting(
      here_.t(), here_.x(), here_.xdot(), here_.forward(), series_.ending_with(which, t_limit));
  const double rest = std::abs(t_limit - here_.t());
  const bool is_free =
      here_.forward() ? t_limit < here_.stretch_end() : t_limit > here_.stretch_end();
  if (!is_free) return GoOn{};
  if (const auto partner = series_.corner_partner(which, t_limit))
    return continue_at_corner(which, *partner, t_limit);
  if (other && other->duration <= rest) return GoOn{};
  here_->accumulation_of(which).forget(which);
  if (action) return continue_with(*action, series);
  ledger_.note({"accumulation of '" + here_->kit->board.info(which).name + "'", "",
                to_text(t_limit), "the run ends"});
  return Ending{Outcome::accumulation,
                text +
                    "; to go on from there write a transition that is taken at this accumulation, "
                    "or name an action in events.accumulation"};
}

/// What is left of the motion that accumulates is set by the action; the rest follows its tangent.
Verdict SeriesLimits::continue_with(std::uint32_t action, const SeriesEnd& series) {
  const auto& [which, t_limit, text, is_predicted] = series;
  const std::string name = "accumulation of '" + here_->kit->board.info(which).name + "'";
  // All of them are choices; one warning of each relation is enough.
  const auto is_it = [&](const DecisionRecord& choice) { return choice.name == name; };
  if (is_predicted && std::ranges::none_of(ledger_.choices(), is_it)) ledger_.warn(text);
  ledger_.note({name, "", to_text(t_limit),
                "continued with '" + here_->kit->board.actions()->info(action).name +
                    "'; from t = " + to_text(here_.t()) +
                    " to there the solution goes straight on; " + text});
  EventPoint limit = here_.point();
  limit.t = t_limit;
  std::vector<double> change;
  for (std::size_t i = 0; i < limit.x.size(); ++i) {
    change.push_back((t_limit - here_.t()) * limit.xdot[i]);
    limit.x[i] += change.back();
  }
  series_.warn_of_bends(which, limit);
  if (auto gone = go_straight_to(limit, change); !gone) return gone.failure();
  return InstantRequest{.point = std::move(limit), .action = action};
}

/// Where two surfaces are crossed in turn, ever faster, the solution comes to their corner, and how it goes on
/// from there is decided there.
Verdict SeriesLimits::continue_at_corner(std::uint32_t first, std::uint32_t second,
                                         double t_limit) {
  const SwitchBoard& board = here_->kit->board;
  // Crossings that can be told apart are not left out.
  constexpr double many = 1000;  // tolerances
  for (std::size_t i = 0; i < here_.x().size(); ++i) {
    const double tolerance =
        here_->engine_options.rtol * std::abs(here_.x()[i]) + here_->engine_options.atol[i];
    if (std::abs(here_.xdot()[i] * (t_limit - here_.t())) > many * tolerance) return GoOn{};
  }
  SurfaceInstant instant;
  std::vector<Surface> surfaces;
  for (const std::uint32_t w : {first, second}) {
    surfaces.push_back({{w}, {1}});
    instant.met.push_back(w);
  }
  instant.mode = &*here_;
  instant.point = here_.point();
  instant.point.t = t_limit;
  if (!project_on_surfaces(*here_->system, *here_->workspace, surfaces, t_limit, instant.point.x,
                           instant.point.xdot))
    return GoOn{};
  instant.settled = instant.point;
  instant.result.start.x = instant.point.x;
  instant.result.start.xdot = instant.point.xdot;
  ledger_.note(
      {"accumulation of '" + board.info(first).name + "' and '" + board.info(second).name + "'", "",
       to_text(t_limit),
       "decided at their corner; from t = " + to_text(here_.t()) + " to there straight on"});
  std::vector<double> change;
  for (std::size_t i = 0; i < here_.x().size(); ++i)
    change.push_back(instant.point.x[i] - here_.x()[i]);
  if (auto gone = go_straight_to(instant.point, change); !gone) return gone.failure();
  if (auto noted = left_.note(instant.point); !noted) return noted.failure();
  return instant;
}

Result<void> SeriesLimits::go_straight_to(const EventPoint& limit, std::span<const double> change) {
  std::vector<double> line(here_.x().begin(), here_.x().end());
  line.insert(line.end(), change.begin(), change.end());
  const StepPolynomial straight{here_.t(), limit.t, 1, static_cast<std::uint32_t>(limit.x.size()),
                                line};
  motion_.cut();
  frame_.follower.breaks(here_.t(), "events accumulate");
  return frame_.recording.add_piece(straight, limit.t, limit.x, limit.xdot);
}

}  // namespace saltus::detail
