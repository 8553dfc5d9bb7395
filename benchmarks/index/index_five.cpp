// Item 4: linear DAEs of differentiation index 5. Errors are those of all seven unknowns, chain and
// states, at the end, relative to their own size.
#include <cstdio>

#include "index/index.hpp"
#include "problems/index_five.hpp"
#include "problems/tolerance_study.hpp"
#include "support/measure.hpp"

namespace saltus::bench {

namespace {

using namespace problems;

/// log(error) against log(tolerance) by least squares, and how far single errors leave that line.
struct ToleranceLine {
  double slope = 0.0;
  double scatter = 1e300;      // factor
  double error_over_rtol = 0;  // largest
};

ToleranceLine fit_line(const ToleranceStudy& study) {
  ToleranceLine line;
  double n = 0.0, sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
  for (const ToleranceRun& run : study.runs) {
    if (!(run.error > 0.0 && run.error < 1.0)) return line;
    const double x = std::log10(run.rtol), y = std::log10(run.error);
    n += 1.0, sx += x, sy += y, sxx += x * x, sxy += x * y;
    line.error_over_rtol = std::max(line.error_over_rtol, run.error / run.rtol);
  }
  line.slope = (n * sxy - sx * sy) / (n * sxx - sx * sx);
  double largest = 0.0;
  for (const ToleranceRun& run : study.runs) {
    const double on_line = (sy + line.slope * (n * std::log10(run.rtol) - sx)) / n;
    largest = std::max(largest, std::abs(std::log10(run.error) - on_line));
  }
  line.scatter = std::pow(10.0, largest);
  return line;
}

}  // namespace

bool show_index_five(int number) {
  // Six decades.
  const std::vector<double> rtols = {1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10};
  std::printf("   relative error at tolerance    ");
  for (const double rtol : rtols) std::printf("   %.0e", rtol);
  std::printf("  slope, scatter\n");
  double least = 1e300, most = 0.0, scatter = 0.0, factor = 0.0;
  for (const SmoothProblem& problem : {index_five_chain(), mixed_index_five_chain()}) {
    for (const EngineKind engine : {EngineKind::ida, EngineKind::radau}) {
      const auto study = study_tolerances(problem, problem.references[0], engine, rtols);
      const ToleranceLine line = fit_line(study);
      std::printf("   %-24s %-5s ", problem.name.c_str(), std::string(name(engine)).c_str());
      for (const ToleranceRun& run : study.runs) std::printf(" %7.1e", run.error);
      std::printf("  %.2f  %.1f\n", line.slope, line.scatter);
      std::fflush(stdout);
      least = std::min(least, line.slope);
      most = std::max(most, line.slope);
      scatter = std::max(scatter, line.scatter);
      factor = std::max(factor, line.error_over_rtol);
    }
  }
  Item item(number);
  item.at_least("error ~ tolerance^p: smallest p", least, 0.75);
  item.at_most("largest p", most, 1.25);
  item.at_most("single errors leave the line by a factor of", scatter, 10);
  item.at_most("largest error over tolerance", factor, 100);
  return item.print();
}

}  // namespace saltus::bench
