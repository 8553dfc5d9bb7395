#include "hybrid/instant/crossings.hpp"

#include <algorithm>
#include <cmath>

namespace saltus::detail {

void mark_flips(const Stay& here, std::vector<Crossing>& crossings, const EventPoint& at) {
  constexpr std::size_t most = 1000;  // each is tried
  if (crossings.size() < 2 || crossings.size() > most) return;
  SwitchBoard& board = here->kit->board;
  const auto flip = [&](std::uint32_t w) { board.set_truth(w, !board.truth(w)); };
  for (Crossing& c : crossings) {
    c.matters_first =
        board.consequence({&c.which, 1}, at.t, at.x, at.xdot) == Consequence::equations;
  }
  for (const Crossing& c : crossings) flip(c.which);
  std::size_t n_flips = 0;
  for (Crossing& c : crossings) {
    flip(c.which);
    c.only_flips = board.info(c.which).kind == SwitchKind::relation &&
                   board.consequence({&c.which, 1}, at.t, at.x, at.xdot) != Consequence::equations;
    flip(c.which);
    if (c.only_flips) ++n_flips;
  }
  for (const Crossing& c : crossings) flip(c.which);
  // Each may do what another does as well: then it takes all of them.
  if (n_flips < crossings.size()) return;
  for (Crossing& c : crossings) c.only_flips = false;
}

void put_in_order(const Stay& here, const EventPoint& point, std::vector<Crossing>& crossings) {
  for (Crossing& c : crossings) {
    c.t_zero = here->kit->locator.zero_near(point, c.which);
    c.time_width = std::max(c.time_width, std::abs(point.t - c.t_zero));
  }
  std::sort(crossings.begin(), crossings.end(), [&](const Crossing& a, const Crossing& b) {
    if (a.t_zero != b.t_zero) return here.forward() ? a.t_zero < b.t_zero : a.t_zero > b.t_zero;
    return here->kit->board.info(a.which).name < here->kit->board.info(b.which).name;
  });
}

double error_of_time(const Stay& here, std::span<const Crossing> crossings) {
  double error = 0.0;
  for (const Crossing& c : crossings) {
    if (!here->kit->board.functions().is_timed(c.which)) error = std::max(error, c.time_width);
  }
  return error;
}

std::vector<double> watched_before(const Stay& here, const EventPoint& point,
                                   std::optional<std::uint32_t> action) {
  EventActions* actions = here->kit->board.actions();
  if (actions == nullptr || (action && actions->info(*action).at_start)) return {};
  return actions->watched(point.t, point.x, point.xdot);
}

std::vector<std::string> names_of(const SwitchBoard& board, std::span<const Crossing> crossings) {
  std::vector<std::string> names;
  for (const Crossing& c : crossings) names.push_back(board.info(c.which).name);
  return names;
}

}  // namespace saltus::detail
