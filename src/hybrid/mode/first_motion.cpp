#include "hybrid/mode/first_motion.hpp"

#include <algorithm>
#include <cmath>

#include "hybrid/mode/accurate_motion.hpp"

namespace saltus::detail {

namespace {

// Of the size or nominal value of an unknown: below, it is not told from zero.
constexpr double noise = 10 * AccurateMotion::tolerance;

/// A relation that begins at rest.
struct Resting {
  std::uint32_t which = 0;
  int goes_to = 0;  // the sign of its function just after, once that is known
};

std::vector<double> noise_at(ModeRun& mode, double t, std::span<const double> x,
                             std::span<const double> xdot) {
  const EventPoint point{t, {x.begin(), x.end()}, {xdot.begin(), xdot.end()}};
  const auto rounding = mode.kit->locator.margins(point, {});
  std::vector<double> found = mode.kit->locator.uncertainties_at(x, noise);
  for (std::size_t w = 0; w < found.size(); ++w) found[w] = std::max(found[w], rounding[w]);
  return found;
}

std::vector<Resting> resting_relations(ModeRun& mode, double t, double span) {
  SwitchBoard& board = mode.kit->board;
  std::vector<double> g(board.count()), rate(board.count());
  if (!board.functions().rates(t, mode.start.x, mode.start.xdot, g, rate)) return {};
  const std::vector<double> small = noise_at(mode, t, mode.start.x, mode.start.xdot);
  const auto rounding = mode.kit->locator.margins({t, mode.start.x, mode.start.xdot}, {});
  std::vector<Resting> found;
  for (std::uint32_t w = 0; w < board.count(); ++w) {
    if (board.info(w).kind != SwitchKind::relation || !board.functions().is_active(w) ||
        board.functions().is_timed(w) || board.slack(w) > 0)
      continue;
    if (std::abs(g[w]) <= rounding[w] && std::abs(rate[w]) * span <= small[w]) found.push_back({w});
  }
  return found;
}

/// Fills in where they go, as far as that shows within `span`.
void follow(ModeRun& mode, double t, double span, std::vector<Resting>& resting) {
  constexpr int n_moments = 12;  // each four times as far from the start as the one before
  SwitchBoard& board = mode.kit->board;
  for (Resting& r : resting) r.goes_to = 0;
  AccurateMotion motion(mode, t, mode.start, t + span, std::ldexp(span, -2 * n_moments));
  for (int k = n_moments; k >= 0; --k) {
    if (!motion.go_to(t + std::ldexp(span, -2 * k))) return;
    const std::vector<double> small = noise_at(mode, motion.t(), motion.x(), motion.xdot());
    bool all_known = true;
    for (Resting& r : resting) {
      double g = 0.0;
      if (r.goes_to != 0) continue;
      if (!board.functions().evaluate_one(r.which, motion.t(), motion.x(), motion.xdot(), g))
        return;
      if (std::abs(g) > small[r.which]) r.goes_to = g > 0 ? 1 : -1;
      all_known = all_known && r.goes_to != 0;
    }
    if (all_known) return;
  }
}

/// Relations get the truth that the motion has shown. False if they choose equations without a start.
bool take_truths(ModeRun& mode, double t, std::span<const Resting> resting) {
  SwitchBoard& board = mode.kit->board;
  const auto now = board.equation_branches();
  const std::vector<std::uint8_t> branches(now.begin(), now.end());
  for (const Resting& r : resting) {
    if (r.goes_to != 0)
      board.set_truth(r.which, (r.goes_to > 0) == board.info(r.which).true_if_positive);
  }
  if (std::ranges::equal(branches, board.equation_branches())) return true;
  const std::vector<std::uint8_t> free(mode.start.x.size(), 0);
  auto found = mode.find_start(t, {mode.start.x, mode.start.xdot, free});
  if (found) mode.start = std::move(*found);
  return static_cast<bool>(found);
}

}  // namespace

/// Other truths may choose other equations, and these another motion: followed until nothing changes.
void settle_first_motion(ModeRun& mode, double t) {
  constexpr double part_of_run = 1e-2;
  if (!mode.watches_events() || !mode.forward() || mode.options.t_end == t) return;
  if (mode.starts_between_sides) return;
  SwitchBoard& board = mode.kit->board;
  const double span = std::min(part_of_run * (mode.options.t_end - t), mode.enter_stretch(t) - t);
  std::vector<Resting> resting = resting_relations(mode, t, span);
  if (resting.empty()) return;
  const std::vector<std::uint8_t> truths(board.truths().begin(), board.truths().end());
  const ConsistentStart start = mode.start;
  for (std::size_t round = 0; round < resting.size() + 2; ++round) {
    const std::vector<std::uint8_t> before(board.truths().begin(), board.truths().end());
    follow(mode, t, span, resting);
    if (!take_truths(mode, t, resting)) break;
    if (!std::ranges::equal(before, board.truths())) continue;
    for (const Resting& r : resting)
      if (r.goes_to != 0) board.settle_by_motion(r.which, board.truth(r.which));
    return;
  }
  mode.start = start;
  board.set_truths(truths);
}

}  // namespace saltus::detail
