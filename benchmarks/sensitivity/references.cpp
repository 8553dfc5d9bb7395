// Item 1: derivatives before and after every event, at the end, and of event times, beside tests/reference.
#include "problems/sensitive_reference.hpp"
#include "sensitivity/sensitivity.hpp"
#include "support/measure.hpp"

namespace saltus::bench {

bool show_sensitive_references(int number) {
  using namespace problems;
  Item item(number);
  for (const ReferenceProblem& rp : {sensitive_small_hybrid(), sensitive_carver_circuit()}) {
    double unknowns = 0.0, times = 0.0, control = no_error_known;
    for (const EngineKind engine : rp.problem.engines()) {
      for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
        const DerivativeErrors e = errors_of(rp, with_derivatives(rp.problem, engine, tolerance));
        const DerivativeErrors wrong =
            errors_of(rp, without_jumps(rp.problem, engine, tolerance), false);
        std::printf(
            "   %-15s %-7s %.0e: before events %.3g, after %.3g, at the end %.3g, of times %.3g "
            "tolerances; without "
            "jumps %.3g of what they are%s\n",
            rp.problem.name.c_str(), std::string(name(engine)).c_str(), tolerance,
            e.before / tolerance, e.after / tolerance, e.end / tolerance, e.times / tolerance,
            wrong.end, e.why.c_str());
        unknowns = std::max(unknowns, e.of_unknowns() / tolerance);
        times = std::max(times, e.times / tolerance);
        control = std::min(control, wrong.end / (1000 * tolerance));
      }
    }
    const std::string who = rp.problem.name + ", " + std::to_string(rp.problem.parameters.size()) +
                            (rp.problem.parameters.size() == 1 ? " parameter" : " parameters");
    item.at_most(who + ", of unknowns", unknowns, 1000.0, " tolerances");
    item.at_most("of event times", times, 1000.0, " tolerances");
    item.at_least("without jumps beyond that by", control, 1.0, " times");
  }
  return item.print();
}

}  // namespace saltus::bench
