// Item 2: error against evaluations, beside what others report and beside an oracle. An evaluation is one of
// the field on one side: on a surface each counts twice.
#include <cstdio>
#include <optional>

#include "problems/pounding.hpp"
#include "sliding/published.hpp"
#include "sliding/sliding.hpp"
#include "sliding/sliding_runs.hpp"
#include "support/measure.hpp"

namespace saltus::bench {

namespace {

using namespace problems;

// ---- beside DISODE45 -----------------------------------------------------------------------------------

/// One run of ours at one tolerance.
struct WorkPoint {
  EngineKind engine;
  double tolerance, n_evaluations, time_error, state_error, end_error;
};

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum);
}

double end_distance(const Solution& s, const std::vector<Named<double>>& final_values) {
  double sum = 0.0;
  for (const auto& [variable, value] : final_values) {
    const double difference = s.final(variable) - value;
    sum += difference * difference;
  }
  return std::sqrt(sum);
}

std::vector<double> tolerance_ladder() {
  std::vector<double> all;
  for (double decades = 2.0; decades < 11.01; decades += 0.125)
    all.push_back(std::pow(10, -decades));
  return all;
}

/// Runs that have all events, on both explicit engines.
std::vector<WorkPoint> work_points(const SlidingProblem& p) {
  std::vector<WorkPoint> points;
  const WrittenProblem w = as_model(p);
  for (const EngineKind engine : {EngineKind::dopri5, EngineKind::dop853}) {
    for (const double tolerance : tolerance_ladder()) {
      const Solution s = try_to_simulate(w, sliding_run_options(p, engine, tolerance));
      const SlidingComparison c = compare_sliding(s, p);
      if (!s.ok() || !c.complete) continue;
      WorkPoint point{engine,
                      tolerance,
                      side_evaluations(s),
                      c.largest_time_error,
                      0.0,
                      end_distance(s, p.final_values)};
      std::size_t k = 0;
      for (const EventInstant& i : s.instants()) {
        // Instants that only flip locks are no events.
        if (k == p.events.size() ||
            std::abs(i.t - p.events[k].t) > 10 * c.largest_time_error + 1e-12)
          continue;
        std::vector<double> x;
        for (const std::string& state : p.states)
          x.push_back(i.x_plus[s.trajectory.index_of(state)]);
        point.state_error = std::max(point.state_error, distance(x, p.events[k].state));
        ++k;
      }
      points.push_back(point);
    }
  }
  return points;
}

/// The cheapest run whose errors are all equal or smaller.
std::optional<WorkPoint> cheapest(const std::vector<WorkPoint>& points, const DisodeRow& row) {
  std::optional<WorkPoint> best;
  for (const WorkPoint& p : points) {
    if (p.time_error > row.time_error || p.state_error > row.state_error ||
        p.end_error > row.end_error)
      continue;
    if (!best || p.n_evaluations < best->n_evaluations) best = p;
  }
  return best;
}

/// The largest part of DISODE45's evaluations, over rows from `first_tolerance` on; infinity if a row is not reached.
double beside_table(const char* what, const std::vector<WorkPoint>& points, const DisodeRow* table,
                    double first_tolerance) {
  double worst = 0.0;
  std::printf(
      "   %s: errors of times, states and end, evaluations of DISODE45 | ours, cheapest with no "
      "larger error\n",
      what);
  for (std::size_t k = 0; k < n_disode_rows; ++k) {
    const DisodeRow& row = table[k];
    const auto ours = cheapest(points, row);
    std::printf("     %.0e  %.1e %.1e %.1e %6.0f |", row.tolerance, row.time_error, row.state_error,
                row.end_error, row.n_evaluations);
    if (ours) {
      std::printf(" %.1e %.1e %.1e %6.0f = %.2f (%s at %.1e)\n", ours->time_error,
                  ours->state_error, ours->end_error, ours->n_evaluations,
                  ours->n_evaluations / row.n_evaluations, text_of(ours->engine).c_str(),
                  ours->tolerance);
    } else {
      std::printf(" not reached\n");
    }
    if (row.tolerance > 1.01 * first_tolerance) continue;
    worst = std::max(worst, ours ? ours->n_evaluations / row.n_evaluations : 1e300);
  }
  std::fflush(stdout);
  return worst;
}

/// Problem 2 does not slide: its reference has times and the end only.
std::vector<WorkPoint> pounding_points() {
  const SwitchedProblem p = pounding();
  const WrittenModel written = write_model(p);
  std::vector<WorkPoint> points;
  for (const EngineKind engine : {EngineKind::dopri5, EngineKind::dop853}) {
    for (const double tolerance : tolerance_ladder()) {
      RunOptions o;
      o.t_end = p.t_end;
      o.rtol = o.atol = tolerance;
      o.engine = engine;
      o.output.points = OutputPoints::times;
      o.output.times = {p.t_end};
      o.output.dense = false;
      const Solution s = simulate(written.definition, o);
      const SequenceComparison c =
          compare_events(counted_events(s.event_log), p.events, written.texts);
      if (!s.ok() || !c.complete) continue;
      points.push_back({engine, tolerance, side_evaluations(s), c.largest_time_error, 0.0,
                        end_distance(s, p.final_values)});
    }
  }
  return points;
}

void compare_with_disode(Item& item) {
  item.at_most("of table 1",
               beside_table("table 1, problem 1", work_points(disode_p1()), disode_table_1, 1e-3),
               1.0);
  item.at_most("of table 2 from 1e-6 on",
               beside_table("table 2, problem 2", pounding_points(), disode_table_2, 1e-6), 1.3);
  const double third =
      beside_table("table 3, problem 3", work_points(disode_p3()), disode_table_3, 1e-3);
  item.note("of table 3 (half of the true intervals) " + to_text(std::round(100 * third) / 100));
  item.at_most("of table 4",
               beside_table("table 4, problem 4", work_points(disode_p4()), disode_table_4, 1e-3),
               1.0);
}

// ---- beside GESDA --------------------------------------------------------------------------------------

void count_steps(Item& item, const SlidingProblem& p, double gesda, double chattering,
                 const double (&bounds)[4]) {
  const WrittenProblem w = as_model(p);
  std::printf("   %s at 1e-8: GESDA %.0f steps, without sliding %.0f\n", p.name.c_str(), gesda,
              chattering);
  double worst = 0.0;
  std::string counts;
  for (std::size_t e = 0; e < 4; ++e) {
    const EngineKind engine = sliding_engines[e];
    const Solution s = try_to_simulate(w, sliding_run_options(p, engine, 1e-8));
    const SlidingComparison c = compare_sliding(s, p);
    const auto n_steps = static_cast<double>(s.report.total_work().n_steps);
    const double allowed = engine == EngineKind::ida ? 1e-5 : 1e-6;
    const bool right = s.ok() && c.complete && c.largest_time_error <= allowed;
    std::printf("     %-7s %5.0f steps (%.0f allowed), times off by %.1e %s %s\n",
                text_of(engine).c_str(), n_steps, bounds[e], c.largest_time_error,
                c.first_difference.c_str(), s.report.message.c_str());
    worst = std::max(worst, right ? n_steps / bounds[e] : 1e300);
    counts += (counts.empty() ? "" : "/") + to_text(n_steps);
  }
  item.at_most(p.name + " in " + counts + " steps", worst, 1.0, " of what is allowed");
}

// ---- beside an oracle ----------------------------------------------------------------------------------

void compare_with_oracles(Item& item) {
  constexpr double bounds[] = {1.8, 1.5, 1.25, 1.15};
  bool complete = true;
  std::vector<WrittenProblem> set;
  std::vector<std::unique_ptr<SlidingOracle>> oracles;
  for (const SlidingProblem& p : sliding_problems()) {
    set.push_back(as_model(p));
    oracles.push_back(std::make_unique<SlidingOracle>(p));
  }
  for (std::size_t k = 0; k < std::size(sliding_tolerances); ++k) {
    const double tolerance = sliding_tolerances[k];
    // Sides of problem 1 do not exist beyond their surface; its oracle may overshoot all the same.
    double run = 0.0, oracle = 0.0, run_defined = 0.0, oracle_defined = 0.0;
    std::string by_engine;
    for (const EngineKind engine : sliding_engines) {
      double engine_run = 0.0, engine_oracle = 0.0;
      for (std::size_t i = 0; i < set.size(); ++i) {
        const Solution s =
            try_to_simulate(set[i], sliding_run_options(set[i].problem, engine, tolerance));
        const OracleRun o = oracles[i]->told(engine, tolerance);
        const SlidingComparison c = compare_sliding(s, set[i].problem);
        const bool right = s.ok() && c.complete && o.ok;
        const double n = side_evaluations(s);
        std::printf(
            "   %-22s %-7s %.0e %6.0f beside %6.0f = %.2f; steps %llu beside %llu; repeated steps "
            "%llu, consistency %llu, given up %llu %s%s\n",
            set[i].name.c_str(), text_of(engine).c_str(), tolerance, n, o.n_side_evaluations,
            n / o.n_side_evaluations,
            static_cast<unsigned long long>(s.report.total_work().n_steps),
            static_cast<unsigned long long>(o.work.n_steps),
            static_cast<unsigned long long>(s.report.events.n_evaluations_locate),
            static_cast<unsigned long long>(s.report.events.n_evaluations_iterate),
            static_cast<unsigned long long>(s.report.events.n_evaluations_one_sided),
            s.report.message.c_str(), c.first_difference.c_str());
        // Item 1 says what IDA does with the relay there.
        if (!right && set[i].name == disode_p3().name && engine == EngineKind::ida && k == 0)
          continue;
        complete = complete && right;
        engine_run += n, engine_oracle += o.n_side_evaluations;
        if (set[i].name != disode_p1().name)
          run_defined += n, oracle_defined += o.n_side_evaluations;
      }
      char text[32];
      std::snprintf(text, sizeof text, "%s %.2f", text_of(engine).c_str(),
                    engine_run / engine_oracle);
      by_engine += (by_engine.empty() ? "" : ", ") + std::string(text);
      run += engine_run, oracle += engine_oracle;
    }
    item.at_most("at " + to_text(tolerance), run / oracle, bounds[k], " of the oracle");
    char without[32];
    std::snprintf(without, sizeof without, "%.2f", run_defined / oracle_defined);
    item.note("[" + by_engine + "; without problem 1 " + without + "]");
  }
  item.holds(complete ? "all events right" : "events differ", complete);
}

}  // namespace

bool show_sliding_work(int number) {
  Item item(number);
  compare_with_disode(item);
  count_steps(item, two_body_stick_slip(), gesda_two_bodies, gesda_two_bodies_chattering,
              {150, 150, 300, 700});
  count_steps(item, belt_stick_slip(), gesda_belt, gesda_belt_chattering, {220, 220, 500, 700});
  compare_with_oracles(item);
  return item.print();
}

}  // namespace saltus::bench
