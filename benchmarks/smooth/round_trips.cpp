// Item 7: forward and back again; in parts and in one piece. Errors are in tolerances,
// max_i |e_i| / (rtol |x_i| + atol).
#include <cstdio>
#include <random>

#include <saltus/saltus.hpp>

#include "smooth.hpp"
#include "support/measure.hpp"

namespace saltus::bench {

namespace {

constexpr std::uint64_t round_trip_seed = 20240229;

/// Not stiff, in neither direction of time. The first n_states variables start from values, the
/// others from guesses.
struct TripModel {
  const char* name;
  double t_end;
  std::vector<std::string> variables;
  std::vector<double> starts;
  std::size_t n_states;
  void (*write)(Model& m, const std::vector<Expr>& x);

  bool is_explicit() const { return n_states == variables.size(); }
};

/// Errors along the orbit grow with time.
void write_orbit(Model& m, const std::vector<Expr>& x) {
  Expr r2 = x[0] * x[0] + x[1] * x[1];
  Expr r3 = r2 * sqrt(r2);
  m.equation(der(x[0]) == x[2]);
  m.equation(der(x[1]) == x[3]);
  m.equation(der(x[2]) == -x[0] / r3);
  m.equation(der(x[3]) == -x[1] / r3);
}

const std::vector<TripModel>& trip_models() {
  static const std::vector<TripModel> all = {
      {"predator and prey",
       10.0,
       {"prey", "predator"},
       {1.5, 1.0},
       2,
       [](Model& m, const std::vector<Expr>& x) {
         m.equation(der(x[0]) == x[0] * (1.0 - x[1]));
         m.equation(der(x[1]) == x[1] * (x[0] - 1.0));
       }},
      {"driven pendulum",
       10.0,
       {"angle", "rate"},
       {1.0, 0.0},
       2,
       [](Model& m, const std::vector<Expr>& x) {
         m.equation(der(x[0]) == x[1]);
         m.equation(der(x[1]) == 0.3 * cos(0.7 * m.time()) - sin(x[0]) - 0.05 * x[1]);
       }},
      {"orbit", 3.0, {"x", "y", "vx", "vy"}, {1.0, 0.0, 0.0, 1.1}, 4, &write_orbit},
      {"longer orbit", 6.0, {"x", "y", "vx", "vy"}, {1.0, 0.0, 0.0, 1.1}, 4, &write_orbit},
      // Differential-algebraic: the current follows from a cubic law of the coil.
      {"resonant circuit",
       10.0,
       {"flux", "voltage", "current"},
       {1.0, 0.0, 0.7709169970592481},
       2,
       [](Model& m, const std::vector<Expr>& x) {
         m.equation(der(x[0]) == -x[1]);
         m.equation(der(x[1]) == x[2] - 0.02 * x[1]);
         m.equation(x[2] + 0.5 * x[2] * x[2] * x[2] == x[0]);
       }}};
  return all;
}

/// From x at t_begin to t_end; empty if the run failed.
std::vector<double> travel(const TripModel& what, std::vector<double> x, double t_begin,
                           double t_end, EngineKind engine, double tolerance) {
  Model m(what.name);
  std::vector<Expr> unknowns;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::string& called = what.variables[i];
    unknowns.push_back(i < what.n_states ? m.state(called, x[i])
                                         : m.algebraic(called, {.guess = x[i]}));
  }
  what.write(m, unknowns);
  RunOptions options{
      .t_begin = t_begin, .t_end = t_end, .rtol = tolerance, .atol = tolerance, .engine = engine};
  const Solution solution = simulate(m, options);
  if (!solution.ok()) return {};
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = solution.final(what.variables[i]);
  return x;
}

double tolerances_between(const std::vector<double>& a, const std::vector<double>& b,
                          double tolerance) {
  if (a.empty() || a.size() != b.size()) return std::numeric_limits<double>::infinity();
  double worst = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    worst = std::max(worst, std::abs(a[i] - b[i]) / (tolerance * (std::abs(b[i]) + 1.0)));
  }
  return worst;
}

double there_and_back(const TripModel& model, EngineKind engine, double tolerance) {
  const auto end = travel(model, model.starts, 0.0, model.t_end, engine, tolerance);
  if (end.empty()) return std::numeric_limits<double>::infinity();
  const auto start = travel(model, end, model.t_end, 0.0, engine, tolerance);
  return tolerances_between(start, model.starts, tolerance);
}

double in_parts(const TripModel& model, EngineKind engine, double tolerance,
                const std::vector<double>& cuts) {
  auto x = model.starts;
  double t = 0.0;
  for (const double next : cuts) {
    x = travel(model, x, t, next, engine, tolerance);
    if (x.empty()) return std::numeric_limits<double>::infinity();
    t = next;
  }
  x = travel(model, x, t, model.t_end, engine, tolerance);
  return tolerances_between(x, travel(model, model.starts, 0.0, model.t_end, engine, tolerance),
                            tolerance);
}

/// How much an error at the begin can grow until the end: the largest row sum of dx(t_end)/dx(0) for
/// the states, by differences.
double amplification(const TripModel& model) {
  constexpr double tolerance = 1e-12, shift = 1e-5;
  const auto end = travel(model, model.starts, 0.0, model.t_end, EngineKind::radau, tolerance);
  std::vector<double> sums(model.n_states, 0.0);
  for (std::size_t j = 0; j < model.n_states; ++j) {
    auto moved = model.starts;
    moved[j] += shift;
    const auto other = travel(model, moved, 0.0, model.t_end, EngineKind::radau, tolerance);
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += std::abs(other[i] - end[i]) / shift;
  }
  return *std::max_element(sums.begin(), sums.end());
}

// A model that multiplies errors by more than this says little about an engine: it is shown, not
// judged.
constexpr double largest_growth = 30.0;

struct TripWorst {
  double back = 0.0;
  double parts = 0.0;

  void add(const TripWorst& other) {
    back = std::max(back, other.back);
    parts = std::max(parts, other.parts);
  }
};

struct TripsOfEngine {
  TripWorst judged;
  TripWorst shown;
};

TripsOfEngine trips_of(EngineKind engine) {
  std::mt19937_64 random(round_trip_seed);
  TripsOfEngine worst;
  for (const TripModel& model : trip_models()) {
    if (!model.is_explicit() && engine != EngineKind::radau && engine != EngineKind::ida) continue;
    const bool judged = amplification(model) <= largest_growth;
    std::printf("   %-6s %-18s", std::string(name(engine)).c_str(), model.name);
    for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
      const double back = there_and_back(model, engine, tolerance);
      double parts = 0.0;
      for (int repeat = 0; repeat < 5; ++repeat) {
        std::vector<double> cuts(static_cast<std::size_t>(1 + repeat));
        for (double& cut : cuts) {
          cut = model.t_end * 0x1p-53 * static_cast<double>(random() >> 11);
        }
        std::sort(cuts.begin(), cuts.end());
        parts = std::max(parts, in_parts(model, engine, tolerance, cuts));
      }
      std::printf("  %7.2f /%7.2f", back, parts);
      (judged ? worst.judged : worst.shown).add({back, parts});
    }
    std::printf("\n");
  }
  return worst;
}

}  // namespace

bool show_round_trips(int number) {
  Item item(number);
  std::printf(
      "   there and back / in parts, in tolerances, at 1e-4, 1e-6, 1e-8, 1e-10; seed %llu\n",
      static_cast<unsigned long long>(round_trip_seed));
  for (const TripModel& model : trip_models()) {
    std::printf("   %-18s grows errors up to %.1f-fold\n", model.name, amplification(model));
  }
  TripsOfEngine one_step;
  for (const EngineKind engine : {EngineKind::radau, EngineKind::dopri5, EngineKind::dop853}) {
    const TripsOfEngine worst = trips_of(engine);
    one_step.judged.add(worst.judged);
    one_step.shown.add(worst.shown);
  }
  const TripsOfEngine ida = trips_of(EngineKind::ida);
  item.at_most("there and back, one-step engines", one_step.judged.back, 200, " tolerances");
  item.at_most("ida", ida.judged.back, 5000, " tolerances");
  item.at_most("in parts, one-step engines", one_step.judged.parts, 20, " tolerances");
  item.at_most("ida", ida.judged.parts, 2000, " tolerances");
  char note[160];
  std::snprintf(
      note, sizeof note,
      "models that grow errors more than %.0f-fold, as runs of Saltus say: %.3g and %.3g, ida %.3g "
      "and %.3g",
      largest_growth, one_step.shown.back, one_step.shown.parts, ida.shown.back, ida.shown.parts);
  item.leaves_out(note);
  return item.print();
}

}  // namespace saltus::bench
