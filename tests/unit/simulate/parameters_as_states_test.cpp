// A model whose parameters are states has the solution it had.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <saltus/model/parameters_as_states.hpp>
#include <saltus/simulate.hpp>

namespace saltus {
namespace {

constexpr double turning_tol = 1e-8;

/// A model written with a value of the parameter of interest.
struct TurnedCase {
  std::string name;
  std::function<void(Model& m, double value)> write;
  double value = 1.0;
  double t_end = 1.0;
  std::vector<std::string> names;
  std::size_t n_events = 0;  // at least so many, so that there is something to compare
  bool is_explicit = true;   // x' = f(t, x): for dopri5
};

void write_turned_belt(Model& m, double v_belt) {
  Expr x = m.state("x", 0.0, {.unit = "m"}), v = m.state("v", 0.0, {.unit = "m/s"});
  Expr relative = v - m.parameter("v_belt", v_belt, {.unit = "m/s"});
  Expr friction = -sign(relative) / (1.0 + 3.0 * abs(relative));
  m.equation("position", der(x) == v);
  m.equation("speed", der(v) == -3.0 * x + friction);
  m.output("friction", friction, "N");
}

/// Two tanks: filled until full, emptied until empty, with a map and an equation between limits.
void write_tanks(Model& m, double full) {
  Expr limit = m.parameter("full", full), rate = m.parameter("rate", 1.5);
  Expr a = m.state("a", 0.2), b = m.state("b", 1.0);
  const ModeId fills = m.mode("fills"), empties = m.mode("empties");
  m.equation("b", der(b) == -0.3 * b + 0.1 * a);
  m.equation(fills, "a", der(a) == rate - 0.2 * a);
  m.equation(empties, "a", der(a) == -rate * a);
  m.transition("is full", fills, empties, a > limit, {.maps = {{b, pre(b) + 0.5 * limit}}});
  m.transition("is empty", empties, fills, a < 0.1 * limit,
               {.free = {b}, .equations = {b * limit == 2.0 * pre(b) + rate}});
}

/// The value at the first event decides what follows, by way of two discrete variables and a comparison.
void write_store(Model& m, double k) {
  Expr rate = m.parameter("k", k);
  Expr x = m.state("x", 0.0), v = m.state("v", 1.0);
  Expr peak = m.discrete("peak", 0.0), goal = m.discrete("goal", 10.0), n = m.discrete("n", 0.0);
  m.equation(der(x) == v);
  m.equation(der(v) == -rate * x + where(peak > 0.1, 0.2 * peak, 0.0));
  m.when("turns", v < 0.0, {{peak, x}, {n, pre(n) + 1.0}});
  m.when("new peak", peak != pre(peak), {{goal, -0.5 * peak}});
  m.when("there", x < goal, {reinit(v, 0.9 * pre(v))});
}

void write_switched_on(Model& m, double tau) {
  Expr at = m.parameter("tau", tau);
  Expr x = m.state("x", 1.0);
  m.equation(der(x) == -x + where(m.time() > at, 2.0, 0.0));
}

void write_turned_chain(Model& m, double last) {
  Expr k = m.parameters("k", std::vector{1.0, 2.0, last});
  Expr u = m.states("u", std::vector{1.0, 0.0, -0.5});
  m.equation("chain", der(u) == map(3, [&](Index i) { return -k[i] * u[i]; }) + 0.1 * sum(k * u));
  m.when("passes", u[0] < 0.5 * k[2], {reinit(u[2], pre(u[1]) + k[2])});
}

void write_pendulum_of_length(Model& m, double length) {
  Expr l = m.parameter("length", length, {.unit = "m"});
  Expr x = m.state("x", length * std::sin(1.0)), y = m.state("y", -length * std::cos(1.0));
  Expr u = m.state("u", 0.0), v = m.state("v", 0.0), force = m.algebraic("force");
  m.equation(der(x) == u);
  m.equation(der(y) == v);
  m.equation(der(u) == -force * x);
  m.equation(der(v) == -force * y - 9.81);
  m.equation("rod", x * x + y * y == l * l);
}

void write_turned_rectifier(Model& m, double resistance) {
  Expr r = m.parameter("R", resistance);
  Expr u = m.state("u", 0.0), i = m.algebraic("i"), drop = m.algebraic("drop");
  m.equation("source", sin(4.0 * m.time()) == drop + 0.1 * i + u);
  m.equation("charge", 0.5 * der(u) == i - u / r);
  m.diode("D", drop, i);
}

void write_ball_on_floor(Model& m, double floor) {
  Expr level = m.parameter("floor", floor), e = m.parameter("e", 0.7);
  Expr y = m.state("y", 1.0), v = m.state("v", 0.0), slide = m.state("s", 2.0);
  Expr x = m.state("x", 0.0);
  const Expr force = m.unilateral("ground", y - level, {.restitution = e});
  const Expr grip = m.friction("grip", slide, force, {.mu_kinetic = 0.3});
  m.equation(der(x) == slide);
  m.equation(der(slide) == grip);
  m.equation(der(y) == v);
  m.equation(der(v) == -9.81 + force);
}

std::vector<TurnedCase> turned_cases(EngineKind engine) {
  std::vector<TurnedCase> cases{
      {"belt", write_turned_belt, 0.2, 12.0, {"v_belt"}, 4},
      {"tanks", write_tanks, 1.0, 8.0, {"full", "rate"}, 4},
      {"stored value", write_store, 4.0, 6.0, {"k"}, 4},
      {"time event", write_switched_on, 0.7, 2.0, {"tau"}, 1},
      {"array", write_turned_chain, 0.8, 2.0, {"k"}, 1},
      {"one element", write_turned_chain, 0.8, 2.0, {"k[2]"}, 1},
      {"pendulum", write_pendulum_of_length, 1.3, 3.0, {"length"}, 0},
      {"diode", write_turned_rectifier, 2.0, 5.0, {"R"}, 4, false},
      {"contact", write_ball_on_floor, 0.1, 4.0, {"floor", "e"}, 5, false},
  };
  if (engine == EngineKind::dopri5)
    std::erase_if(cases, [](const auto& c) { return !c.is_explicit; });
  return cases;
}

RunOptions turned_run(const TurnedCase& c, EngineKind engine, double tol = turning_tol) {
  RunOptions options;
  options.t_end = c.t_end;
  options.rtol = options.atol = tol;
  options.engine = engine;
  return options;
}

std::shared_ptr<const ModelDefinition> model_with(const TurnedCase& c, double value) {
  Model m(c.name);
  c.write(m, value);
  return m.build();
}

struct TurnedDifference {
  std::string events;  // empty: the same in number and order
  double in_times = 0.0, in_values = 0.0;
};

/// All events, and all columns of the first solution away from events.
TurnedDifference difference_of(const Solution& a, const Solution& b) {
  TurnedDifference d;
  const auto text = [](const Solution& s, std::size_t k) {
    if (k >= s.events().size()) return std::string("nothing");
    return s.events()[k].name + " at " + to_text(s.events()[k].t);
  };
  for (std::size_t k = 0; k < std::max(a.events().size(), b.events().size()); ++k) {
    const bool alike = k < a.events().size() && k < b.events().size() &&
                       a.events()[k].name == b.events()[k].name &&
                       a.events()[k].micro_step == b.events()[k].micro_step &&
                       a.events()[k].direction == b.events()[k].direction;
    if (!alike) {
      d.events = std::to_string(k + 1) + ". event: " + text(a, k) + ", " + text(b, k);
      return d;
    }
    d.in_times = std::max(d.in_times, std::abs(a.events()[k].t - b.events()[k].t));
  }
  for (int k = 1; k <= 40; ++k) {
    const double t = a.t_begin() + (a.t_end() - a.t_begin()) * k / 40;
    bool beside_event = false;
    for (const Event& e : a.events()) beside_event |= std::abs(e.t - t) < 1e-4;
    if (beside_event) continue;
    for (std::uint32_t v = 0; v < a.trajectory.variables().size(); ++v) {
      const auto x = a.trajectory.at(v, t);
      const auto y = b.trajectory.at(b.trajectory.index_of(a.trajectory.variables()[v].name), t);
      if (x.has_value() != y.has_value()) d.in_values = HUGE_VAL;
      if (x && y) d.in_values = std::max(d.in_values, std::abs(*x - *y) / (1 + std::abs(*x)));
    }
  }
  return d;
}

/// Errors of the plain run, and how much larger those of the other may be: parameters are without error, so the root
/// mean square over all unknowns is up to sqrt(3) smaller here, and steps are a little longer. A time that was
/// known exactly is located.
constexpr double larger_errors = 3.0;

struct TurnedComparison {
  std::string refusal, events;
  bool as_good = false;
  std::string text;
};

/// The model with `value` turned, against the plain one.
TurnedComparison compare_turned(const TurnedCase& c, EngineKind engine, double value) {
  TurnedComparison found;
  const auto plain = model_with(c, c.value);
  const auto made = with_parameters_as_states(model_with(c, value), c.names);
  const Solution truth = simulate(plain, turned_run(c, engine, 1e-4 * turning_tol));
  const Solution a = simulate(plain, turned_run(c, engine));
  const Solution b = simulate(made.model, turned_run(c, engine));
  for (const Solution* s : {&truth, &a, &b})
    if (!s->ok()) found.refusal += s->report.message;
  if (!found.refusal.empty()) return found;
  if (a.events().size() < c.n_events) found.events = "too few";
  const TurnedDifference errors = difference_of(truth, a), others = difference_of(truth, b);
  found.events += errors.events + others.events;
  found.as_good = others.in_times <= larger_errors * errors.in_times + turning_tol &&
                  others.in_values <= larger_errors * errors.in_values + turning_tol;
  found.text = "times " + to_text(errors.in_times) + " and " + to_text(others.in_times) +
               ", values " + to_text(errors.in_values) + " and " + to_text(others.in_values);
  for (std::size_t k = 0; k < made.parameters.size(); ++k) {
    const std::string name =
        made.model->graph().variable_name(InputKind::state, made.parameters[k]);
    for (const Segment& s : b.trajectory.segments())
      found.as_good = found.as_good && std::abs(b.at(name, s.t_end) - b.at(name, 0.0)) <=
                                           turning_tol * (1 + std::abs(b.at(name, 0.0)));
  }
  return found;
}

class TurnedModels : public testing::TestWithParam<EngineKind> {};

TEST_P(TurnedModels, HaveTheSameEventsAndValues) {
  for (const TurnedCase& c : turned_cases(GetParam())) {
    SCOPED_TRACE(c.name);
    const TurnedComparison found = compare_turned(c, GetParam(), c.value);
    EXPECT_EQ(found.refusal, "");
    EXPECT_EQ(found.events, "");
    EXPECT_TRUE(found.as_good) << found.text;
  }
}

TEST_P(TurnedModels, OfAnotherValueDiffer) {
  for (const TurnedCase& c : turned_cases(GetParam())) {
    SCOPED_TRACE(c.name);
    const TurnedComparison found = compare_turned(c, GetParam(), (1.0 + 1e-5) * c.value);
    EXPECT_EQ(found.refusal, "");
    EXPECT_FALSE(found.events.empty() && found.as_good) << found.text;
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, TurnedModels,
                         testing::Values(EngineKind::radau, EngineKind::dopri5),
                         [](const auto& engine) {
                           return engine.param == EngineKind::radau ? "radau" : "dopri5";
                         });

TEST(TurnedModel, MayHaveAnOutputOfTheNameOfAParameter) {
  Model m("shown");
  Expr x = m.state("x", 1.0), k = m.parameter("k", 2.0);
  m.equation(der(x) == -k * x);
  m.output("k", 1000.0 * k);
  const auto made = with_parameters_as_states(m.build(), std::vector<std::string>{"k"});
  const Solution s = simulate(made.model, {.t_end = 1.0});
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_EQ(s.final("k"), 2000.0);
}

}  // namespace
}  // namespace saltus
