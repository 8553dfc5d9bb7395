// A block is pushed up a slope: it slips, comes to rest, sticks although kinetic friction would not hold it, and slips
// back when it is pulled down ever more strongly.
#include "two_forms.hpp"

using namespace saltus;

namespace {

const double down = 9.81 * std::sin(0.4), weight = 9.81 * std::cos(0.4);  // per mass

Expr pull(Model& m) { return where(m.time() > 1.0, 1.5 * (m.time() - 1.0), 0.0); }

// [model]
void with_blocks(Model& m) {
  Expr s = m.state("s", 0.0, {.unit = "m"}), v = m.state("v", 2.0, {.unit = "m/s"});
  Expr friction = m.friction("rubbing", v, weight, {.mu_kinetic = 0.3, .mu_static = 0.5});
  m.equation(der(s) == v);
  m.equation(der(v) == -down - pull(m) + friction);
  m.output("friction", friction, "N/kg");
}
// [model]

// [modes]
void by_hand(Model& m) {
  Expr s = m.state("s", 0.0, {.unit = "m"}), v = m.state("v", 2.0, {.unit = "m/s"});
  Expr friction = m.algebraic("friction", {.unit = "N/kg"});
  m.equation(der(s) == v);
  m.equation(der(v) == -down - pull(m) + friction);
  const ModeId up = m.mode("slips up"), sticks = m.mode("sticks"), back = m.mode("slips down");
  m.equation(up, friction == -0.3 * weight);
  m.equation(sticks, v == 0.0);
  m.equation(back, friction == 0.3 * weight);
  m.require(sticks, friction <= 0.5 * weight);
  m.require(sticks, friction >= -0.5 * weight);
  m.transition("stops on its way up", up, {sticks, back}, v < 0.0);
  m.transition("stops on its way down", back, {sticks, up}, v > 0.0);
  m.transition("gives way upward", sticks, up, friction < -0.5 * weight);
  m.transition("gives way downward", sticks, back, friction > 0.5 * weight);
}
// [modes]

}  // namespace

int main(int argc, char** argv) {
  const Solution s = two_forms::run("block on a slope", with_blocks, 4.0);
  const Solution hand = two_forms::run("the same with modes", by_hand, 4.0);
  if (!s.ok() || !hand.ok()) return 1;
  for (const Event& e : s.events()) {
    if (e.kind == EventKind::enter_sliding) std::printf("%8.5f sticks\n", e.t);
    if (e.kind == EventKind::exit_sliding) std::printf("%8.5f slips\n", e.t);
  }
  const double apart = two_forms::apart(s, hand, {{"s"}, {"v"}, {"friction"}}, 4.0);
  const bool same = two_forms::agree("slope", apart);
  return two_forms::write_files(argc, argv, {&s}) && same ? 0 : 1;
}
