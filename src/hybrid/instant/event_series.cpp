#include "hybrid/instant/event_series.hpp"

#include <algorithm>
#include <cmath>

#include <saltus/core/text.hpp>

#include "hybrid/core/few_digits.hpp"
#include "hybrid/core/named_options.hpp"

namespace saltus::detail {

void EventSeries::measure(const EventPoint& point, std::span<Crossing> crossings) {
  // Steps are looked at more closely up to here.
  constexpr double near = 100.0;
  SwitchBoard& board = here_->kit->board;
  EventLocator& locator = here_->kit->locator;
  for (Crossing& c : crossings) {
    if (board.functions().is_timed(c.which)) continue;
    const auto interval = here_->accumulation_of(c.which).interval_to(c.which, point.t);
    if (!interval) continue;
    const double error = locator.uncertainty_at(point.t, point.x, point.xdot, c.which);
    const double distance = locator.placement_of(c.which);
    const double rate = locator.rate_of(c.which);
    // A parabola that comes back to zero with this rate has its top there; what the last piece shows may be more.
    c.excursion = std::max(std::abs(rate) * *interval / 4, excursion_of_piece(point, c.which));
    c.time_error = rate != 0 ? distance / std::abs(rate) : 0.0;
    c.error = error;
    c.distance = distance;
    // The short steps of a multistep engine after an event lose height at each hop. Errors of other engines have both signs.
    c.lost = traits_of(here_->engine->kind()).is_multistep ? error : 0.0;
    c.resolution = c.excursion < near * error ? resolution_of(point, c.which) : distance;
    c.is_close = here_->accumulation_of(c.which).note_close(c.which, c.excursion, error, distance);
    if (c.is_close) c.guarantee = Guarantee::marginal;
  }
}

double EventSeries::excursion_of_piece(const EventPoint& point, std::uint32_t which) {
  const StepPolynomial* piece = recording_.piece_that_leads_to(point.t);
  if (piece == nullptr) return 0.0;
  SwitchingFunctions& functions = here_->kit->board.functions();
  const double t_middle = 0.5 * (piece->t_left + piece->t_right);
  x_.resize(piece->n);
  xdot_.resize(piece->n);
  piece->state_at(t_middle, x_);
  piece->derivative_at(t_middle, xdot_);
  double middle = 0.0, end = 0.0;
  if (!functions.evaluate_one(which, t_middle, x_, xdot_, middle)) return 0.0;
  if (!functions.evaluate_one(which, point.t, point.x, point.xdot, end)) return 0.0;
  return std::abs(middle - end);
}

double EventSeries::resolution_of(const EventPoint& point, std::uint32_t which) {
  constexpr double of_distance = 4.0, of_step = 8.0, before_middle = 0.45;
  const double error = here_->kit->locator.uncertainties()[which];
  const double distance = here_->kit->locator.placement_of(which);
  // Its short steps after an event are of low order, and their errors as large as the tolerances allow.
  if (traits_of(here_->engine->kind()).is_multistep) return std::max(error, of_distance * distance);
  double off = 0.0;
  if (const StepPolynomial* piece = recording_.piece_that_leads_to(point.t)) {
    const double t_there = piece->t_left + before_middle * (piece->t_right - piece->t_left);
    const auto better = excursions_.distance_beside(*piece, {which, before_middle, 0.0, false});
    piece->state_at(t_there, x_);
    piece->derivative_at(t_there, xdot_);
    SwitchBoard& board = here_->kit->board;
    double g = 0.0;
    const bool known = better && board.functions().evaluate_one(which, t_there, x_, xdot_, g);
    off = known ? std::abs(*better - board.side(which) * g - board.slack(which)) : error;
  }
  return std::max(of_distance * distance, of_step * off);
}

EventSeries::Found EventSeries::look(double t_here, std::span<const Crossing> crossings) {
  using Kind = AccumulationWatch::Kind;
  for (const Crossing& c : crossings) {
    if (here_->kit->board.functions().is_timed(c.which)) continue;
    const auto verdict = here_->accumulation_of(c.which).note(
        c.which, {t_here, c.excursion, c.resolution, c.distance, c.error, c.time_error, c.lost,
                  is_turned_back(here_->kit->board, c, here_->forward())});
    const SwitchInfo& info = here_->kit->board.info(c.which);
    // Switched on purpose where both sides lead back: no further than can be told from standing still.
    constexpr std::uint64_t many = 100;
    const bool is_lost = surface_policy_of(options_.events, info.name) == SurfacePolicy::cross &&
                         verdict.below_error && verdict.n_events >= many;
    if (verdict.kind == Kind::chatters || is_lost) {
      return Ending{
          Outcome::failed,
          "at t = " + to_text(t_here) + " '" + info.name + "' switches again and again within " +
              (is_lost ? "the error of its function (" : "a few digits of the time (") +
              to_text(static_cast<std::int64_t>(verdict.n_events)) +
              " events so far): it chatters; check the equations on its two sides, or give it a "
              "hysteresis or a dwell time (events.hysteresis, events.dwell)",
          FailureCode::not_certified};
    }
    if (verdict.kind == Kind::none) continue;
    // What sets nothing can be followed on, if not told apart.
    if (verdict.kind == Kind::lost && !info.sets_unknowns && !verdict.is_stuck) continue;
    const double t_limit =
        verdict.kind == Kind::accumulates ? verdict.prediction.t_limit : here_.t();
    if (here_->forward() ? t_limit >= options_.t_end : t_limit <= options_.t_end) continue;
    if (belongs_to_other(c.which)) continue;
    return SeriesEnd{c.which, t_limit, words_of(info.name, verdict, c)};
  }
  return {};
}

Ending EventSeries::ending_of(const ModeRun& before, const Failure& failure,
                              std::span<const Crossing> crossings) {
  using Kind = AccumulationWatch::Kind;
  for (const Crossing& c : crossings) {
    if (!before.kit || c.which >= before.kit->board.count() || !c.is_close) continue;
    const AccumulationWatch& watch = before.accumulation_of(c.which);
    const auto& prediction = watch.prediction_of(c.which);
    const std::string& who = before.kit->board.info(c.which).name;
    const AccumulationWatch::Verdict verdict{
        .kind = prediction ? Kind::accumulates : Kind::lost,
        .prediction = prediction.value_or(AccumulationWatch::Prediction{}),
        .n_events = watch.n_events(c.which) + 1,
        .resolution = c.resolution};
    ledger_.note({"accumulation of '" + who + "'", "",
                  to_text(prediction ? prediction->t_limit : here_.t()), "the run ends"});
    return {Outcome::accumulation,
            words_of(who, verdict, c) + ". The run cannot go on from there: " + failure.message};
  }
  return ended_by(failure);
}

std::string EventSeries::words_of(const std::string& relation,
                                  const AccumulationWatch::Verdict& verdict,
                                  const Crossing& last) const {
  const std::string who = "events of '" + relation + "' ";
  const std::string followed =
      to_text(static_cast<std::int64_t>(verdict.n_events)) +
      " events were followed, until t = " + to_text(here_.t()) +
      "; before the last one the function went " + few_digits(last.excursion) +
      " from its surface, and distances below " + few_digits(verdict.resolution) +
      " count as zero (its tolerance is " + few_digits(last.error) + ")";
  if (verdict.kind != AccumulationWatch::Kind::accumulates)
    return who + "come too close together to be told apart, from t = " + to_text(here_.t()) +
           " on. It is not known whether they come to an end: " + followed;
  const auto& p = verdict.prediction;
  const double left = (p.t_limit - here_.t()) * (here_->forward() ? 1.0 : -1.0);
  return who + "accumulate at t = " + to_text(p.t_limit) +
         ". This is a prediction: " + to_text(static_cast<std::int64_t>(p.n_intervals)) +
         " intervals fell by a ratio of " + few_digits(p.ratio) +
         " each, and its error is at most about " + few_digits(p.error) + " s. " + followed +
         (left > 0 ? "; " + few_digits(left) + " s are left" : "");
}

std::optional<std::uint32_t> EventSeries::action_at_end(std::uint32_t which) const {
  const std::string& who = here_->kit->board.info(which).name;
  const EventActions* actions = here_->kit->board.actions();
  if (actions == nullptr) return std::nullopt;
  const auto& wanted = options_.events.accumulation;
  const auto named = std::find_if(wanted.begin(), wanted.end(),
                                  [&](const Named<std::string>& n) { return n.name == who; });
  for (std::uint32_t a = 0; a < actions->count(); ++a) {
    const ActionInfo& info = actions->info(a);
    if (!info.lacks.empty()) continue;
    const auto& at = info.at_accumulation_of;
    if (named != wanted.end() ? info.name == named->value
                              : std::find(at.begin(), at.end(), who) != at.end())
      return a;
  }
  return std::nullopt;
}

std::optional<std::uint32_t> EventSeries::corner_partner(std::uint32_t which, double t_limit) {
  SwitchBoard& board = here_->kit->board;
  std::optional<std::uint32_t> partner;
  double nearest = 0.0;
  for (std::uint32_t w = 0; w < board.count(); ++w) {
    if (w == which || !ends_about(w, t_limit)) continue;
    const double apart = std::abs(*here_->accumulation_of(w).limit_of(w) - t_limit);
    if (partner && apart >= nearest) continue;
    if (!board.chooses_equations(w, here_.t(), here_.x(), here_.xdot())) continue;
    partner = w;
    nearest = apart;
  }
  if (partner && !board.chooses_equations(which, here_.t(), here_.x(), here_.xdot()))
    return std::nullopt;
  return partner;
}

bool EventSeries::ends_about(std::uint32_t which, double t_limit) const {
  constexpr double close = 0.5;  // of what is left
  const AccumulationWatch& watch = here_->accumulation_of(which);
  const auto limit = watch.limit_of(which);
  const double apart = std::max(close * std::abs(t_limit - here_.t()), watch.last_interval(which));
  return limit && std::abs(*limit - t_limit) <= apart;
}

std::vector<std::uint32_t> EventSeries::ending_with(std::uint32_t which, double t_limit) {
  SwitchBoard& board = here_->kit->board;
  std::vector<std::uint32_t> all{which};
  for (std::uint32_t w = 0; w < board.count(); ++w) {
    if (w == which || board.info(w).kind != SwitchKind::relation) continue;
    if (!ends_about(w, t_limit) && !switches_with(which, w)) continue;
    if (!sets_off_actions(w)) all.push_back(w);
  }
  return all;
}

bool EventSeries::switches_with(std::uint32_t series, std::uint32_t other) const {
  return detail::switches_with(here_->accumulation_of(series).last_times(series),
                               here_->accumulation_of(other).last_times(other));
}

bool EventSeries::belongs_to_other(std::uint32_t which) {
  SwitchBoard& board = here_->kit->board;
  if (action_at_end(which) || sets_off_actions(which)) return false;
  for (std::uint32_t w = 0; w < board.count(); ++w) {
    if (w == which || board.info(w).kind != SwitchKind::relation) continue;
    if (switches_with(w, which) && sets_off_actions(w)) return true;
  }
  return false;
}

void EventSeries::warn_of_bends(std::uint32_t which, const EventPoint& limit) {
  constexpr double many = 100.0;  // tolerances
  const double duration = limit.t - here_.t();
  if (duration == 0) return;
  const auto found = here_->find_start_on_side(
      limit.t, {limit.x, limit.xdot, std::vector<std::uint8_t>(limit.x.size(), 0)});
  ++ledger_.event_work().n_evaluations_iterate;
  const CscPattern& p = here_->kit->board.functions().gradient_pattern();
  const auto carries = here_->system->carries_derivative();
  double most = many;
  std::optional<std::uint32_t> worst;
  for (std::uint32_t i = 0; found && i < limit.x.size(); ++i) {
    const bool is_read =
        std::any_of(p.row.begin() + p.column_start[i], p.row.begin() + p.column_start[i + 1],
                    [&](auto row) { return static_cast<std::uint32_t>(row) == which; });
    if (is_read || !carries[i]) continue;
    const double tolerance =
        here_->engine_options.rtol * std::abs(limit.x[i]) + here_->engine_options.atol[i];
    const double off = std::abs(duration * (found->xdot[i] - limit.xdot[i])) / 2 / tolerance;
    if (off <= most) continue;
    most = off;
    worst = i;
  }
  if (!worst) return;
  ledger_.warn(
      "'" + here_->system->unknown_name(*worst) + "' may be off by " + few_digits(most) +
      " tolerances: from t = " + to_text(here_.t()) + " to " + to_text(limit.t) + " events of '" +
      here_->kit->board.info(which).name +
      "' accumulate, and it goes straight on meanwhile; smaller tolerances shorten that time");
}

bool EventSeries::sets_off_actions(std::uint32_t which) const {
  return here_->kit->board.sets_off_actions({&which, 1}, here_.t(), here_.x(), here_.xdot());
}

bool is_turned_back(const SwitchBoard& board, const Crossing& crossing, bool forward) {
  const int came_from = forward ? -crossing.direction : crossing.direction;
  return !board.functions().is_timed(crossing.which) && board.side(crossing.which) == came_from;
}

}  // namespace saltus::detail
