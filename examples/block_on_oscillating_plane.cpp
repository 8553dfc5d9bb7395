// A block lies on a plane that oscillates. It is taken along while that takes no more than static friction; then the
// plane slips away below it.
#include "two_forms.hpp"

using namespace saltus;

namespace {

const double weight = 9.81;  // per mass

Expr plane(Model& m) { return cos(5.0 * m.time()); }  // its velocity

// [model]
void with_blocks(Model& m) {
  Expr x = m.state("x", 0.0, {.unit = "m"}), v = m.state("v", 0.0, {.unit = "m/s"});
  Expr friction = m.friction("pad", v - plane(m), weight, {.mu_kinetic = 0.3, .mu_static = 0.4});
  m.equation(der(x) == v);
  m.equation(der(v) == friction);
  m.output("friction", friction, "N/kg");
}
// [model]

// [modes]
void by_hand(Model& m) {
  Expr x = m.state("x", 0.0, {.unit = "m"}), v = m.state("v", 0.0, {.unit = "m/s"});
  Expr friction = m.algebraic("friction", {.unit = "N/kg"});
  m.equation(der(x) == v);
  m.equation(der(v) == friction);
  const ModeId slower = m.mode("slower"), sticks = m.mode("sticks"), faster = m.mode("faster");
  m.equation(slower, friction == 0.3 * weight);
  m.equation(sticks, v == plane(m));
  m.equation(faster, friction == -0.3 * weight);
  m.require(sticks, friction <= 0.4 * weight);
  m.require(sticks, friction >= -0.4 * weight);
  m.transition("catches up", slower, {sticks, faster}, v > plane(m));
  m.transition("is caught up", faster, {sticks, slower}, v < plane(m));
  m.transition("is left behind", sticks, slower, friction > 0.4 * weight);
  m.transition("runs ahead", sticks, faster, friction < -0.4 * weight);
}
// [modes]

}  // namespace

int main(int argc, char** argv) {
  const auto with_plane = [](Model& m) {
    with_blocks(m);
    m.output("plane", plane(m), "m/s");
  };
  const Solution s = two_forms::run("block on an oscillating plane", with_plane, 5.0);
  const Solution hand = two_forms::run("the same with modes", by_hand, 5.0);
  if (!s.ok() || !hand.ok()) return 1;
  for (const Event& e : s.events()) {
    if (e.kind == EventKind::enter_sliding) std::printf("%8.5f sticks\n", e.t);
    if (e.kind == EventKind::exit_sliding) std::printf("%8.5f slips\n", e.t);
  }
  const double apart = two_forms::apart(s, hand, {{"x"}, {"v"}, {"friction"}}, 5.0);
  const bool same = two_forms::agree("oscillating plane", apart);
  return two_forms::write_files(argc, argv, {&s}) && same ? 0 : 1;
}
