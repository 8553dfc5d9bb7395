// Item 5: each event once, whatever the order of declaration. SALTUS_CROSSINGS changes the number of random
// crossings.
#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <numeric>
#include <random>

#include "events/event_runs.hpp"
#include "events/events.hpp"
#include "support/measure.hpp"

namespace saltus::bench {

namespace {

using namespace problems;

// ---- sticking ----------------------------------------------------------------------------------------

constexpr int n_levels = 40, n_turns = 25;

/// x = cos t passes random levels twice per turn, and z feels it.
struct RandomLevels {
  std::vector<double> levels;

  explicit RandomLevels(std::mt19937_64& random) {
    std::uniform_real_distribution<double> anywhere(-0.98, 0.98);
    for (int k = 0; k < n_levels; ++k) levels.push_back(anywhere(random));
  }
  void write(Model& m) const {
    Expr x = m.state("x", 1.0), y = m.state("y", 0.0), z = m.state("z", 0.0);
    m.equation("x", der(x) == -y);
    m.equation("y", der(y) == x);
    Expr push = -z;
    for (const double level : levels) push += where(x > level, Expr(0.5), Expr(-0.5));
    m.equation("z", der(z) == push);
  }
};

struct StickingCounts {
  long n_expected = 0, n_found = 0, n_runs = 0;
  long n_repeated = 0;  // a relation that switched twice in the same direction, or back at once
  long n_missed = 0;
  std::string message;
};

/// Each level must be passed downwards at acos(level) after the begin of each turn and upwards as long
/// before its end, and at no other time.
void count_crossings(const RandomLevels& study, EngineKind engine, double tolerance, bool offset,
                     StickingCounts& counts) {
  Model m("random levels");
  study.write(m);
  RunOptions o;
  o.t_end = 2 * std::numbers::pi * n_turns;
  o.rtol = o.atol = tolerance;
  o.engine = engine;
  o.output.points = OutputPoints::times;
  o.output.times = {o.t_end};
  o.output.dense = false;
  o.events.offset = offset;
  // A run that gets stuck shows that, too.
  o.limits.max_events = 4 * n_levels * n_turns;
  const Solution s = simulate(m, o);
  ++counts.n_runs;
  counts.n_expected += 2 * n_levels * n_turns;
  if (!s.ok() && counts.message.empty()) counts.message = s.report.message;
  std::map<std::string, std::vector<CountedEvent>> by_relation;
  for (const CountedEvent& e : counted_events(s.event_log)) by_relation[e.relation].push_back(e);
  for (const double level : study.levels) {
    const auto found = by_relation.find("x > " + to_text(level));
    const std::size_t n = found == by_relation.end() ? 0 : found->second.size();
    counts.n_found += static_cast<long>(n);
    std::size_t n_right = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const CountedEvent& e = found->second[k];
      const bool falling = n_right % 2 == 0;
      const double turn = 2 * std::numbers::pi * static_cast<double>(n_right / 2);
      const double t =
          turn + (falling ? std::acos(level) : 2 * std::numbers::pi - std::acos(level));
      // Errors of the phase grow along the run; turns are 6 apart.
      const bool right = e.direction == (falling ? -1 : +1) && std::abs(e.t - t) < 0.1;
      right ? static_cast<long>(++n_right) : ++counts.n_repeated;
    }
    counts.n_missed += 2 * n_turns - static_cast<long>(n_right);
  }
}

void show_crossings(Item& item) {
  const char* asked = std::getenv("SALTUS_CROSSINGS");
  const double wanted = asked != nullptr ? std::atof(asked) : 1e5;
  std::mt19937_64 random(7);
  StickingCounts with, without;
  constexpr EngineKind engines[] = {EngineKind::dopri5, EngineKind::dop853, EngineKind::radau,
                                    EngineKind::ida};
  for (int k = 0; static_cast<double>(with.n_expected) < wanted; ++k) {
    const RandomLevels study(random);
    const EngineKind engine = engines[k % 4];
    // Tolerances at which no two levels are mistaken for each other's times.
    const double tolerance = engine == EngineKind::ida ? 1e-7 : (k / 4) % 2 == 0 ? 1e-6 : 1e-9;
    count_crossings(study, engine, tolerance, true, with);
    if (k % 8 == 0) count_crossings(study, engine, tolerance, false, without);
  }
  std::printf("   %ld crossings in %ld runs: %ld repeated, %ld missed (seed 7) %s\n",
              with.n_expected, with.n_runs, with.n_repeated, with.n_missed, with.message.c_str());
  std::printf("   without the offset, %ld crossings: %ld repeated, %ld missed; %s\n",
              without.n_expected, without.n_repeated, without.n_missed, without.message.c_str());
  item.at_least("crossings", static_cast<double>(with.n_expected), wanted);
  item.at_most("repeated", static_cast<double>(with.n_repeated), 0);
  item.at_most("missed", static_cast<double>(with.n_missed), 0);
  item.at_least("control without offset: repeated", static_cast<double>(without.n_repeated), 1);
}

// ---- orders of declaration -----------------------------------------------------------------------------

/// Balls that fall together and a switch that all of them feel; relations, when-clauses and, if asked, states
/// and equations are declared in a given order.
std::shared_ptr<const ModelDefinition> write_crowd(const std::vector<int>& order,
                                                   const std::vector<int>& variables) {
  Model m("crowd");
  const auto n = static_cast<std::uint32_t>(order.size());
  std::vector<Expr> h(n), v(n);
  for (const int i : variables) {
    const auto k = static_cast<std::uint32_t>(i);
    // Two and two from the same height: exactly simultaneous.
    h[k] = m.state("h" + std::to_string(i), 1.0 + 0.25 * (i / 2));
    v[k] = m.state("v" + std::to_string(i), 0.0);
  }
  Expr energy = m.state("w", 0.0);
  std::vector<Cond> low;
  std::vector<Expr> drag(n);
  for (const int i : order) {
    const auto k = static_cast<std::uint32_t>(i);
    drag[k] = where(h[k] > 0.5, Expr(0.1), Expr(0.3));
    m.when("bounce " + std::to_string(i), h[k] < 0.0, {{v[k], -0.7 * pre(v[k])}});
  }
  for (const int i : variables) {
    const auto k = static_cast<std::uint32_t>(i);
    m.equation("h" + std::to_string(i), der(h[k]) == v[k]);
    m.equation("v" + std::to_string(i), der(v[k]) == -9.81 - drag[k] * v[k]);
  }
  Expr sum = 0.0;
  for (std::uint32_t k = 0; k < n; ++k) sum += v[k] * v[k];
  m.equation("w", der(energy) == sum - energy);
  return m.build();
}

Solution run_crowd(const std::vector<int>& order, const std::vector<int>& variables,
                   EngineKind engine) {
  RunOptions o;
  o.t_end = 1.6;
  o.rtol = o.atol = 1e-8;
  o.engine = engine;
  return simulate(write_crowd(order, variables), o);
}

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

/// Bit for bit, in the order of the table.
bool same_log(const Solution& a, const Solution& b, std::string& difference) {
  if (a.events().size() != b.events().size()) {
    difference =
        std::to_string(a.events().size()) + " and " + std::to_string(b.events().size()) + " events";
    return false;
  }
  for (std::size_t i = 0; i < a.events().size(); ++i) {
    const Event &e = a.events()[i], &f = b.events()[i];
    if (e.name != f.name || !same_bits(e.t, f.t) || e.kind != f.kind ||
        e.direction != f.direction || e.micro_step != f.micro_step || e.guarantee != f.guarantee) {
      difference = "event " + std::to_string(i) + ": " + e.name + " at " + to_text(e.t) + " and " +
                   f.name + " at " + to_text(f.t);
      return false;
    }
  }
  for (std::size_t i = 0; i < a.instants().size(); ++i) {
    const EventInstant &p = a.instants()[i], &q = b.instants()[i];
    const bool same =
        p.x_minus.size() == q.x_minus.size() &&
        std::equal(p.x_minus.begin(), p.x_minus.end(), q.x_minus.begin(), same_bits) &&
        std::equal(p.x_plus.begin(), p.x_plus.end(), q.x_plus.begin(), same_bits);
    if (!same) {
      difference = "values at " + to_text(p.t);
      return false;
    }
  }
  return true;
}

void show_permutations(Item& item) {
  std::vector<int> as_is(6);
  std::iota(as_is.begin(), as_is.end(), 0);
  int n_different = 0, n_permuted = 0, n_other_events = 0;
  double worst = 0.0;
  std::string difference;
  std::mt19937_64 random(11);
  for (const EngineKind engine :
       {EngineKind::dopri5, EngineKind::dop853, EngineKind::radau, EngineKind::ida}) {
    const Solution base = run_crowd(as_is, as_is, engine);
    const Solution again = run_crowd(as_is, as_is, engine);
    if (!base.ok()) difference = base.report.message;
    n_different += !base.ok() || !same_log(base, again, difference);
    for (int trial = 0; trial < 10; ++trial) {
      std::vector<int> order = as_is, variables = as_is;
      std::shuffle(order.begin(), order.end(), random);
      ++n_permuted;
      n_different += !same_log(base, run_crowd(order, as_is, engine), difference);
      std::shuffle(variables.begin(), variables.end(), random);
      const auto other = counted_events(run_crowd(as_is, variables, engine).event_log);
      const auto first = counted_events(base.event_log);
      bool alike = other.size() == first.size();
      for (std::size_t i = 0; alike && i < first.size(); ++i) {
        alike = first[i].relation == other[i].relation && first[i].direction == other[i].direction;
        if (engine != EngineKind::ida)
          worst = std::max(worst, std::abs(first[i].t - other[i].t) / 1e-8);
      }
      n_other_events += !alike;
    }
  }
  item.holds(std::to_string(n_different) + " of " + std::to_string(n_permuted + 4) +
                 " logs differ in a bit between runs and orders of declaration",
             n_different == 0);
  if (!difference.empty()) item.note(difference);
  item.holds(std::to_string(n_other_events) + " of " + std::to_string(n_permuted) +
                 " orders of variables have other events",
             n_other_events == 0);
  item.at_most("their times differ by", worst, 10.0, " tolerances");
}

}  // namespace

bool show_sticking(int number) {
  Item item(number);
  show_crossings(item);
  show_permutations(item);
  return item.print();
}

}  // namespace saltus::bench
