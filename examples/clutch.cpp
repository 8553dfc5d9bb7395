// A clutch makes one shaft of two, in three ways to write it: by what it conserves, by an equation between
// both limits, or not at all.
#include <cstdio>

#include <saltus/saltus.hpp>

namespace {

using namespace saltus;

enum class Way { nothing, equations, map };

Solution engage(Way way) {
  // [model]
  Model m("clutch");
  Expr w1 = m.state("w1", 0.0, {.unit = "rad/s"}), w2 = m.state("w2", 30.0, {.unit = "rad/s"});
  Expr torque = m.algebraic("T", {.unit = "N m"});
  m.equation("motor", 0.5 * der(w1) == 20.0 - torque);
  m.equation("load", 2.0 * der(w2) == torque - 0.4 * w2);
  m.output("momentum", 0.5 * w1 + 2.0 * w2, "N m s");
  const ModeId apart = m.mode("apart"), engaged = m.mode("engaged");
  m.equation(apart, torque == 0.0);
  m.equation(engaged, w1 == w2);
  // [model]

  // [ways]
  TransitionOptions o{.conserved = {"momentum"}};
  if (way == Way::equations) {
    // Between both limits: w1 is the speed after, pre(w1) the speed before.
    o.free = {w1, w2};
    o.equations = {0.5 * w1 + 2.0 * w2 == 0.5 * pre(w1) + 2.0 * pre(w2)};
  } else if (way == Way::map) {
    const Expr common = (0.5 * w1 + 2.0 * w2) / 2.5;
    o.maps = {{w1, common}, {w2, common}};
  }
  m.transition("engage", apart, engaged, w1 > 80.0, o);
  // [ways]
  return simulate(m, {.t_end = 3.0, .rtol = 1e-8, .atol = 1e-8});
}

}  // namespace

int main() {
  const char* const names[] = {"nothing", "equation", "map"};
  for (const Way way : {Way::nothing, Way::equations, Way::map}) {
    const Solution s = engage(way);
    if (!s.ok()) {
      std::printf("%s\n", s.report.message.c_str());
      return 1;
    }
    const EventInstant& e = s.instants()[0];
    std::printf("%-9s speed after %.4f", names[static_cast<int>(way)], s.at("w1", e.t));
    for (const ImpulseRecord& i : e.impulses) {
      std::printf(", impulse of %s %.3f %s s", i.variable.c_str(), i.strength, i.unit.c_str());
    }
    std::printf(", w1(3) = %.5f\n", s.final("w1"));
  }
  return 0;
}
