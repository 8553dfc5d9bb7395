// Item 3: high-index mechanics over a range of tolerances, entered as their equations stand.
#include <cstdio>

#include "index/index.hpp"
#include "problems/mechanisms.hpp"
#include "problems/tolerance_study.hpp"
#include "support/measure.hpp"

namespace saltus::bench {

namespace {

using namespace problems;

constexpr EngineKind engines[] = {EngineKind::ida, EngineKind::radau};
constexpr double tolerances[] = {1e-4, 1e-6, 1e-8, 1e-10};
// A run that takes longer has not finished: its error is infinite, which is short.
constexpr double longest_run_s = 150.0;

struct MechanismFigures {
  double fall[2] = {1e300, 1e300};  // per engine, the smallest
  double at_steps = 0.0;            // largest scaled constraint residual over all levels
  double at_times = 0.0;
  double pendulum_error[2] = {1e300, 1e300};  // of x and y at 1e-8
  double pendulum_evaluations = 1e300;        // of ida at 1e-8
  bool all_finished = true;
};

double worst_of(const std::array<double, 3>& levels) {
  double worst = 0.0;
  for (const double level : levels) worst = level <= worst ? worst : level;
  return worst;
}

RunOptions mechanism_options(EngineKind engine, double tolerance) {
  RunOptions options{.rtol = tolerance, .atol = tolerance, .engine = engine};
  options.output.dense = false;
  options.limits.max_wall_time_s = longest_run_s;
  return options;
}

/// Errors of all certified values over the tolerances; constraints at the end of every step.
void study_mechanism(const Mechanism& mechanism, std::size_t which, MechanismFigures& figures) {
  const EngineKind engine = engines[which];
  ToleranceStudy study;
  std::printf("   %-18s %-5s", mechanism.name.c_str(), std::string(name(engine)).c_str());
  double constraints = 0.0, evaluations = 0.0;
  std::vector<std::string> messages;
  for (const double tolerance : tolerances) {
    const Solution s = run_mechanism(mechanism, mechanism_options(engine, tolerance));
    study.runs.push_back(
        {tolerance, tolerance, reference_error(s, mechanism), s.report.total_work()});
    constraints = std::max(constraints, worst_of(constraint_residuals(s.trajectory)));
    evaluations = static_cast<double>(s.report.total_work().n_evaluations);
    if (!s.ok()) {
      figures.all_finished = false;
      messages.push_back(to_text(tolerance) + ": " + s.report.message);
    }
    std::printf(s.ok() ? " %8.1e" : "  (%.0e)", s.ok() ? study.runs.back().error : s.t_end());
    std::fflush(stdout);
    if (mechanism.name == pendulum().name && tolerance == 1e-8) {
      figures.pendulum_error[which] = reference_error(s, mechanism, 2);
      if (engine == EngineKind::ida) figures.pendulum_evaluations = evaluations;
    }
  }
  figures.fall[which] = std::min(figures.fall[which], study.fall_per_two_decades());
  figures.at_steps = std::max(figures.at_steps, constraints);
  std::printf("  %4.0f  %7.1e  %6.0f\n", study.fall_per_two_decades(), constraints, evaluations);
  for (const std::string& message : messages) std::printf("     %s\n", message.c_str());
  std::fflush(stdout);
}

/// Constraints at times that no step ends at.
void study_requested_times(const Mechanism& mechanism, EngineKind engine,
                           MechanismFigures& figures) {
  constexpr int n_times = 200;
  RunOptions options = mechanism_options(engine, 1e-5);
  options.output.points = OutputPoints::times;
  for (int k = 1; k <= n_times; ++k) {
    options.output.times.push_back(mechanism.t_end * (k - 0.5) / n_times);
  }
  const Solution s = run_mechanism(mechanism, options);
  figures.all_finished = figures.all_finished && s.ok() &&
                         s.trajectory.n_rows() == static_cast<std::uint32_t>(n_times);
  figures.at_times = std::max(figures.at_times, worst_of(constraint_residuals(s.trajectory)));
}

/// The pendulum over 10^5 steps, as short as a bound makes them.
struct LongRun {
  std::uint32_t n_steps = 0;
  double first_tenth = 1e300, last_tenth = 1e300;
};
LongRun run_for_long(EngineKind engine) {
  Mechanism mechanism = pendulum();
  constexpr double step = 1e-3;
  mechanism.t_end = 1e5 * step;
  RunOptions options = mechanism_options(engine, 1e-5);
  options.max_step = step;
  const Solution s = run_mechanism(mechanism, options);
  LongRun run;
  if (!s.ok()) return run;
  run.n_steps = s.trajectory.n_rows() - 1;
  const std::uint32_t tenth = run.n_steps / 10;
  run.first_tenth = worst_of(constraint_residuals(s.trajectory, 0, tenth));
  run.last_tenth =
      worst_of(constraint_residuals(s.trajectory, run.n_steps - tenth, run.n_steps + 1));
  return run;
}

}  // namespace

bool show_mechanisms(int number) {
  constexpr double allowed = 1e-11;
  MechanismFigures figures;
  std::printf("   error at tolerance       ");
  for (const double tolerance : tolerances) std::printf(" %8.0e", tolerance);
  std::printf("  fall per two decades, worst constraint, evaluations of the last run\n");
  for (const Mechanism& mechanism : mechanisms()) {
    for (std::size_t which = 0; which < 2; ++which) study_mechanism(mechanism, which, figures);
    for (const EngineKind engine : engines) study_requested_times(mechanism, engine, figures);
  }
  Item item(number);
  item.holds(figures.all_finished ? "all runs finished" : "not all runs finished",
             figures.all_finished);
  item.at_least("fall per two decades: ida", figures.fall[0], 10);
  item.at_least("radau", figures.fall[1], 10);
  item.at_most("pendulum at 1e-8: ida", figures.pendulum_error[0], 1e-5);
  item.at_most("evaluations", figures.pendulum_evaluations, 8000);
  item.at_most("radau", figures.pendulum_error[1], 5e-6);
  item.at_most("constraints at steps", figures.at_steps, allowed);
  item.at_most("at requested times", figures.at_times, allowed);
  for (const EngineKind engine : engines) {
    const LongRun run = run_for_long(engine);
    item.at_least("steps of a long run, " + std::string(name(engine)), run.n_steps, 1e5);
    item.at_most("constraints in its last tenth", run.last_tenth, allowed);
    // Both are a few roundings; what grows with the steps would be ten times as large.
    item.at_most("over those of its first", run.last_tenth / run.first_tenth, 5);
  }
  item.leaves_out(
      "constraints at the limits of events; velocities and multipliers of the pendulum");
  return item.print();
}

}  // namespace saltus::bench
