#include "hybrid/moment_later.hpp"

#include <algorithm>
#include <cmath>

#include <saltus/system/abilities.hpp>

namespace saltus::detail {

namespace {

/// Relations whose change would make the mode impossible.
std::vector<std::uint32_t> required_relations(EventKit& kit, std::span<const double> x) {
  std::vector<std::uint32_t> found;
  for (std::uint32_t w = 0; w < kit.board.count(); ++w) {
    if (!kit.board.functions().is_active(w)) continue;
    kit.board.set_truth(w, !kit.board.truth(w));
    if (!kit.iteration.holding(ActionKind::requirement, x).empty()) found.push_back(w);
    kit.board.set_truth(w, !kit.board.truth(w));
  }
  return found;
}

// The step is made as accurately as it can be; what is smaller than this beside the unknowns is not told from zero.
constexpr double tolerance_of_moment = 1e-12;
constexpr int n_moments = 4;
constexpr double noise_of_moment = 10 * tolerance_of_moment;

Result<void> go_to(Engine& engine, double bound) {
  constexpr int most_steps = 100;
  for (int k = 0; k < most_steps && engine.t() != bound; ++k) {
    if (auto stepped = engine.step(bound); !stepped) return stepped;
  }
  return {};
}

/// Whether a required relation begins at zero and then is clearly on its wrong side: one that was on its right side
/// before is that of a short stay. A step that cannot be made tells nothing.
bool goes_wrong(const PossibleMode& at, double t, double moment) {
  ModeRun& mode = *at.mode;
  if (!mode.kit) return false;
  SwitchBoard& board = mode.kit->board;
  board.set_truths(at.truths);
  const double bound = std::min(t + moment, mode.enter_stretch(t));
  EngineOptions accurate = mode.engine_options;
  accurate.rtol = tolerance_of_moment;
  for (std::uint32_t i = 0; i < mode.system->size(); ++i)
    accurate.atol[i] = tolerance_of_moment * mode.system->nominal(i);
  const auto engine =
      make_engine(EngineKind::radau, *mode.system, *mode.workspace, std::move(accurate));
  StartHint hint;
  hint.step = (bound - t) / n_moments;
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
  bool is_known = static_cast<bool>(engine->start({t, at.start->x, at.start->xdot}, bound, hint));
  for (int k = 1; k <= n_moments && is_known; ++k) {
    is_known = static_cast<bool>(go_to(*engine, t + (bound - t) * k / n_moments));
    std::erase_if(wrong, [&](std::uint32_t w) {
      return side_value(w, engine->t(), engine->x(), engine->xdot()) >= -noise_of_moment;
    });
  }
  board.set_truths(at.truths);
  (void)mode.enter_stretch(t);
  if (auto* refresh = mode.workspace->ability<StepRefresh>())
    (void)refresh->step_accepted(t, at.start->x, at.start->xdot);
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
