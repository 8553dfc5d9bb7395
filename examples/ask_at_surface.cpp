// A run that stops where its solution would stay on a surface, shows the ways to go on, and is told which one.
#include <cstdio>

#include <saltus/saltus.hpp>

int main() {
  using namespace saltus;
  Model m("belt");
  Expr x = m.state("x", 0.0), v = m.state("v", 0.0);
  Expr friction = where(m.named("slips forward", v > 0.2), Expr(-1.0), Expr(1.0));
  m.equation("position", der(x) == v);
  m.equation("speed", der(v) == -3.0 * x + friction);

  // [ask]
  RunOptions o{.t_end = 2.5};
  o.events.surface_of = {{"slips forward", SurfacePolicy::stop}};
  Run run = start_run(m, o);
  while (!run.ended()) {
    if (run.advance()) continue;
    // advance() returns false at the end, and where the run waits for a decision.
    const auto ways = run.decision();
    for (std::size_t i = 0; i < ways.size(); ++i) {
      std::printf("%7.4f s, way %zu: %s, %s\n", run.t(), i, ways[i].text.c_str(),
                  ways[i].consistent ? "possible" : ways[i].verdict.c_str());
    }
    for (std::size_t i = 0; i < ways.size(); ++i) {
      if (!ways[i].consistent) continue;
      run.choose(i);
      break;
    }
  }
  const Solution s = run.finish();
  // [ask]
  std::printf("%s\n", to_text(s.event_log).c_str());
  return s.ok() ? 0 : 1;
}
