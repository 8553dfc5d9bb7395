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
  Expr highest = m.discrete("highest", 0.0), goal = m.discrete("goal", 10.0),
       n = m.discrete("n", 0.0);
  m.equation(der(x) == v);
  m.equation(der(v) == -rate * x + where(highest > 0.1, 0.2 * highest, 0.0));
  m.when("turns", v < 0.0, {{highest, x}, {n, pre(n) + 1.0}});
  m.when("new highest", highest != pre(highest), {{goal, -0.5 * highest}});
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

/// A rope is cut, a longer one catches the mass: constraints of index 3 and an impulse.
void write_catch(Model& m, double longer) {
  Expr l2 = m.parameter("longer", longer), l = m.parameter("length", 1.0),
       lim = m.parameter("limit", 9.81);
  Expr x = m.state("x", 1.0, {.derivative_start = 0.0}),
       y = m.state("y", 0.0, {.derivative_start = 0.0});
  Expr force = m.algebraic("force");
  Expr r2 = x * x + y * y, v2 = der(x) * der(x) + der(y) * der(y);
  m.output("energy", 0.5 * v2 + 9.81 * y, "J/kg");
  m.output("angular momentum", x * der(y) - y * der(x), "m2/s");
  const ModeId rope = m.mode("rope"), flight = m.mode("flight"), caught = m.mode("caught");
  for (const ModeId taut : {rope, caught}) {
    m.equation(taut, "x", der(der(x)) == -force * x);
    m.equation(taut, "y", der(der(y)) == -force * y - 9.81);
  }
  m.equation(rope, "length", r2 == l * l);
  m.equation(caught, "length", r2 == l2 * l2);
  m.equation(flight, "x", der(der(x)) == 0.0);
  m.equation(flight, "y", der(der(y)) == -9.81);
  m.transition("cut", rope, {flight}, v2 > lim, {.conserved = {"energy"}});
  m.transition("catch", flight, {caught}, r2 > l2 * l2, {.conserved = {"angular momentum"}});
}

/// Connected, with a pulse of current, at times that are parameters.
void write_capacitors(Model& m, double c) {
  Expr c1 = m.parameter("c1", c), closes = m.parameter("closes", 1.0);
  Expr v1 = m.state("v1", 10.0), v2 = m.state("v2", 2.0), i = m.algebraic("i");
  m.equation("first", c1 * der(v1) == -0.5 * v1 - i);
  m.equation("second", 3.0 * der(v2) == -0.2 * v2 + i);
  m.output("charge", c1 * v1 + 3.0 * v2, "C");
  const ModeId open = m.mode("open"), closed = m.mode("closed");
  m.equation(open, "switch", i == 0.0);
  m.equation(closed, "switch", v1 == v2);
  Expr t = m.time();
  const Cond is_closed = (t >= closes && t < 2.0 * closes) || t >= 3.5;
  m.transition("close", open, {closed}, is_closed, {.conserved = {"charge"}});
  m.transition("open", closed, {open}, !is_closed, {.conserved = {"charge"}});
}

/// Static friction: a surface that holds more than it takes to slip.
void write_static_friction(Model& m, double mu) {
  Expr k = m.parameter("mu", mu), ks = m.parameter("mu_s", 0.5), vb = m.parameter("vb", 0.2);
  Expr x = m.state("x", 0.0), v = m.state("v", 0.0);
  Expr f =
      m.friction("belt", v - vb, 2.0, {.mu_kinetic = k / (1.0 + abs(v - vb)), .mu_static = ks});
  m.equation(der(x) == v);
  m.equation(der(v) == -3.0 * x + f);
}

/// A sampled controller: what it holds are values of unknowns, on a clock.
void write_sampled(Model& m, double gain) {
  Expr k = m.parameter("gain", gain), ref = m.parameter("ref", 1.0);
  Expr x = m.state("x", 0.0), v = m.state("v", 0.0);
  Expr u = m.discrete("u", 0.0), e = m.discrete("e", 0.0), n = m.discrete("n", 0.0);
  m.equation(der(x) == v);
  m.equation(der(v) == u - 0.5 * v);
  const Cond tick = m.every("sample", 0.1, 0.25);
  m.when("control", tick,
         {{u, k * (ref - x) + 0.3 * pre(e)}, {e, pre(e) + 0.25 * (ref - x)}, {n, pre(n) + 1.0}});
  m.when("limit", u > 0.9, {{u, 0.9}}, {.priority = 2});
  m.when("third", n == 3.0, {reinit(v, pre(v) + 0.1 * k)});
}

void write_chopper(Model& m, double duty) {
  Expr d = m.parameter("duty", duty), r = m.parameter("r", 2.0), l = m.parameter("l", 0.5);
  Expr i = m.state("i", 0.0), v = m.algebraic("v"), id = m.algebraic("id"), is = m.algebraic("is"),
       vs = m.algebraic("vs");
  m.equation("coil", l * der(i) == v - r * i);
  m.equation("node", i == id + is);
  m.equation("s", vs == 10.0 - v);
  m.ideal_switch("S", vs, is, sin(6.283185307179586 * m.time()) > d);
  m.diode("D", -v, id);
}

/// Impacts that accumulate.
void write_rest(Model& m, double e) {
  Expr r = m.parameter("e", e), g = m.parameter("g", 9.81);
  Expr h = m.state("h", 1.0, {.derivative_start = 0.0}), c = m.algebraic("contact");
  Expr since = m.time() - 2.0;
  Expr floor = where(m.time() > 2.0, -0.5 * 20.0 * since * since, 0.0),
       fs = where(m.time() > 2.0, -20.0 * since, 0.0);
  const ModeId flies = m.mode("flies"), rests = m.mode("rests");
  m.equation(flies, "ball", der(der(h)) == -g);
  m.equation(rests, "ball", der(der(h)) == c - g);
  m.equation(rests, "floor", h == floor);
  const Cond touches = h < floor;
  m.when("bounce", touches, {{der(h), fs - r * (der(h) - fs)}});
  m.transition("comes to rest", flies, {rests}, touches, {.at_accumulation = true});
  m.transition("loses the floor", rests, {flies}, c < 0.0);
}

/// Sliding in equations of higher index, on a surface that is a parameter.
void write_sliding_pendulum(Model& m, double c) {
  Expr l = m.parameter("l", 1.0), cc = m.parameter("c", c), rel = m.parameter("u_belt", 0.6);
  Expr x = m.state("x", -std::sin(1.2)), y = m.state("y", -std::cos(1.2));
  Expr u = m.state("u", 0.0), v = m.state("v", 0.0), f = m.algebraic("f");
  m.equation(der(x) == u);
  m.equation(der(y) == v);
  m.equation(der(u) == -f * x - cc * sign(u - rel));
  m.equation(der(v) == -f * y - 9.81);
  m.equation("rod", x * x + y * y == l * l);
}

/// Friction at a contact, beside a joint.
void write_rolling(Model& m, double mu) {
  Expr f = m.parameter("mu", mu), r = m.parameter("radius", 0.1), len = m.parameter("len", 0.5);
  Expr x = m.state("x", 0.0), y = m.state("y", 0.3), vx = m.state("vx", 1.0),
       vy = m.state("vy", 0.0), w = m.state("w", 0.0);
  Expr x2 = m.state("x2", 0.5), v2 = m.state("v2", 1.0);
  Expr N = m.unilateral("floor", y - r, {.restitution = 0.0});
  Expr F = m.friction("floor friction", vx + r * w, N, {.mu_kinetic = f});
  Expr J = m.joint("rod", x2 - x - len);
  m.equation(der(x) == vx);
  m.equation(der(y) == vy);
  m.equation(der(vx) == F - J);
  m.equation(der(vy) == -9.81 + N);
  m.equation(0.4 * r * r * der(w) == r * F);
  m.equation(der(x2) == v2);
  m.equation(2.0 * der(v2) == J);
}

/// Comparisons between parameters and discrete variables that decide equations.
void write_stove(Model& m, double hi) {
  Expr top = m.parameter("top", hi), low = m.parameter("low", 1.0), K = m.parameter("K", 3.0),
       pick = m.parameter("pick", 2.0);
  Expr T = m.state("T", 0.0), on = m.discrete("on", 1.0), level = m.discrete("level", 2.0);
  Expr q = m.algebraic("q", {.guess = 1.0});
  m.equation(der(T) == -T + on * q);
  m.equation(q * q == where(pick > 1.0, K, 2.0 * K) * where(level > 1.0, max(pick, 1.0), 1.0));
  m.when("off", T > top, {{on, 0.0}, {level, pick}});
  m.when("on", T < low, {{on, 1.0}, {level, 0.5 * pick}});
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
      {"catch", write_catch, 2.0, 3.0, {"longer", "length", "limit"}, 2},
      {"capacitors", write_capacitors, 1.0, 5.0, {"c1", "closes"}, 4, false},
      {"static", write_static_friction, 0.3, 12.0, {"mu", "mu_s", "vb"}, 4},
      {"sampled", write_sampled, 0.7, 3.0, {"gain", "ref"}, 4},
      {"chopper", write_chopper, 0.3, 3.0, {"duty", "r", "l"}, 4, false},
      {"rest", write_rest, 0.5, 2.5, {"e", "g"}, 4, false},
      {"sliding pendulum", write_sliding_pendulum, 4.0, 4.0, {"c", "l", "u_belt"}, 4},
      {"rolling", write_rolling, 0.02, 2.0, {"mu", "radius", "len"}, 3, false},
      {"thermostat", write_stove, 1.5, 6.0, {"top", "low", "K", "pick"}, 4, false},
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

/// Without the last bounces before a rest: they are followed as far as the tolerances tell them apart, which at
/// turning_tol is to excursions of 4e-11, or 6e-6 s from one to the next. 1e-4 s hold the last four by halves.
std::vector<Event> compared_events(const Solution& s) {
  std::vector<Event> found;
  double rests_at = HUGE_VAL;
  for (std::size_t k = s.events().size(); k-- > 0;) {
    const Event& e = s.events()[k];
    const bool rests = e.name.find("comes to rest") != std::string::npos;
    if (rests) rests_at = e.t;
    if (rests || e.t < rests_at - 1e-4 || e.t >= rests_at) found.insert(found.begin(), e);
  }
  return found;
}

/// All events, and all columns of the first solution away from events.
TurnedDifference difference_of(const Solution& a, const Solution& b) {
  TurnedDifference d;
  const std::vector<Event> of_a = compared_events(a), of_b = compared_events(b);
  const auto text = [](const std::vector<Event>& events, std::size_t k) {
    if (k >= events.size()) return std::string("nothing");
    return events[k].name + " at " + to_text(events[k].t);
  };
  for (std::size_t k = 0; k < std::max(of_a.size(), of_b.size()); ++k) {
    const bool alike = k < of_a.size() && k < of_b.size() && of_a[k].name == of_b[k].name &&
                       of_a[k].micro_step == of_b[k].micro_step &&
                       of_a[k].direction == of_b[k].direction;
    if (!alike) {
      d.events = std::to_string(k + 1) + ". event: " + text(of_a, k) + ", " + text(of_b, k);
      return d;
    }
    d.in_times = std::max(d.in_times, std::abs(of_a[k].t - of_b[k].t));
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

/// Times the error of the plain run. Parameters are without error, so the root mean square over all unknowns is
/// smaller here, by sqrt(3) with four of them beside two, and steps are longer. A time that was known exactly is
/// located.
constexpr double larger_errors = 3.0;
/// Crossings are placed within 1e-3 of the tolerance: where bounces accumulate, at 7e-3 m/s, that is 2e-9 s, and the time
/// of rest, which follows from differences of the last ones, is off by ten times as much.
constexpr double of_placement = 3.0 * turning_tol;

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
  const double error = std::max(errors.in_times, errors.in_values);
  found.as_good = others.in_times <= larger_errors * error + of_placement &&
                  others.in_values <= larger_errors * error + turning_tol;
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
