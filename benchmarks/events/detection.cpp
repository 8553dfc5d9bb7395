// Item 1: adversarial switching functions along one step.
//
// SALTUS_DETECTION_STEPS: how many steps are searched and checked (1,000,000).
#include <cstdio>
#include <cstdlib>

#include "events/events.hpp"
#include "problems/detection_study.hpp"
#include "support/measure.hpp"

namespace saltus::bench {

namespace {

using problems::DetectionStudy;
using problems::DetectionTally;

/// Prints one row and adds it to the sum of its kind.
void print_row(const char* name, double value, const DetectionTally& t, DetectionTally& sum) {
  const auto count = [](std::uint64_t n) { return static_cast<unsigned long long>(n); };
  std::printf(
      "   %-12s %8.0e %8llu steps: %7llu departures, %6llu touches, missed %llu, false proofs %llu;"
      " signs at the ends miss %llu\n",
      name, value, count(t.n_steps), count(t.n_departures), count(t.n_touches), count(t.n_missed),
      count(t.n_false), count(t.n_control_missed));
  std::fflush(stdout);
  sum.add(t);
}

/// Seconds per function for the search of an ordinary step, and for one look at the step: the unknowns at a
/// time, and all functions of them, which is what a scheme that samples pays per sample.
struct Seconds {
  double search = 0.0;
  double look = 0.0;
};

Seconds measure_ordinary_steps() {
  problems::DetectionFunctions functions(problems::n_detection_states, problems::detection_kinds);
  DepartureSearch search(functions.functions(), functions.enclosure());
  DetectionStudy source(77);
  std::vector<test::OwnedStep> steps;
  std::vector<std::vector<std::int8_t>> sides;
  std::vector<double> x(problems::n_detection_states), xdot(x.size());
  std::vector<double> g(problems::n_detection_kinds);
  for (int i = 0; i < 2000; ++i) {
    steps.push_back(source.random_step(problems::n_detection_states, 0.2));
    steps.back().step().state_at(steps.back().t0, x);
    std::vector<std::int8_t> side;
    if (!functions.functions().evaluate(steps.back().t0, x, xdot, g)) continue;
    for (const double value : g) side.push_back(value < 0 ? -1 : 1);
    sides.push_back(side);
  }
  double sink = 0.0;
  const auto look = [&] {
    for (const test::OwnedStep& owned : steps) {
      const StepPolynomial step = owned.step();
      const double t = 0.5 * (step.t_left + step.t_right);
      step.state_at(t, x);
      step.derivative_at(t, xdot);
      if (functions.functions().evaluate(t, x, xdot, g)) sink += g[0];
    }
  };
  const auto find = [&] {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      sink += static_cast<double>(search.first(steps[i].step(), 0.0, {sides[i], {}, {}}).size());
    }
  };
  const std::vector<double> best = best_of_interleaved({find, look}, 2.0);
  const double per = 1.0 / static_cast<double>(steps.size() * problems::n_detection_kinds);
  return {best[0] * per, best[1] * per + 0.0 * sink};
}

}  // namespace

bool show_detection(int number) {
  const char* text = std::getenv("SALTUS_DETECTION_STEPS");
  const std::uint64_t n_steps = text != nullptr ? std::strtoull(text, nullptr, 10) : 1'000'000;
  const std::uint64_t n =
      n_steps / 40 + 1;  // per row; each of the 15 ordinary and wild ones is double
  DetectionStudy study(20'261'115);
  DetectionTally all, pairs, misses, touches, curves;
  for (int decade = 1; decade <= 6; ++decade) {
    const double separation = std::pow(10.0, -decade);
    print_row("pairs", separation, study.close_pairs(n, separation), pairs);
  }
  for (int decade = 2; decade <= 14; ++decade) {
    const double height = std::pow(10.0, -decade);
    print_row("near misses", height, study.near_misses(n, height), misses);
  }
  print_row("touches", 0.0, study.near_misses(n, 0.0), touches);
  const std::uint64_t n_curves = (n_steps - 20 * n) / 8 + 1;
  print_row("ordinary", 0.2, study.steps(n_curves, 0.2), curves);
  const double counted = study.mean_work();
  for (const double decay : {0.9, 2.0})
    print_row("wild", decay, study.steps(n_curves, decay), curves);
  for (int depth = 1; depth <= 5; ++depth) {
    print_row("grammar", depth, study.grammar(n_curves, depth), curves);
  }
  for (const DetectionTally* t : {&pairs, &misses, &touches, &curves}) all.add(*t);
  const Seconds seconds = measure_ordinary_steps();

  Item item(number);
  const auto real = [](std::uint64_t k) { return static_cast<double>(k); };
  item.at_least("steps", real(all.n_steps), real(n_steps));
  item.at_most("missed", real(all.n_missed), 0.0);
  item.at_most("false proofs", real(all.n_false), 0.0);
  item.at_most("unproven", real(all.n_unproven), 0.0);
  item.at_least("pairs found", real(pairs.n_departures) / real(pairs.n_steps), 1.0);
  // A step on which 32 samples saw the lowest point may go lower between them: departures are checked above.
  item.at_most("near misses not proven", real(misses.n_touches - misses.n_hidden), 0.0);
  item.at_least("touches said to be", real(touches.n_touches) / real(touches.n_steps), 0.95);
  item.at_least("control: pairs that signs miss",
                real(pairs.n_control_missed) / real(pairs.n_steps), 0.9);
  item.at_most("cost of an ordinary step in evaluations, counted", counted, 25.0);
  item.at_most("measured", seconds.search / seconds.look, 25.0);
  item.note(std::to_string(misses.n_hidden) + " near misses closer than rounding, " +
            std::to_string(std::lround(1e9 * seconds.search)) + " ns for an ordinary step");
  item.leaves_out("touches that are not told as such, of which the bound allows one in twenty");
  return item.print();
}

}  // namespace saltus::bench
