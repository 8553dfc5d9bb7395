// Where events come ever faster, or closer to each other than a run can tell.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include <saltus/core/text.hpp>

#include "hybrid/controller.hpp"

namespace saltus {

namespace {

std::string few_digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

}  // namespace

/// Before an event is passed: how far the function of each relation went since its event before, and how far it must
/// have gone to be told from one that did not move.
void Run::Controller::measure_excursions(const detail::EventPoint& point,
                                         std::span<detail::Crossing> crossings) {
  // Steps are looked at more closely up to here.
  constexpr double near = 100.0;
  detail::SwitchBoard& board = here_->kit->board;
  detail::EventLocator& locator = here_->kit->locator;
  for (detail::Crossing& c : crossings) {
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
    // The short steps of ida after an event lose height at each hop. Errors of other engines have both signs.
    c.lost = here_->engine->kind() == EngineKind::ida ? error : 0.0;
    c.resolution = c.excursion < near * error ? resolution_of(point, c.which) : distance;
    c.is_close = here_->accumulation_of(c.which).note_close(c.which, c.excursion, error, distance);
    if (c.is_close) c.guarantee = Guarantee::marginal;
  }
}

/// From the middle of the last piece of the solution to its end.
double Run::Controller::excursion_of_piece(const detail::EventPoint& point, std::uint32_t which) {
  const StepPolynomial* piece = recording_.piece_that_leads_to(point.t);
  if (piece == nullptr) return 0.0;
  SwitchingFunctions& functions = here_->kit->board.functions();
  const double t_middle = 0.5 * (piece->t_left + piece->t_right);
  x_piece_.resize(piece->n);
  xdot_piece_.resize(piece->n);
  piece->state_at(t_middle, x_piece_);
  piece->derivative_at(t_middle, xdot_piece_);
  double middle = 0.0, end = 0.0;
  if (!functions.evaluate_one(which, t_middle, x_piece_, xdot_piece_, middle)) return 0.0;
  if (!functions.evaluate_one(which, point.t, point.x, point.xdot, end)) return 0.0;
  return std::abs(middle - end);
}

/// An excursion below this is not told from none. Events are placed at the distance (V.2), up to half as much again;
/// in between a step may be off by more: (M.1) measures that along its first half.
double Run::Controller::resolution_of(const detail::EventPoint& point, std::uint32_t which) {
  constexpr double of_distance = 4.0, of_step = 8.0, before_middle = 0.45;
  const double error = here_->kit->locator.uncertainties()[which];
  const double distance = here_->kit->locator.placement_of(which);
  // Its short steps after an event are of low order, and their errors as large as the tolerances allow.
  if (here_->engine->kind() == EngineKind::ida) return std::max(error, of_distance * distance);
  double off = 0.0;
  if (const StepPolynomial* piece = recording_.piece_that_leads_to(point.t)) {
    const double t_there = piece->t_left + before_middle * (piece->t_right - piece->t_left);
    const auto better = excursions_.distance_beside(*piece, {which, before_middle, 0.0, false});
    piece->state_at(t_there, x_piece_);
    piece->derivative_at(t_there, xdot_piece_);
    detail::SwitchBoard& board = here_->kit->board;
    double g = 0.0;
    const bool known =
        better && board.functions().evaluate_one(which, t_there, x_piece_, xdot_piece_, g);
    off = known ? std::abs(*better - board.side(which) * g - board.slack(which)) : error;
  }
  return std::max(of_distance * distance, of_step * off);
}

void Run::Controller::watch_accumulation(double t_here,
                                         std::span<const detail::Crossing> crossings) {
  using Kind = detail::AccumulationWatch::Kind;
  for (const detail::Crossing& c : crossings) {
    if (here_->kit->board.functions().is_timed(c.which)) continue;
    const auto verdict = here_->accumulation_of(c.which).note(
        c.which, {t_here, c.excursion, c.resolution, c.distance, c.error, c.time_error, c.lost,
                  is_turned_back(here_->kit->board, c)});
    const SwitchInfo& info = here_->kit->board.info(c.which);
    // Switched on purpose where both sides lead back: no further than can be told from standing still.
    constexpr std::uint64_t many = 100;
    const bool is_lost = policy_of(info.name) == SurfacePolicy::cross && verdict.below_error &&
                         verdict.n_events >= many;
    if (verdict.kind == Kind::chatters || is_lost) {
      end({Outcome::failed,
           "at t = " + to_text(t_here) + " '" + info.name + "' switches again and again within " +
               (is_lost ? "the error of its function (" : "a few digits of the time (") +
               to_text(static_cast<std::int64_t>(verdict.n_events)) +
               " events so far): it chatters; check the equations on its two sides, or give it a "
               "hysteresis or a dwell time (events.hysteresis, events.dwell)",
           FailureCode::not_certified});
      return;
    }
    if (verdict.kind == Kind::none) continue;
    // What sets nothing can be followed on, if not told apart.
    if (verdict.kind == Kind::lost && !info.sets_unknowns && !verdict.is_stuck) continue;
    const double t_limit = verdict.kind == Kind::accumulates ? verdict.prediction.t_limit : t();
    if (forward() ? t_limit >= options_.t_end : t_limit <= options_.t_end) continue;
    if (belongs_to_other_series(c.which)) continue;
    continue_at_limit(c.which, t_limit, words_of(info.name, verdict, c), Known::predicted);
    return;
  }
}

/// A clause that leaves nothing of the motion to its surface (a plastic impact): that is the limit of events already, if
/// the motion would go on beyond and the model, or an option, says what comes at the limit.
bool Run::Controller::rest_where_stopped() {
  constexpr double ahead = 1e-3;  // of a step
  detail::SwitchBoard& board = here_->kit->board;
  if (!stop_ || !action_at_accumulation(board.info(stop_->which).name)) return false;
  const double dt = ahead * here_->natural_step * (forward() ? 1.0 : -1.0);
  StartValues next{{x().begin(), x().end()},
                   {xdot().begin(), xdot().end()},
                   std::vector<std::uint8_t>(x().size(), 0)};
  for (std::size_t i = 0; i < next.x.size(); ++i) next.x[i] += dt * next.xdot[i];
  const auto found = find_start(t() + dt, next);
  ++ledger_.event_work().n_evaluations_iterate;
  std::vector<double> g(board.count()), rate(board.count());
  if (!found || !board.functions().rates(t() + dt, found->x, found->xdot, g, rate)) return false;
  if (!(board.side(stop_->which) * rate[stop_->which] * dt > 0)) return false;
  const Stop stop = *stop_;
  continue_at_limit(stop.which, t(), stop.text, Known::said);
  return true;
}

/// An event from which the run cannot go on. Where such events were too close to be told apart that is the reason, and if
/// they were predicted to have a limit, the limit is what is known: no branch of the model leads beyond.
void Run::Controller::fail_at_event(const detail::ModeRun& before, const Failure& failure,
                                    std::span<const detail::Crossing> crossings) {
  using Kind = detail::AccumulationWatch::Kind;
  for (const detail::Crossing& c : crossings) {
    if (!before.kit || c.which >= before.kit->board.count() || !c.is_close) continue;
    const detail::AccumulationWatch& watch = before.accumulation_of(c.which);
    const auto& prediction = watch.prediction_of(c.which);
    const std::string& who = before.kit->board.info(c.which).name;
    const detail::AccumulationWatch::Verdict verdict{
        .kind = prediction ? Kind::accumulates : Kind::lost,
        .prediction = prediction.value_or(detail::AccumulationWatch::Prediction{}),
        .n_events = watch.n_events(c.which) + 1,
        .resolution = c.resolution};
    ledger_.note({"accumulation of '" + who + "'", "",
                  to_text(prediction ? prediction->t_limit : t()), "the run ends"});
    end({Outcome::accumulation,
         words_of(who, verdict, c) + ". The run cannot go on from there: " + failure.message});
    return;
  }
  end(detail::ended_by(failure));
}

/// What is known of events that have no end, and how.
std::string Run::Controller::words_of(const std::string& relation,
                                      const detail::AccumulationWatch::Verdict& verdict,
                                      const detail::Crossing& last) const {
  const std::string who = "events of '" + relation + "' ";
  const std::string followed =
      to_text(static_cast<std::int64_t>(verdict.n_events)) +
      " events were followed, until t = " + to_text(t()) +
      "; before the last one the function went " + few_digits(last.excursion) +
      " from its surface, and distances below " + few_digits(verdict.resolution) +
      " count as zero (its tolerance is " + few_digits(last.error) + ")";
  if (verdict.kind != detail::AccumulationWatch::Kind::accumulates)
    return who + "come too close together to be told apart, from t = " + to_text(t()) +
           " on. It is not known whether they come to an end: " + followed;
  const auto& p = verdict.prediction;
  const double left = (p.t_limit - t()) * (forward() ? 1.0 : -1.0);
  return who + "accumulate at t = " + to_text(p.t_limit) +
         ". This is a prediction: " + to_text(static_cast<std::int64_t>(p.n_intervals)) +
         " intervals fell by a ratio of " + few_digits(p.ratio) +
         " each, and its error is at most about " + few_digits(p.error) + " s. " + followed +
         (left > 0 ? "; " + few_digits(left) + " s are left" : "");
}

/// What the options or the model want to happen where events of a relation accumulate.
std::optional<std::uint32_t> Run::Controller::action_at_accumulation(const std::string& who) const {
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

/// Another relation that chooses equations and whose crossings come to an end at the same time, as far as the last
/// intervals tell.
std::optional<std::uint32_t> Run::Controller::corner_partner(std::uint32_t which, double t_limit) {
  detail::SwitchBoard& board = here_->kit->board;
  std::optional<std::uint32_t> partner;
  double nearest = 0.0;
  for (std::uint32_t w = 0; w < board.count(); ++w) {
    if (w == which || !ends_about(w, t_limit)) continue;
    const double apart = std::abs(*here_->accumulation_of(w).limit_of(w) - t_limit);
    if (partner && apart >= nearest) continue;
    if (!board.chooses_equations(w, t(), x(), xdot())) continue;
    partner = w;
    nearest = apart;
  }
  if (partner && !board.chooses_equations(which, t(), x(), xdot())) return std::nullopt;
  return partner;
}

/// Whether the last events of a relation have a limit of their own about there.
bool Run::Controller::ends_about(std::uint32_t which, double t_limit) {
  constexpr double close = 0.5;  // of what is left
  const detail::AccumulationWatch& watch = here_->accumulation_of(which);
  const auto limit = watch.limit_of(which);
  const double apart = std::max(close * std::abs(t_limit - t()), watch.last_interval(which));
  return limit && std::abs(*limit - t_limit) <= apart;
}

/// Relations whose events end with a series, besides its own: as that of the velocity of a ball at the top of each hop,
/// they set off nothing.
std::vector<std::uint32_t> Run::Controller::ending_with(std::uint32_t which, double t_limit) {
  detail::SwitchBoard& board = here_->kit->board;
  std::vector<std::uint32_t> all{which};
  for (std::uint32_t w = 0; w < board.count(); ++w) {
    if (w == which || board.info(w).kind != SwitchKind::relation) continue;
    if (!ends_about(w, t_limit) && !switches_with(which, w)) continue;
    if (!board.sets_off_actions({&w, 1}, t(), x(), xdot())) all.push_back(w);
  }
  return all;
}

bool Run::Controller::switches_with(std::uint32_t series, std::uint32_t other) const {
  return detail::switches_with(here_->accumulation_of(series).last_times(series),
                               here_->accumulation_of(other).last_times(other));
}

/// Whether a relation that sets nothing off switches with the events of a series that does something: that one tells the
/// end.
bool Run::Controller::belongs_to_other_series(std::uint32_t which) {
  detail::SwitchBoard& board = here_->kit->board;
  if (action_at_accumulation(board.info(which).name) ||
      board.sets_off_actions({&which, 1}, t(), x(), xdot()))
    return false;
  for (std::uint32_t w = 0; w < board.count(); ++w) {
    if (w == which || board.info(w).kind != SwitchKind::relation) continue;
    if (switches_with(w, which) && board.sets_off_actions({&w, 1}, t(), x(), xdot())) return true;
  }
  return false;
}

/// What moves beside a series follows its tangent up to the limit. What bends on the way by much more than its tolerance is
/// named: half of what its derivative changes by, times the time.
void Run::Controller::warn_of_bends(std::uint32_t which, const detail::EventPoint& limit) {
  constexpr double many = 100.0;  // tolerances
  const double duration = limit.t - t();
  if (duration == 0) return;
  const auto found =
      find_start(limit.t, {limit.x, limit.xdot, std::vector<std::uint8_t>(limit.x.size(), 0)});
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
      " tolerances: from t = " + to_text(t()) + " to " + to_text(limit.t) + " events of '" +
      here_->kit->board.info(which).name +
      "' accumulate, and it goes straight on meanwhile; smaller tolerances shorten that time");
}

/// Events of a relation come to an end at t_limit, which is close; `text` says how that is known.
void Run::Controller::continue_at_limit(std::uint32_t which, double t_limit,
                                        const std::string& text, Known known) {
  const std::string who = here_->kit->board.info(which).name;
  const std::optional<std::uint32_t> action = action_at_accumulation(who);
  // Nothing else may happen before the limit.
  const auto other =
      here_->kit->locator.next_meeting(t(), x(), xdot(), forward(), ending_with(which, t_limit));
  const double rest = std::abs(t_limit - t());
  const bool is_free = forward() ? t_limit < here_.stretch_end() : t_limit > here_.stretch_end();
  if (!is_free) return;
  if (const auto partner = corner_partner(which, t_limit)) {
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
  if (known == Known::predicted && std::ranges::none_of(ledger_.choices(), is_it))
    ledger_.warn(text);
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
  warn_of_bends(which, point);
  engine_was_cut_ = true;
  if (follower_ != nullptr) follower_->breaks(t(), "events accumulate");
  auto passed = recording_.add_piece(straight, t_limit, point.x, point.xdot);
  if (passed) passed = pass_instant(point, {}, false, action);
  if (!passed) end(detail::ended_by(passed.failure()));
}

}  // namespace saltus
