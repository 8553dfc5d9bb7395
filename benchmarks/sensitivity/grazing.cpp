// Item 4: derivatives where a surface is touched do not exist; beside they are right.
#include "problems/grazing_oscillator.hpp"
#include "sensitivity/sensitivity.hpp"
#include "support/measure.hpp"

namespace saltus::bench {

bool show_grazing(int number) {
  using namespace problems;
  Item item(number);
  double given = no_error_known, refused = 0.0, worst = 0.0, conditioned = 0.0;
  std::size_t n_unnamed = 0, n = 0;
  for (const EngineKind engine : grazing_oscillator(1.0).engines()) {
    for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
      const GrazingSweep s = sweep_grazing(engine, tolerance);
      std::printf(
          "   %-7s %.0e: %zu given, the nearest at |a - 1| = %.3g tolerances, error up to %.3g; "
          "%zu refused, up to %.3g "
          "tolerances\n",
          std::string(name(engine)).c_str(), tolerance, s.n_given, s.nearest_given, s.worst,
          s.n_refused, s.farthest_refused);
      given = std::min(given, s.nearest_given);
      refused = std::max(refused, s.farthest_refused);
      worst = std::max(worst, s.worst);
      conditioned = std::max(conditioned, s.conditioned);
      n_unnamed += s.n_unnamed;
      n += s.n_given + s.n_refused;
    }
  }
  item.note(std::to_string(n) + " amplitudes a beside a stop at 1");
  item.at_least("given from |a - 1| =", given, 2.0, " tolerances");
  item.at_most("refused up to", refused, 1000.0, " tolerances");
  item.holds("by the name of the stop", n_unnamed == 0);
  item.at_most("those given off by", worst, 0.1);
  item.at_most("and by", conditioned, 100.0, " tolerances / |a - 1|");
  return item.print();
}

}  // namespace saltus::bench
