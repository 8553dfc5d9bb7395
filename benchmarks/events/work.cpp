// Item 6: work beside an oracle that knows all events.
#include <cstdio>

#include "events/events.hpp"
#include "events/oracle.hpp"
#include "problems/switched_problems.hpp"
#include "support/measure.hpp"

namespace saltus::bench {

namespace {

using namespace problems;

constexpr double work_tolerances[] = {1e-4, 1e-6, 1e-8, 1e-10};

}  // namespace

bool show_event_work(int number) {
  Item item(number);
  for (const SwitchedProblem& p :
       {pounding(), bouncing_ball(), carver_circuit(), small_hybrid(), thermostat(),
        derivative_guard(), moving_surface(), spring_balls(), impact_balls(), marble_jar_2(),
        marble_jar_4()}) {
    Oracle oracle(p);
    for (const EngineKind engine :
         {EngineKind::dopri5, EngineKind::dop853, EngineKind::radau, EngineKind::ida}) {
      if (!p.explicit_engines && (engine == EngineKind::dopri5 || engine == EngineKind::dop853))
        continue;
      std::printf("   %-18s %-7s", p.name.c_str(), std::string(name(engine)).c_str());
      for (const double tolerance : work_tolerances) {
        OracleOptions o{.engine = engine, .tolerance = tolerance};
        o.carry_step = true;
        const OracleRun a = oracle.run(o);
        o.carry_step = false;
        const OracleRun b = oracle.run(o);
        std::printf("  %6llu %6llu %8.1e%s", static_cast<unsigned long long>(a.work.n_evaluations),
                    static_cast<unsigned long long>(b.work.n_evaluations), a.end_error,
                    a.ok && b.ok ? "" : "!");
        if (!a.ok) std::printf(" %s\n", a.message.c_str());
        std::fflush(stdout);
      }
      std::printf("\n");
    }
  }
  item.holds("not measured yet", false);
  return item.print();
}

}  // namespace saltus::bench
