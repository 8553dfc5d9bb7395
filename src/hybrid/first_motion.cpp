#include "hybrid/first_motion.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "hybrid/accurate_motion.hpp"

namespace saltus::detail {

namespace {

/// A relation that begins at rest, and below which size its function is not told from zero.
struct Resting {
  std::uint32_t which = 0;
  double noise = 0.0;
  int goes_to = 0;  // the sign of its function just after, once that is known
};

std::vector<Resting> resting_relations(ModeRun& mode, double t, double span) {
  SwitchBoard& board = mode.kit->board;
  std::vector<double> g(board.count()), rate(board.count());
  if (!board.functions().rates(t, mode.start.x, mode.start.xdot, g, rate)) return {};
  const auto rounding = mode.kit->locator.margins({t, mode.start.x, mode.start.xdot}, {});
  const std::vector<double> uncertain = mode.kit->locator.least_uncertainties();
  std::vector<Resting> found;
  for (std::uint32_t w = 0; w < board.count(); ++w) {
    if (board.info(w).kind != SwitchKind::relation || !board.functions().is_active(w) ||
        board.functions().is_timed(w))
      continue;
    if (std::abs(g[w]) <= rounding[w] && std::abs(rate[w]) * span <= rounding[w])
      found.push_back({w, std::max(uncertain[w], rounding[w]), 0});
  }
  return found;
}

/// Fills in where they go, as far as that shows within `span`.
void follow(ModeRun& mode, double t, double span, std::vector<Resting>& resting) {
  constexpr int n_moments = 12;  // each four times as far from the start as the one before
  SwitchBoard& board = mode.kit->board;
  AccurateMotion motion(mode, t, mode.start, t + span, std::ldexp(span, -2 * n_moments));
  for (int k = n_moments; k >= 0; --k) {
    if (!motion.go_to(t + std::ldexp(span, -2 * k))) return;
    bool all_known = true;
    for (Resting& r : resting) {
      double g = 0.0;
      if (r.goes_to != 0) continue;
      if (!board.functions().evaluate_one(r.which, motion.t(), motion.x(), motion.xdot(), g))
        return;
      if (std::abs(g) > r.noise) r.goes_to = g > 0 ? 1 : -1;
      all_known = all_known && r.goes_to != 0;
    }
    if (all_known) return;
  }
}

}  // namespace

std::vector<std::uint32_t> settle_first_motion(ModeRun& mode, double t) {
  constexpr double part_of_run = 1e-2;
  if (!mode.watches_events() || !mode.forward() || mode.options.t_end == t) return {};
  if (mode.starts_between_sides) return {};
  SwitchBoard& board = mode.kit->board;
  const double span = std::min(part_of_run * (mode.options.t_end - t), mode.enter_stretch(t) - t);
  std::vector<Resting> resting = resting_relations(mode, t, span);
  if (resting.empty()) return {};
  const std::vector<std::uint8_t> truths(board.truths().begin(), board.truths().end());
  const ConsistentStart start = mode.start;
  const std::vector<std::uint8_t> branches(board.equation_branches().begin(),
                                           board.equation_branches().end());
  follow(mode, t, span, resting);
  std::erase_if(resting, [](const Resting& r) { return r.goes_to == 0; });
  std::vector<std::uint32_t> left;
  for (const Resting& r : resting) {
    board.set_truth(r.which, (r.goes_to > 0) == board.info(r.which).true_if_positive);
    left.push_back(r.which);
  }
  if (std::ranges::equal(branches, board.equation_branches())) return left;
  // Other equations: they have to lead there as well.
  auto found =
      mode.find_start(t, {start.x, start.xdot, std::vector<std::uint8_t>(start.x.size(), 0)});
  std::vector<Resting> again = resting;
  for (Resting& r : again) r.goes_to = 0;
  if (found) {
    mode.start = std::move(*found);
    follow(mode, t, span, again);
    const auto same = [](const Resting& a, const Resting& b) { return a.goes_to == b.goes_to; };
    if (std::ranges::equal(again, resting, same)) return left;
  }
  mode.start = start;
  board.set_truths(truths);
  return {};
}

}  // namespace saltus::detail
