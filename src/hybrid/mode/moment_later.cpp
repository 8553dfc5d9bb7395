#include "hybrid/mode/moment_later.hpp"

#include <algorithm>
#include <cmath>

#include "hybrid/mode/accurate_motion.hpp"

namespace saltus::detail {

namespace {

/// Relations whose change would make the mode impossible.
std::vector<std::uint32_t> required_relations(EventKit& kit, std::span<const double> x) {
  std::vector<std::uint32_t> found;
  for (std::uint32_t w = 0; w < kit.board.count(); ++w) {
    if (!kit.board.functions().is_active(w)) continue;
    kit.board.set_truth(w, !kit.board.truth(w));
    if (!kit.iteration.actions().holding(ActionKind::requirement, x).empty()) found.push_back(w);
    kit.board.set_truth(w, !kit.board.truth(w));
  }
  return found;
}

constexpr int n_moments = 4;
// What is smaller than this beside the unknowns is not told from zero.
constexpr double noise_of_moment = 10 * AccurateMotion::tolerance;

/// Whether a required relation begins at zero and then is clearly on its wrong side: one that was on its right side
/// before is that of a short stay. A step that cannot be made tells nothing.
bool goes_wrong(const PossibleMode& at, double t, double moment) {
  ModeRun& mode = *at.mode;
  if (!mode.kit) return false;
  SwitchBoard& board = mode.kit->board;
  board.set_truths(at.truths);
  const double bound = std::min(t + moment, mode.enter_stretch(t));
  const auto size_of = [](std::span<const double> x) {
    double size = 1.0;
    for (const double value : x) size = std::max(size, std::abs(value));
    return size;
  };
  const auto side_value = [&](std::uint32_t w, double t_there, std::span<const double> x,
                              std::span<const double> xdot) {
    double g = 0.0;
    const bool is_number =
        static_cast<bool>(board.functions().evaluate_one(w, t_there, x, xdot, g));
    return is_number ? board.side(w) * g / size_of(x) : 1.0;
  };
  std::vector<std::uint32_t> wrong = required_relations(*mode.kit, at.start->x);
  std::erase_if(wrong, [&](std::uint32_t w) {
    return side_value(w, t, at.start->x, at.start->xdot) > noise_of_moment;
  });
  AccurateMotion motion(mode, t, *at.start, bound, (bound - t) / n_moments);
  bool is_known = true;
  for (int k = 1; k <= n_moments && is_known; ++k) {
    is_known = motion.go_to(t + (bound - t) * k / n_moments);
    std::erase_if(wrong, [&](std::uint32_t w) {
      return side_value(w, motion.t(), motion.x(), motion.xdot()) >= -noise_of_moment;
    });
  }
  return is_known && !wrong.empty();
}

}  // namespace

std::vector<std::uint8_t> possible_a_moment_later(std::span<const PossibleMode> modes, double t,
                                                  double moment) {
  std::vector<std::uint8_t> possible;
  for (const PossibleMode& m : modes) possible.push_back(goes_wrong(m, t, moment) ? 0 : 1);
  if (std::ranges::count(possible, 1) == 0) possible.assign(modes.size(), 1);
  return possible;
}

}  // namespace saltus::detail
