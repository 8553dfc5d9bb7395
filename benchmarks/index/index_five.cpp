// Item 4: linear DAEs of differentiation index 5. Errors are those of all seven unknowns, chain and
// states, at the end, relative to their own size above 1.
#include <cstdio>

#include "index/index.hpp"
#include "problems/index_five.hpp"
#include "support/measure.hpp"

namespace saltus::bench {

namespace {

using namespace problems;

/// log(error) against log(tolerance) by least squares, and how far single errors leave that line.
struct ToleranceLine {
  double slope = 0.0;
  double scatter = 1e300;          // factor
  double error_over_rtol = 1e300;  // largest
};

ToleranceLine fit_line(const std::vector<double>& rtols, const std::vector<double>& errors) {
  ToleranceLine line;
  double n = 0.0, sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0, factor = 0.0;
  for (std::size_t k = 0; k < rtols.size(); ++k) {
    if (!(errors[k] > 0.0 && errors[k] < 1.0)) return line;
    const double x = std::log10(rtols[k]), y = std::log10(errors[k]);
    n += 1.0, sx += x, sy += y, sxx += x * x, sxy += x * y;
    factor = std::max(factor, errors[k] / rtols[k]);
  }
  line.slope = (n * sxy - sx * sy) / (n * sxx - sx * sx);
  line.error_over_rtol = factor;
  double largest = 0.0;
  for (std::size_t k = 0; k < rtols.size(); ++k) {
    const double on_line = (sy + line.slope * (n * std::log10(rtols[k]) - sx)) / n;
    largest = std::max(largest, std::abs(std::log10(errors[k]) - on_line));
  }
  line.scatter = std::pow(10.0, largest);
  return line;
}

/// Six decades.
const std::vector<double> chain_rtols = {1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10};

double error_at_end(const SmoothProblem& problem, EngineKind engine, double rtol) {
  const Solution s =
      run_to(problem, problem.references[0], {.rtol = rtol, .atol = rtol, .engine = engine});
  if (!s.ok()) return std::numeric_limits<double>::infinity();
  double error = 0.0;
  for (const auto& [unknown, value] : problem.references[0].values) {
    error = std::max(error, std::abs(s.final(unknown) - value) / std::max(1.0, std::abs(value)));
  }
  return error;
}

ToleranceLine measure_line(const SmoothProblem& problem, EngineKind engine) {
  std::vector<double> errors;
  std::printf("   %-24s %-5s ", problem.name.c_str(), std::string(name(engine)).c_str());
  for (const double rtol : chain_rtols) {
    // At one time of one run an error may happen to be small: the mean over tolerances nearby.
    double logs = 0.0;
    for (const double part : {0.5, 0.7, 1.0, 1.4, 2.0}) {
      logs += std::log(error_at_end(problem, engine, part * rtol)) / 5;
    }
    errors.push_back(std::exp(logs));
    std::printf(" %7.1e", errors.back());
    std::fflush(stdout);
  }
  const ToleranceLine line = fit_line(chain_rtols, errors);
  std::printf("  %.2f  %.1f\n", line.slope, line.scatter);
  return line;
}

}  // namespace

bool show_index_five(int number) {
  std::printf("   error at tolerance             ");
  for (const double rtol : chain_rtols) std::printf("   %.0e", rtol);
  std::printf("  slope, scatter\n");
  Item item(number);
  for (const EngineKind engine : {EngineKind::ida, EngineKind::radau}) {
    // What the engine makes of the states alone: Radau's step follows tolerance^(1/6), its error
    // tolerance^(5/6).
    const ToleranceLine by_hand = measure_line(index_five_states(), engine);
    const ToleranceLine plain = measure_line(index_five_chain(), engine);
    const ToleranceLine mixed = measure_line(mixed_index_five_chain(), engine);
    item.at_least(std::string(name(engine)) + ": error ~ tolerance^p, p",
                  std::min(plain.slope, mixed.slope), std::min(0.9, by_hand.slope - 0.05));
    char text[64];
    std::snprintf(text, sizeof text, "states by hand %.2f", by_hand.slope);
    item.note(text);
    item.at_most("largest p", std::max(plain.slope, mixed.slope), 1.2);
    item.at_most("scatter by a factor of", std::max(plain.scatter, mixed.scatter), 6);
    item.at_most("error over tolerance", std::max(plain.error_over_rtol, mixed.error_over_rtol),
                 std::max(10.0, 5 * by_hand.error_over_rtol));
  }
  item.leaves_out(
      "a bound from outside: slope and error are judged beside the engine on the states by hand; "
      "each point "
      "is the mean of five tolerances");
  return item.print();
}

}  // namespace saltus::bench
