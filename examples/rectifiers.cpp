// Rectifiers with ideal diodes: one diode before a coil, and four before a capacitor. Modes in which a
// current is zero, or a voltage is that of the source, have index 2; nobody has to know.
#include <cstdio>

#include <saltus/saltus.hpp>

namespace {

using namespace saltus;

bool print_changes(const Solution& s) {
  if (!s.ok()) std::printf("%s\n", s.report.message.c_str());
  for (const EventInstant& e : s.instants()) {
    std::printf("  %.6f %s -> %s\n", e.t, e.mode_before.c_str(), e.mode_after.c_str());
  }
  return s.ok();
}

bool half_wave() {
  Model m("half-wave rectifier");
  Expr i = m.state("i", 0.0, {.unit = "A"}), v = m.algebraic("v", {.unit = "V"});
  m.equation(10.0 * sin(6.283185307179586 * m.time()) == 0.5 * der(i) + 2.0 * i + v);
  const ModeId conducts = m.mode("conducts"), blocks = m.mode("blocks");
  m.equation(conducts, v == 0.0);
  m.equation(blocks, i == 0.0);
  m.transition("stops", conducts, blocks, i < 0.0);
  m.transition("starts", blocks, conducts, v > 0.0);
  std::printf("half-wave\n");
  return print_changes(simulate(m, {.t_end = 1.9, .rtol = 1e-8, .atol = 1e-8}));
}

bool bridge() {
  Model m("bridge rectifier");
  Expr v = m.state("v", 0.0, {.unit = "V"}), i = m.algebraic("i", {.unit = "A"});
  Expr u = 10.0 * sin(6.283185307179586 * m.time());
  m.equation(0.5 * der(v) == i - v);
  const ModeId positive = m.mode("positive"), off = m.mode("off"), negative = m.mode("negative");
  m.equation(positive, v == u);
  m.equation(off, i == 0.0);
  m.equation(negative, v == -u);
  m.transition("positive stops", positive, off, i < 0.0);
  m.transition("negative stops", negative, off, i < 0.0);
  m.transition("positive starts", off, positive, u > v);
  m.transition("negative starts", off, negative, -u > v);
  std::printf("bridge\n");
  return print_changes(simulate(m, {.t_end = 1.1, .rtol = 1e-8, .atol = 1e-8}));
}

}  // namespace

int main() { return half_wave() && bridge() ? 0 : 1; }
