// Steps of which it cannot be told whether they met a surface.
//
// A search sees the polynomial of a step. Between the ends of the step that may be off by more than the
// tolerance: the polynomials p of most engines have a lower order than their steps. What is left of it,
//
//   x(s) - p(s) = integral of f(p) - p' from the nearer end of the step to s, to first order,          (M.1)
//
// is found where a function comes near its surface, by a formula of Gauss with three points.
#include <algorithm>
#include <cmath>

#include "hybrid/controller.hpp"

namespace saltus {

void Run::Controller::mark_marginal(std::uint32_t which, MarginalMark mark) {
  if (follower_ != nullptr) follower_->hardly_misses(which, mark.t);
  ledger_.mark(std::move(mark));
}

/// Relations that crossed and are what they were. One that still goes for its surface, and will be beyond it soon, was only
/// found a little early: polynomials of unknowns that follow from others are off by more than these.
void Run::Controller::mark_touches(std::span<const detail::Crossing> crossings, double t_here) {
  constexpr double soon = 0.1;  // of a step
  for (const detail::Crossing& c : crossings) {
    ++here_->n_pardoned[c.which];
    const double error = here_->kit->locator.uncertainties()[c.which];
    const double towards = -here_->kit->board.side(c.which) * here_->kit->locator.rate_of(c.which) *
                           (forward() ? 1.0 : -1.0);
    const bool is_early = towards * soon * here_->natural_step > error;
    if (is_early && !ledger_.has_room_for_marks()) continue;
    MarginalMark mark{
        here_->kit->board.info(c.which).name, here_.step_left(), t_here, t_here, 0.0, error};
    if (is_early)
      ledger_.mark(std::move(mark));
    else
      mark_marginal(c.which, std::move(mark));
  }
}

/// After a search along a step.
void Run::Controller::note_approaches(const StepPolynomial& step) {
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
    mark_marginal(a.which, {here_->kit->board.info(a.which).name, step.t_left, step.t_right, t_near,
                            distance, error + inexact});
  }
}

/// Whether a function that has just crossed would, going on as it is, come back without having been further beyond
/// its surface than it may be off: v^2 / (2 a) for a speed v there that falls by a. Steps before this one have left errors of
/// their own, which nobody knows: some times that of one step.
bool Run::Controller::is_flat(const detail::EventPoint& point, std::uint32_t which) {
  constexpr double some = 4.0;
  constexpr double part = 1e-2;  // of the step, for a difference
  if (options_.events.location == LocationKind::step_end) return false;
  detail::SwitchBoard& board = here_->kit->board;
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
  x_piece_.resize(step.n);
  xdot_piece_.resize(step.n);
  step.state_at(t_before, x_piece_);
  step.derivative_at(t_before, xdot_piece_);
  if (!board.functions().rates(t_before, x_piece_, xdot_piece_, g, rate)) return false;
  const double slowed = speed - board.side(which) * rate[which];
  // Rates along a step are differences of its ends, to their rounding.
  if (std::abs(slowed * (step.t_right - step.t_left)) <= here_->kit->locator.rounding_of(which))
    return false;
  const double bend = slowed / (point.t - t_before);
  return bend > 0 && speed * speed <= 2 * bend * some * error;
}

/// What is left of a function where it is nearest, with (M.1); none if the equations cannot be evaluated.
std::optional<double> Run::Controller::distance_beside(const StepPolynomial& step,
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
    return find_start(step.t_left + s * h, at);
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
  const detail::SwitchBoard& board = here_->kit->board;
  return board.side(approach.which) * g + board.slack(approach.which);
}

}  // namespace saltus
