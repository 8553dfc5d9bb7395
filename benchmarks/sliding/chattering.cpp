// Item 3: no event more than the true solution has, and no two closer than half of what is true. With the decision
// off (every relation crosses) the same measure must fail.
#include "sliding/sliding.hpp"
#include "sliding/sliding_runs.hpp"
#include "support/measure.hpp"

namespace saltus::bench {

namespace {

using namespace problems;

constexpr double hysteresis_width = 0.003;
constexpr std::size_t hysteresis_switches = 395;  // of the exact automaton

struct Chattering {
  int n_runs = 0, n_other_count = 0, n_too_close = 0;
  double least_part = 1e300;  // of the true smallest distance

  bool add(const WrittenProblem& w, const RunOptions& o) {
    const Solution s = try_to_simulate(w, o);
    const auto found = counted_sliding_events(s.event_log);
    const double part = smallest_distance(found, w.problem.t_end) / w.problem.smallest_distance();
    const bool right_count = s.ok() && found.size() == w.problem.events.size();
    const bool far_enough = w.problem.events.size() < 2 || part >= 0.5;
    ++n_runs;
    n_other_count += !right_count;
    n_too_close += !far_enough;
    if (w.problem.events.size() > 1) least_part = std::min(least_part, part);
    if (right_count && far_enough) return true;
    std::printf("     %s %s %g %s: %zu events of %zu, closest %.2g s of %.2g s %s\n",
                w.name.c_str(), text_of(o.engine).c_str(), o.rtol,
                o.events.surface == SurfacePolicy::cross ? "crossing" : "", found.size(),
                w.problem.events.size(), smallest_distance(found, w.problem.t_end),
                w.problem.smallest_distance(), s.report.message.c_str());
    return false;
  }
};

void run_with_decision(Item& item) {
  Chattering all;
  for (const WrittenProblem& w : written_problems()) {
    for (const EngineKind engine : sliding_engines) {
      for (const double tolerance : sliding_tolerances) {
        // Item 1 says what IDA does with the relay there.
        if (w.name == disode_p3().name && engine == EngineKind::ida && tolerance == 1e-4) continue;
        all.add(w, sliding_run_options(w.problem, engine, tolerance));
      }
    }
  }
  for (const SlidingProblem& p : {bowed_string(), bowed_string_light()}) {
    // Item 1 counts their events on the others.
    all.add(as_model(p), sliding_run_options(p, EngineKind::dop853, 1e-6, 1e-10));
  }
  item.holds(std::to_string(all.n_runs) + " runs, " + std::to_string(all.n_other_count) +
                 " with another number of events, " + std::to_string(all.n_too_close) +
                 " with two too close",
             all.n_other_count == 0 && all.n_too_close == 0);
  item.at_least("closest", all.least_part, 0.5, " of the true smallest distance");
}

void run_without_decision(Item& item) {
  int n_runs = 0, n_noticed = 0;
  for (const WrittenProblem& w : written_problems()) {
    for (const EngineKind engine : sliding_engines) {
      RunOptions o = sliding_run_options(w.problem, engine, 1e-6);
      o.events.surface = SurfacePolicy::cross;
      o.limits.max_events = 20 * static_cast<int>(w.problem.events.size()) + 200;
      Chattering one;
      ++n_runs;
      n_noticed += !one.add(w, o);
    }
  }
  item.holds("decision off: " + std::to_string(n_noticed) + " of " + std::to_string(n_runs) +
                 " runs fail this test",
             n_noticed == n_runs);
}

/// GESDA's example with its own band.
void run_hysteresis(Item& item) {
  std::string counts;
  bool all_right = true;
  for (const EngineKind engine : sliding_engines) {
    Model m("two bodies with a hysteresis");
    write_two_bodies_ahead(m);
    RunOptions o = sliding_run_options(two_body_stick_slip(), engine, 1e-8);
    o.events.hysteresis = {{"ahead", hysteresis_width}};
    const Solution s = simulate(m, o);
    const std::size_t n = counted_sliding_events(s.event_log).size();
    all_right = all_right && s.ok() && n == hysteresis_switches;
    counts += (counts.empty() ? "" : "/") + std::to_string(n);
    std::printf("   hysteresis %g, %s: %zu switches, %llu steps %s\n", hysteresis_width,
                text_of(engine).c_str(), n,
                static_cast<unsigned long long>(s.report.total_work().n_steps),
                s.report.message.c_str());
  }
  item.holds("hysteresis 0.003: " + counts + " switches of 395", all_right);
}

/// Sticking as a mode of its own: its events beside the reference's. `after`: the mode that follows an event.
bool has_the_six_events(const std::string& what, void (*write)(Model&),
                        const std::function<std::string(const std::string&)>& after) {
  bool all_right = true;
  const SlidingProblem p = two_body_stick_slip();
  for (const EngineKind engine : {EngineKind::radau, EngineKind::ida}) {
    for (const double tolerance : sliding_tolerances) {
      Model m("two bodies, " + what);
      write(m);
      const Solution s = simulate(m, sliding_run_options(p, engine, tolerance));
      double worst = 0.0;
      bool alike = s.ok() && s.instants().size() == p.events.size();
      for (std::size_t k = 0; alike && k < p.events.size(); ++k) {
        alike = s.instants()[k].mode_after == after(p.modes[k + 1]);
        worst = std::max(worst, std::abs(s.instants()[k].t - p.events[k].t));
      }
      const double allowed = engine == EngineKind::ida ? 5000.0 : 300.0;
      alike = alike && worst <= allowed * tolerance;
      std::printf("   %s, %s %g: %zu events, times off by %.1e tolerances %s\n", what.c_str(),
                  text_of(engine).c_str(), tolerance, s.instants().size(), worst / tolerance,
                  s.report.message.c_str());
      all_right = all_right && alike;
    }
  }
  return all_right;
}

/// GESDA's three modes by hand, and the mode of sticking named as the motion on the surface of friction.
void run_hand_written_modes(Item& item) {
  const bool three = has_the_six_events("three modes by hand", &write_two_body_modes,
                                        [](const std::string& mode) { return mode; });
  item.holds(three ? "three modes by hand: the 6 events" : "three modes by hand: other events",
             three);
  const bool named = has_the_six_events(
      "a mode named as the sliding mode", &write_two_bodies_with_named_mode,
      [](const std::string& mode) { return std::string(mode == "3" ? "stick" : "slip"); });
  item.holds(
      named ? "a named sliding mode: the 6 events" : "a named sliding mode: other events or times",
      named);
}

}  // namespace

bool show_no_chattering(int number) {
  Item item(number);
  run_with_decision(item);
  run_without_decision(item);
  run_hysteresis(item);
  run_hand_written_modes(item);
  return item.print();
}

}  // namespace saltus::bench
