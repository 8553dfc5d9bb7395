// Item 2: reference problems over a range of tolerances, on both implicit engines.
#include <cstdio>

#include "problems/smooth_problems.hpp"
#include "problems/tolerance_study.hpp"
#include "smooth.hpp"
#include "support/measure.hpp"

namespace saltus::bench {

namespace {

using namespace problems;

constexpr double decades_4_to_10[] = {1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10};

/// The two figures judged, over several problems.
struct Worst {
  double fall = std::numeric_limits<double>::infinity();
  double reached = 0.0;

  void add(const ToleranceStudy& study) {
    fall = std::min(fall, study.fall_per_two_decades());
    reached = std::max(reached, study.runs.back().error);
  }
};

void print_header() {
  std::printf("   relative error at rtol           ");
  for (const double rtol : decades_4_to_10) std::printf("    %.0e", rtol);
  std::printf("  fall per two decades\n");
}

void print_errors(const SmoothProblem& problem, const ReferencePoint& reference, EngineKind engine,
                  const ToleranceStudy& study, double fall) {
  std::printf("   %-20s t=%-6.3g %-5s ", problem.name.c_str(), reference.t,
              std::string(name(engine)).c_str());
  for (const double rtol : decades_4_to_10) {
    const double error = study.error_at(rtol);
    if (std::isfinite(error)) {
      std::printf("  %.1e", error);
    } else {
      std::printf("        -");
    }
  }
  std::printf("  %.0f\n", fall);
  std::fflush(stdout);
}

/// Tolerances 1e-4 to 10^-last.
ToleranceStudy study_decades(const SmoothProblem& problem, EngineKind engine, int last,
                             Worst& worst) {
  const ReferencePoint& reference = problem.references[0];
  const std::vector<double> rtols(decades_4_to_10, decades_4_to_10 + (last - 3));
  ToleranceStudy study = study_tolerances(problem, reference, engine, rtols);
  print_errors(problem, reference, engine, study, study.fall_per_two_decades());
  worst.add(study);
  return study;
}

/// atol = max(1e-6 rtol, 1e-14). From rtol = 1e-8 on this atol stays, while y1 and y2 end at 5e-8 and
/// 2e-13: the errors of the last runs are a few atol, as asked for, and say nothing of rtol. So
/// errors are judged down to rtol = 1e-8 and at 1e-10 with atol = 1e-16, the tightest both engines
/// can use (IDA refuses 1e-17).
void study_robertson(EngineKind engine, Worst& worst) {
  const SmoothProblem problem = robertson();
  for (const ReferencePoint& reference : problem.references) {
    const std::vector<double> rtols(std::begin(decades_4_to_10), std::end(decades_4_to_10));
    const ToleranceStudy shown = study_tolerances(problem, reference, engine, rtols, {1e-6, 1e-14});
    ToleranceStudy judged;
    judged.runs.assign(shown.runs.begin(), shown.runs.begin() + 5);
    judged.runs.push_back(run_at(problem, reference, engine, 1e-10, 1e-16));
    print_errors(problem, reference, engine, shown, judged.fall_per_two_decades());
    std::printf("   %-33s at rtol 1e-10, atol 1e-16: %.1e\n", "", judged.runs.back().error);
    worst.add(judged);
  }
}

}  // namespace

bool show_accuracy(int number) {
  Item item(number);
  Worst radau, ida;
  print_header();

  // What the amplifier must reach is stated apart: below 1e-8 IDA, driven by hand or by us, needs
  // more than a million steps, most of them failures of its error test.
  const SmoothProblem amplifier = transistor_amplifier();
  Worst amplifier_both;
  const auto amplifier_radau = study_decades(amplifier, EngineKind::radau, 10, amplifier_both);
  const auto amplifier_ida = study_decades(amplifier, EngineKind::ida, 8, amplifier_both);
  study_robertson(EngineKind::radau, radau);
  study_robertson(EngineKind::ida, ida);
  for (const SmoothProblem& problem : {van_der_pol(), diode_rectifier()}) {
    study_decades(problem, EngineKind::radau, 10, radau);
    study_decades(problem, EngineKind::ida, 10, ida);
  }

  item.at_most("transistor amplifier: radau at 1e-10", amplifier_radau.error_at(1e-10), 1e-8);
  item.at_most("ida at 1e-8", amplifier_ida.error_at(1e-8), 2e-6);
  item.at_least("fall per two decades", amplifier_both.fall, 10);
  item.at_least("the other three: fall per two decades, radau", radau.fall, 10);
  item.at_least("ida", ida.fall, 10);
  item.at_most("reached by radau", radau.reached, 1e-7);
  item.at_most("by ida", ida.reached, 1e-7);
  item.leaves_out(
      "Robertson at rtol 1e-9 and 1e-10 with atol 1e-14, which limits the error there; judged at "
      "rtol "
      "1e-10 with atol 1e-16");
  return item.print();
}

}  // namespace saltus::bench
