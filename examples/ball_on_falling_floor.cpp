// A ball bounces ever faster until it lies still. Then the floor begins to fall, ever faster, until the ball does not
// follow.
#include "two_forms.hpp"

using namespace saltus;

namespace {

Expr floor_height(Model& m) {
  const Expr later = m.time() - 2.0;
  return where(m.time() > 2.0, -5.0 * later * later * later, 0.0);
}

// [model]
void with_blocks(Model& m) {
  Expr y = m.state("y", 1.0, {.unit = "m"}), v = m.state("v", 0.0, {.unit = "m/s"});
  Expr force = m.unilateral("floor", y - floor_height(m), {.restitution = 0.5});
  m.equation(der(y) == v);
  m.equation(2.0 * der(v) == -2.0 * 9.81 + force);
}
// [model]

// [modes]
void by_hand(Model& m) {
  Expr y = m.state("y", 1.0, {.unit = "m"}), v = m.state("v", 0.0, {.unit = "m/s"});
  Expr force = m.algebraic("force", {.unit = "N"});
  m.equation(der(y) == v);
  m.equation(2.0 * der(v) == -2.0 * 9.81 + force);
  const ModeId flies = m.mode("flies"), rests = m.mode("rests");
  m.equation(flies, force == 0.0);
  m.equation(rests, y == floor_height(m));
  const Expr later = m.time() - 2.0, floor_speed = where(later > 0.0, -15.0 * later * later, 0.0);
  const Cond touches = m.named("touches", y < floor_height(m));
  m.when("bounces", touches, {{v, floor_speed - 0.5 * (pre(v) - floor_speed)}});
  m.transition("comes to rest", flies, rests, touches, {.at_accumulation = true});
  m.transition("loses the floor", rests, flies, force < 0.0);
}
// [modes]

}  // namespace

int main(int argc, char** argv) {
  const auto with_floor = [](Model& m) {
    with_blocks(m);
    m.output("floor", floor_height(m), "m");
  };
  const Solution s = two_forms::run("ball on a falling floor", with_floor, 2.6);
  const Solution hand = two_forms::run("the same with modes", by_hand, 2.6);
  if (!s.ok() || !hand.ok()) return 1;
  for (const Event& e : s.events()) {
    if (e.name == "floor comes to rest" || e.name == "floor separates")
      std::printf("%8.5f %s\n", e.t, e.name.c_str());
  }
  const double apart = two_forms::apart(s, hand, {{"y"}, {"v"}, {"floor.force", "force"}}, 2.6);
  const bool same = two_forms::agree("ball", apart);
  return two_forms::write_files(argc, argv, {&s}) && same ? 0 : 1;
}
