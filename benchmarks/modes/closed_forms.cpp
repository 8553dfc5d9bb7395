// Item 2: changes of structure beside closed solutions and what they conserve.
#include <cmath>

#include "modes/mode_runs.hpp"
#include "modes/modes.hpp"

namespace saltus::bench {

namespace {

using namespace problems;

/// Three ways to say what a clutch does come to the same.
void compare_clutches(Item& item) {
  double most = 0.0;
  const Solution first = run_modes(clutch(ClutchJump::impulse), EngineKind::radau, 1e-8);
  for (const ClutchJump jump : {ClutchJump::equations, ClutchJump::map}) {
    const Solution s = run_modes(clutch(jump), EngineKind::radau, 1e-8);
    most =
        std::max(most, s.ok() && first.ok() ? std::abs(s.final("w1") - first.final("w1")) : 1e300);
  }
  item.at_most("clutch by impulse, equations, map: speeds differ by", most, 1e-8, "");
}

/// A rope that catches takes the radial energy, no more and no less: (F l)^2/2 of the impulse F.
void compare_energy(Item& item) {
  double most = 0.0;
  for (const auto& [p, l] :
       {std::pair(cut_rope(), CutRope::longer), {slack_rope(), SlackRope::length}}) {
    const Solution s = run_modes(p, EngineKind::radau, 1e-10);
    double error = 1e300;
    for (const EventInstant& i : s.instants()) {
      if (i.impulses.size() != 1) continue;
      const std::uint32_t column = s.trajectory.index_of("energy");
      const double lost = i.x_minus[column] - i.x_plus[column];
      const double radial = i.impulses[0].strength * l;
      error = std::abs(lost - radial * radial / 2) / lost;
    }
    most = std::max(most, error);
  }
  item.at_most("energy lost where ropes catch: relative error", most, 300 * 1e-10, "");
}

/// A ball lies still, carried by its weight.
void compare_rest(Item& item) {
  RunOptions o;
  o.t_end = RestingBall::t_end;
  o.rtol = o.atol = 1e-8;
  const Solution s = simulate(write_model(resting_ball()), o);
  const double t = 0.5 * (static_cast<double>(RestingBall::rest()) + RestingBall::falls_at);
  const bool still = s.ok() && std::abs(s.at("h", t)) < 1e-8 &&
                     std::abs(s.at("contact", t) - RestingBall::g) < 1e-6;
  item.holds("the ball rests under its weight", still);
}

}  // namespace

bool show_closed_forms(int number) {
  Item item(number);
  ModeRuns all;
  for (const ModeProblem& p : closed_mode_problems()) judge_problem(all, p, p.name);
  judge_problem(all, clutch(ClutchJump::equations), "clutch, equations");
  judge_problem(all, clutch(ClutchJump::map), "clutch, map");
  judge_problem(all, latched_sliders(true), "latched sliders, statics");
  add_to_item(item, all);
  item.holds(std::to_string(all.n_conserved) + " declared balances, " +
                 std::to_string(all.n_broken) + " broken",
             all.n_conserved > 0 && all.n_broken == 0);
  compare_clutches(item);
  compare_energy(item);
  compare_rest(item);
  return item.print();
}

}  // namespace saltus::bench
