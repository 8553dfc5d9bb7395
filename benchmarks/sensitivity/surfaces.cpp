// Item 3: derivatives into and out of surfaces.
#include "problems/sensitive_surfaces.hpp"
#include "sensitivity/sensitivity.hpp"
#include "support/measure.hpp"

namespace saltus::bench {

bool show_sensitive_surfaces(int number) {
  using namespace problems;
  constexpr double eps = 2.220446049250313e-16;
  Item item(number);
  std::size_t n_entries = 0, n_exits = 0;
  double entry = 0.0, exit = 0.0;
  for (const SlidingDerivatives& d : sliding_derivatives()) {
    for (const EngineKind engine : d.problem.engines()) {
      for (const double tolerance : {1e-8, 1e-10}) {
        const SurfaceErrors e = surface_errors(d, engine, tolerance);
        std::printf(
            "   %-20s %-7s %.0e: %zu entries, g_x S + g_p %.3g eps; %zu exits, S+ - S- %.3g "
            "tolerances\n",
            d.problem.name.c_str(), std::string(name(engine)).c_str(), tolerance, e.n_entries,
            e.entry / eps, e.n_exits, e.exit / tolerance);
        n_entries += e.n_entries, n_exits += e.n_exits;
        entry = std::max(entry, e.entry / eps);
        exit = std::max(exit, e.exit / tolerance);
      }
    }
  }
  item.holds(std::to_string(n_entries) + " entries, " + std::to_string(n_exits) + " exits",
             n_entries > 0 && n_exits > 0);
  // a few hundred operations on numbers of that size
  item.at_most("g_x S + g_p", entry, 1000.0, " eps");
  // of the time of the exit, by which fields differ
  item.at_most("S+ - S- at exits", exit, 1000.0, " tolerances");
  return item.print();
}

}  // namespace saltus::bench
