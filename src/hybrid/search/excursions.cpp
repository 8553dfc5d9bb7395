#include <algorithm>
#include <cmath>

#include "hybrid/search/excursions.hpp"

namespace saltus::detail {

namespace {
constexpr double few_steps = 10;
}

bool Excursions::pardon(const StepPolynomial& step, double s_from, std::span<Departure> group) {
  SwitchBoard& board = here_->kit->board;
  bool any = false;
  for (Departure& d : group) {
    double g = 0.0;
    if (!options_.events.offset) continue;
    x_.resize(step.n);
    xdot_.resize(step.n);
    step.state_at(d.t_after, x_);
    step.derivative_at(d.t_after, xdot_);
    const double error = here_->kit->locator.band_at(d.t_after, x_, xdot_, d.which);
    if (!(error > 0)) continue;
    if (!board.functions().evaluate_one(d.which, here_.t(), here_.x(), here_.xdot(), g)) continue;
    const bool is_back = board.side(d.which) * g >= 0;
    if (!is_back && !rests_in_band(step, d.which, error)) continue;
    // What a solution does beyond a surface may keep it there: an excursion is followed where the sides move
    // differently, unless it is one of rounding.
    constexpr double followed = 1e-2;
    const double length = std::abs(step.t_right - step.t_left);
    const double soon = few_steps * std::max(here_->natural_step, length);
    if (!is_back && switching_matters(d.which, step.t_right, soon)) continue;
    const bool matters = is_back && switching_matters(d.which, d.t_after, length);
    const double pardoned = matters ? followed * error : error;
    std::vector<std::int8_t> side(board.count(), 0);
    std::vector<double> slack(board.count(), board.search_slack(d.which) + pardoned);
    side[d.which] = static_cast<std::int8_t>(board.side(d.which));
    if (!here_->kit->search.first(step, s_from, {side, slack, {}}).empty()) {
      if (!matters) continue;
      // Followed, but not to be told from none by what the tolerances allow and the polynomial lacks.
      const auto better = distance_beside(step, {d.which, d.s_after, 0.0, false});
      slack[d.which] = board.search_slack(d.which) + error + 1.5 * std::abs(better.value_or(0.0));
      if (here_->kit->search.first(step, s_from, {side, slack, {}}).empty())
        d.guarantee = Guarantee::marginal;
      continue;
    }
    if (board.side(d.which) * g + board.search_slack(d.which) < 0) {
      // The next step begins where this one ends: it is looked at again when it is twice as far off.
      board.excuse(d.which, std::min(error, 2 * std::abs(g)));
    } else {
      board.pardon(d.which, pardoned);
    }
    ++here_->n_pardoned[d.which];
    note_marginal(d.which,
                  {board.info(d.which).name, step.t_left, step.t_right, d.t_after, 0.0, error});
    any = true;
  }
  return any;
}

/// Whether the motion on the other side would lead away from that on this side by more than the tolerance
/// within a time from the point that was looked at last.
bool Excursions::switching_matters(std::uint32_t w, double t_there, double duration) {
  SwitchBoard& board = here_->kit->board;
  if (!board.chooses_equations(w, t_there, x_, xdot_)) return false;
  if (board.is_one_sided()) return true;  // the other side cannot be looked at from here
  const StartValues at{x_, xdot_, std::vector<std::uint8_t>(x_.size(), 0)};
  const auto here = here_->find_start_on_side(t_there, at);
  board.set_truth(w, !board.truth(w));
  const auto beyond = here_->find_start_on_side(t_there, at);
  board.set_truth(w, !board.truth(w));
  ledger_.event_work().n_evaluations_iterate += 2;
  if (!here || !beyond) return true;
  for (std::uint32_t i = 0; i < x_.size(); ++i) {
    const double tolerance =
        here_->engine_options.rtol * std::abs(x_[i]) + here_->engine_options.atol[i];
    if (std::abs(here->xdot[i] - beyond->xdot[i]) * duration > tolerance) return true;
  }
  return false;
}

/// At both ends of a step that is no shorter than usual within its error, or too slow to leave it within
/// a few steps: solutions that decay to zero, and are kept there by an explicit engine at the limit of its
/// stability, look like this.
bool Excursions::rests_in_band(const StepPolynomial& step, std::uint32_t which, double error) {
  constexpr double usual = 0.1;
  const double length = std::abs(step.t_right - step.t_left);
  const bool is_usual = here_->natural_step > 0 && length >= usual * here_->natural_step;
  // First steps may be as short as they like.
  constexpr double of_run = 1e-3;
  const double unknown = of_run * std::abs(options_.t_end - options_.t_begin);
  const double reach = std::max(here_->natural_step > 0 ? here_->natural_step : unknown, length);
  SwitchingFunctions& functions = here_->kit->board.functions();
  x_.resize(step.n);
  xdot_.resize(step.n);
  for (const double at : {step.t_left, step.t_right}) {
    step.state_at(at, x_);
    step.derivative_at(at, xdot_);
    double value = 0.0;
    if (!functions.evaluate_one(which, at, x_, xdot_, value)) return false;
    if (std::abs(value) > error) return false;
    if (is_usual) continue;
    std::vector<double> g(functions.count()), rate(functions.count());
    if (!functions.rates(at, x_, xdot_, g, rate)) return false;
    if (std::abs(rate[which]) * reach > few_steps * error) return false;
  }
  return true;
}

void Excursions::note_marginal(std::uint32_t which, MarginalMark mark) {
  if (follower_ != nullptr) follower_->hardly_misses(which, mark.t);
  ledger_.mark(std::move(mark));
}

void Excursions::mark_touches(std::span<const Crossing> crossings, double t_here) {
  constexpr double soon = 0.1;  // of a step
  for (const Crossing& c : crossings) {
    ++here_->n_pardoned[c.which];
    const double error = here_->kit->locator.uncertainties()[c.which];
    const double towards = -here_->kit->board.side(c.which) * here_->kit->locator.rate_of(c.which) *
                           (here_->forward() ? 1.0 : -1.0);
    const bool is_early = towards * soon * here_->natural_step > error;
    if (is_early && !ledger_.has_room_for_marks()) continue;
    MarginalMark mark{
        here_->kit->board.info(c.which).name, here_.step_left(), t_here, t_here, 0.0, error};
    if (is_early)
      ledger_.mark(std::move(mark));
    else
      note_marginal(c.which, std::move(mark));
  }
}

void Excursions::note_approaches(const StepPolynomial& step) {
  const auto told = here_->kit->search.approaches();
  const std::vector<Approach> approaches(told.begin(), told.end());
  const WatchList watch = here_->kit->board.watch(here_.step_left());
  for (const Approach& a : approaches) {
    const double error = watch.uncertainty.empty() ? 0.0 : watch.uncertainty[a.which];
    double distance = a.distance, inexact = 0.0;
    if (!a.is_marginal) {
      const auto better = distance_beside(step, a);
      // The correction is one of first order: half of it is not certain.
      if (better) inexact = 0.5 * std::abs(*better - distance);
      if (better && *better - inexact > error) continue;
      distance = better ? std::max(*better, 0.0) : 0.0;
      ++here_->n_pardoned[a.which];
    }
    const double t_near = step.t_left + a.s * (step.t_right - step.t_left);
    note_marginal(a.which, {here_->kit->board.info(a.which).name, step.t_left, step.t_right, t_near,
                            distance, error + inexact});
  }
}

bool Excursions::is_flat(const EventPoint& point, std::uint32_t which) {
  constexpr double some = 4.0;
  constexpr double part = 1e-2;  // of the step, for a difference
  if (options_.events.location == LocationKind::step_end) return false;
  SwitchBoard& board = here_->kit->board;
  const StepPolynomial step = here_->engine->last_step();
  // As the locator has left them.
  const double error = here_->kit->locator.uncertainties()[which];
  const double speed = board.side(which) * here_->kit->locator.rate_of(which);
  // Multipliers take evaluations of the equations: not for those that are fast anyway.
  constexpr double fast = 1e3;
  const double covered = std::abs(speed * (step.t_right - step.t_left));
  if (board.info(which).kind == SwitchKind::exit && covered > fast * error) return false;
  const double t_before = point.t - part * (step.t_right - step.t_left);
  std::vector<double> g(board.count()), rate(board.count());
  x_.resize(step.n);
  xdot_.resize(step.n);
  step.state_at(t_before, x_);
  step.derivative_at(t_before, xdot_);
  if (!board.functions().rates(t_before, x_, xdot_, g, rate)) return false;
  const double slowed = speed - board.side(which) * rate[which];
  // Rates along a step are differences of its ends, to their rounding.
  if (std::abs(slowed * (step.t_right - step.t_left)) <= here_->kit->locator.rounding_of(which))
    return false;
  const double bend = slowed / (point.t - t_before);
  return bend > 0 && speed * speed <= 2 * bend * some * error;
}

std::optional<double> Excursions::distance_beside(const StepPolynomial& step,
                                                  const Approach& approach) {
  const double root = std::sqrt(0.6);
  const double points[] = {0.5 - 0.5 * root, 0.5, 0.5 + 0.5 * root};
  constexpr double weights[] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
  // A step that leads beyond a surface may end where the equations are others.
  const bool from_left = approach.s < 0.5 || here_->kit->board.is_one_sided();
  const double end = from_left ? 0.0 : 1.0;
  const double h = step.t_right - step.t_left;
  const auto carries = here_->system->carries_derivative();
  StartValues at{std::vector<double>(step.n), std::vector<double>(step.n),
                 std::vector<std::uint8_t>(step.n, 0)};
  std::vector<double> change(step.n, 0.0);
  const auto solved_at = [&](double s) {
    ++ledger_.event_work().n_evaluations_iterate;
    return here_->find_start_on_side(step.t_left + s * h, at);
  };
  for (std::size_t k = 0; k < 3; ++k) {
    const double s = end + (approach.s - end) * points[k];
    step.state_at(step.t_left + s * h, at.x);
    step.derivative_at(step.t_left + s * h, at.xdot);
    const auto found = solved_at(s);
    if (!found) return std::nullopt;
    for (std::uint32_t i = 0; i < step.n; ++i)
      change[i] += weights[k] * (approach.s - end) * h * (found->xdot[i] - at.xdot[i]);
  }
  const double t_near = step.t_left + approach.s * h;
  step.state_at(t_near, at.x);
  step.derivative_at(t_near, at.xdot);
  for (std::uint32_t i = 0; i < step.n; ++i) {
    if (carries[i] != 0) at.x[i] += change[i];
  }
  const auto found = solved_at(approach.s);
  double g = 0.0;
  if (!found ||
      !here_->kit->board.functions().evaluate_one(approach.which, t_near, found->x, found->xdot, g))
    return std::nullopt;
  const SwitchBoard& board = here_->kit->board;
  return board.side(approach.which) * g + board.slack(approach.which);
}

}  // namespace saltus::detail
