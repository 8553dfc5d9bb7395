// Item 2: derivatives beside central differences of runs that have the same events, and how well differences know
// them.
#include "problems/sensitive_differences.hpp"
#include "problems/sensitive_problems.hpp"
#include "sensitivity/sensitivity.hpp"
#include "support/measure.hpp"

namespace saltus::bench {

bool show_sensitive_differences(int number) {
  using namespace problems;
  Item item(number);
  double unknowns = 0.0, times = 0.0, own = 0.0;
  std::size_t n_runs = 0;
  std::vector<SensitiveProblem> all = sensitive_problems();
  all.push_back(sensitive_string());
  for (const SensitiveProblem& p : all) {
    const RunDifferences d = differences(p);
    const DifferenceErrors theirs = own_errors_of(p, d);
    std::printf("   %-20s differences by themselves: %.3g, event times %.3g %s\n", p.name.c_str(),
                theirs.of_variables, theirs.of_times, theirs.why.c_str());
    own = std::max({own, theirs.of_variables, theirs.of_times});
    for (const EngineKind engine : p.engines()) {
      const DifferenceErrors e = errors_of(p, d, with_derivatives(p, engine, p.tolerance));
      std::printf("   %-20s %-7s %zu parameters, %zu events: %.3g (%s), event times %.3g %s\n",
                  p.name.c_str(), std::string(name(engine)).c_str(), p.parameters.size(),
                  d.of_times.empty() ? 0 : d.of_times[0].size(), e.of_variables, e.worst.c_str(),
                  e.of_times, e.why.c_str());
      std::fflush(stdout);
      unknowns = std::max(unknowns, e.of_variables);
      times = std::max(times, e.of_times);
      ++n_runs;
    }
  }
  item.note(std::to_string(all.size()) + " models, " + std::to_string(n_runs) + " runs");
  item.at_most("unknowns off by", unknowns, 1e-5);
  item.at_most("event times by", times, 1e-5);
  item.at_most("differences by themselves", own, 1e-5);
  return item.print();
}

}  // namespace saltus::bench
