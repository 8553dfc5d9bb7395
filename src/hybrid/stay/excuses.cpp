#include "hybrid/stay/excuses.hpp"

#include <algorithm>
#include <cmath>

namespace saltus::detail {

namespace {

/// An action may send a function back to where it came from while it is still, or already, within its error
/// of the surface. Its relation is taken to have turned back, or it could never become true again.
void turn_back_what_returns(const Stay& here, std::span<const std::uint32_t> crossed) {
  SwitchBoard& board = here->kit->board;
  std::vector<double> g(board.count()), rate(board.count());
  for (const std::uint32_t w : crossed) {
    if (!board.info(w).sets_unknowns || board.functions().is_timed(w)) continue;
    if (!board.functions().is_active(w) ||
        !board.functions().rates(here.t(), here.x(), here.xdot(), g, rate))
      continue;
    const int side = board.side(w);
    const double error = here->kit->locator.uncertainty_at(here.t(), here.x(), here.xdot(), w);
    // What is beyond by more is where the model wants to be.
    constexpr double far = 100.0;
    const bool returns =
        side * rate[w] * (here.forward() ? 1.0 : -1.0) < 0 && side * g[w] <= far * error &&
        board.consequence({&w, 1}, here.t(), here.x(), here.xdot()) != Consequence::equations;
    if (!returns) continue;
    board.set_truth(w, !board.truth(w));
    board.excuse(w, 2 * std::abs(g[w]) + 1e-3 * error);
  }
}

}  // namespace

void excuse_what_lags(const Stay& here) {
  SwitchBoard& board = here->kit->board;
  for (std::uint32_t w = 0; w < board.count(); ++w) {
    double g = 0.0;
    if (!board.functions().is_active(w) || board.functions().is_timed(w)) continue;
    if (!board.functions().evaluate_one(w, here.t(), here.x(), here.xdot(), g)) continue;
    const double error = here->kit->locator.uncertainties()[w];
    if (board.side(w) * g < 0 && std::abs(g) <= error) board.excuse(w, 2 * std::abs(g) + error);
  }
}

void excuse_what_left(const Stay& here, std::span<const std::uint32_t> left) {
  for (const std::uint32_t w : left) {
    const double error = here->kit->locator.uncertainties()[w];
    here->kit->board.excuse_what_leaves(w, error);
  }
}

void excuse_what_touched(const Stay& here, std::span<const std::uint32_t> touched) {
  constexpr double part_of_error = 0.1;
  for (const std::uint32_t w : touched) {
    const double error = here->kit->locator.uncertainties()[w];
    here->kit->board.excuse(w, part_of_error * error, error);
  }
}

void excuse_what_begins_to_leave(const Stay& here, Ledger& ledger, double t) {
  const auto near = here->kit->locator.begins_near();
  const double step = here->natural_step;
  if (near.empty() || !(step > 0)) return;
  constexpr double ahead = 1e-3, noise = 1e-9, shallow = 1e-3;
  const double dt = ahead * step * (here.forward() ? 1.0 : -1.0);
  SwitchBoard& board = here->kit->board;
  std::vector<double> g(board.count()), now(board.count()), later(board.count());
  const std::vector<double>& x_here = here->start.x;
  const std::vector<double>& xdot_here = here->start.xdot;
  StartValues next{x_here, xdot_here, std::vector<std::uint8_t>(x_here.size(), 0)};
  for (std::size_t i = 0; i < next.x.size(); ++i) next.x[i] += dt * xdot_here[i];
  const auto found = here->find_start_on_side(t + dt, next);
  ++ledger.event_work().n_evaluations_iterate;
  if (!found || !board.functions().rates(t, x_here, xdot_here, g, now) ||
      !board.functions().rates(t + dt, found->x, found->xdot, g, later))
    return;
  for (const std::uint32_t w : near) {
    const double change = later[w] - now[w];
    const double error = here->kit->locator.uncertainties()[w];
    const double bend = board.side(w) * change / dt;
    const double towards = -board.side(w) * now[w] * (here.forward() ? 1.0 : -1.0);
    const bool dips = towards > 0 && towards * towards > 2 * bend * shallow * error;
    const bool leaves = bend * step * step / 2 > error &&
                        std::abs(change) > noise * (std::abs(now[w]) + std::abs(later[w]));
    if (leaves && !dips) board.excuse_what_leaves(w, error);
  }
}

void look_where_crossed(const Stay& here, std::span<const std::uint32_t> crossed,
                        std::span<const double> margins) {
  turn_back_what_returns(here, crossed);
  SwitchBoard& board = here->kit->board;
  for (const std::uint32_t w : crossed) {
    // It switched while still before its surface, and goes on over it.
    double g = 0.0;
    if (board.functions().evaluate_one(w, here.t(), here.x(), here.xdot(), g) &&
        board.side(w) * g < 0)
      board.excuse(w, 2 * std::abs(g) + margins[w]);
  }
}

}  // namespace saltus::detail
