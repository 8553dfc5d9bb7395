#include "hybrid/switch/across_surface.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <saltus/core/text.hpp>

namespace saltus::detail {

bool put_across(SwitchBoard& board, std::span<const std::uint32_t> crossed,
                std::span<const double> margin, double t, std::vector<double>& x,
                std::span<const double> xdot) {
  SwitchingFunctions& functions = board.functions();
  const CscPattern& pattern = functions.gradient_pattern();
  std::vector<double> gradient(static_cast<std::size_t>(pattern.nnz()));
  bool any = false;
  for (const std::uint32_t w : crossed) {
    double g = 0.0;
    if (functions.is_timed(w) || !functions.evaluate_one(w, t, x, xdot, g)) continue;
    if (board.side(w) * g > 0) continue;
    if (std::abs(g) > margin[w] || !functions.gradients(t, x, xdot, gradient)) return false;
    std::vector<double> row(x.size(), 0.0);
    double square = 0.0;
    for (std::size_t j = 0; j < x.size(); ++j) {
      for (auto k = pattern.column_start[j]; k < pattern.column_start[j + 1]; ++k) {
        const auto slot = static_cast<std::size_t>(k);
        if (static_cast<std::uint32_t>(pattern.row[slot]) == w) row[j] = gradient[slot];
      }
      square += row[j] * row[j];
    }
    if (!(square > 0)) return false;
    const double way = (board.side(w) * 0.5 * margin[w] - g) / square;
    for (std::size_t j = 0; j < x.size(); ++j) x[j] += way * row[j];
    any = true;
  }
  return any;
}

namespace {

double inside(const SwitchBoard& board, std::uint32_t which, double g) {
  return board.side(which) * g + board.search_slack(which);
}

/// The state with some relations turned round, if it is on their other sides.
std::optional<LeftBehind> state_with(SwitchBoard& board, std::span<const std::uint32_t> turned,
                                     std::span<const double> margin, double t,
                                     const StartValues& now, const FindState& find_state) {
  const KeptTruths before(board);
  for (const std::uint32_t w : turned) board.set_truth(w, !board.truth(w));
  board.decide_new(t, now.x, now.xdot);
  auto found = find_state(t, now);
  const bool is_one = found && std::ranges::all_of(turned, [&](std::uint32_t w) {
                        double g = 0.0;
                        return board.functions().evaluate_one(w, t, found->x, found->xdot, g) &&
                               inside(board, w, g) >= -margin[w];
                      });
  if (!is_one) return std::nullopt;
  return LeftBehind{{turned.begin(), turned.end()}, std::move(*found)};
}

}  // namespace

std::optional<LeftBehind> left_behind(SwitchBoard& board, std::span<const std::uint8_t> decided,
                                      std::span<const double> margin, double t,
                                      const StartValues& now, const FindState& find_state) {
  std::vector<std::uint32_t> beyond, at_surface;
  for (std::uint32_t w = 0; w < board.count(); ++w) {
    if (decided[w] != 0 || !board.functions().is_active(w) || board.functions().is_timed(w))
      continue;
    if (board.is_silent(w, t) || !board.chooses_equations(w, t, now.x, now.xdot)) continue;
    double g = 0.0;
    if (!board.functions().evaluate_one(w, t, now.x, now.xdot, g)) continue;
    if (inside(board, w, g) < -margin[w]) {
      beyond.push_back(w);
    } else if (inside(board, w, g) <= margin[w]) {
      at_surface.push_back(w);
    }
  }
  if (!beyond.empty()) return state_with(board, beyond, margin, t, now, find_state);
  std::optional<LeftBehind> only;
  for (const std::uint32_t w : at_surface) {
    auto other = state_with(board, {&w, 1}, margin, t, now, find_state);
    if (other && only) return std::nullopt;
    if (other) only = std::move(other);
  }
  return only;
}

Failure not_entered(const SwitchBoard& board, std::span<const std::uint32_t> crossed, double t,
                    const Failure& said) {
  Failure failure = said;
  const std::string hint = "; other start values or guesses may help";
  if (const auto at = failure.message.find(hint); at != std::string::npos)
    failure.message.erase(at, hint.size());
  std::vector<std::string> names;
  for (const std::uint32_t w : crossed) names.push_back(quote(board.info(w).name));
  failure.message = "at t = " + to_text(t) + " " + listed(names) +
                    (names.size() == 1 ? " changes" : " change") +
                    ", and the equations that hold from there on have no value where the "
                    "change was located: " +
                    failure.message;
  return failure;
}

}  // namespace saltus::detail
