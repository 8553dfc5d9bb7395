#include <saltus/simulate/linearize.hpp>

#include <cmath>

#include <gtest/gtest.h>

#include <saltus/simulate/simulate.hpp>
#include <saltus/system/function_system.hpp>

namespace saltus {
namespace {

using HybridRun = saltus::Run;  // gtest has a Run of its own

constexpr double linear_eps = std::numeric_limits<double>::epsilon();

const PencilMode* nearest_mode(const Linearization& l, std::complex<double> value) {
  const PencilMode* nearest = nullptr;
  for (const PencilMode& mode : l.pencil.modes) {
    if (nearest == nullptr || std::abs(mode.value - value) < std::abs(nearest->value - value))
      nearest = &mode;
  }
  return nearest;
}

/// How far the finite eigenvalues are from those expected, relative to the largest.
double mode_distance(const Linearization& l, const std::vector<std::complex<double>>& expected) {
  if (l.pencil.modes.size() != expected.size()) return 1e300;
  double worst = 0.0, size = 0.0;
  for (const auto& value : expected) {
    worst = std::max(worst, std::abs(nearest_mode(l, value)->value - value));
    size = std::max(size, std::abs(value));
  }
  return worst / size;
}

struct Rlc {
  double r = 10.0, l = 1e-3, c = 1e-6;

  void write(Model& m) const {
    Expr i = m.state("i", 0.0, {.unit = "A"}), v = m.state("v", 0.0, {.unit = "V"});
    Expr vl = m.algebraic("v_l");
    Expr u = m.input("u", callback([](double) { return 2.0; }));
    m.equation("coil", l * der(i) == vl);
    m.equation("capacitor", c * der(v) == i);
    m.equation("loop", u == r * i + vl + v);
  }
  /// s^2 + (R/L) s + 1/(LC) = 0.
  std::complex<double> pole() const {
    const double alpha = r / (2 * l);
    return {-alpha, std::sqrt(1 / (l * c) - alpha * alpha)};
  }
};

TEST(Linearize, ResonantCircuit) {
  const Rlc circuit;
  Model m("rlc");
  circuit.write(m);
  m.output("power", 0.0 * m.time() + 3.0);
  const auto found = linearize(m);
  ASSERT_TRUE(found) << found.failure().message;
  EXPECT_TRUE(found->pencil.regular);
  EXPECT_EQ(found->pencil.index, 1u);
  EXPECT_EQ(found->pencil.n_infinite, 1u);
  const std::complex<double> pole = circuit.pole();
  EXPECT_LT(mode_distance(*found, {pole, std::conj(pole)}), 1000 * linear_eps);
  // The measure sees another inductance.
  const std::complex<double> other = Rlc{.l = 1.001e-3}.pole();
  EXPECT_GT(mode_distance(*found, {other, std::conj(other)}), 1e-5);
  EXPECT_EQ(found->pencil.controllability->finite, 2u);
  EXPECT_EQ(found->pencil.observability->finite, 0u);  // the output is a number
}

TEST(Linearize, MatricesAreThoseOfTheEquations) {
  const Rlc circuit;
  Model m("rlc");
  circuit.write(m);
  const auto found = linearize(m);
  ASSERT_TRUE(found) << found.failure().message;
  const LinearSystem& s = found->matrices;
  EXPECT_EQ(found->unknowns, (std::vector<std::string>{"i", "v", "v_l"}));
  EXPECT_EQ(found->equations, (std::vector<std::string>{"coil", "capacitor", "loop"}));
  EXPECT_EQ(found->inputs, (std::vector<std::string>{"u"}));
  EXPECT_EQ(found->outputs, (std::vector<std::string>{"i", "v", "v_l"}));
  // Signs of an equation are those of left - right.
  EXPECT_EQ(s.e(0, 0), circuit.l);
  EXPECT_EQ(s.a(0, 2), 1.0);
  EXPECT_EQ(s.e(1, 1), circuit.c);
  EXPECT_EQ(s.a(1, 0), 1.0);
  EXPECT_EQ(s.a(2, 0), circuit.r);
  EXPECT_EQ(s.b(2, 0), -1.0);
  EXPECT_EQ(s.c(1, 1), 1.0);
  EXPECT_EQ(s.c(1, 0), 0.0);
  EXPECT_FALSE(found->at_rest);  // the coil starts with 2 V
}

void write_linear_pendulum(Model& m, double g, double length) {
  Expr x = m.state("x", 0.0, {.derivative_start = 0.0});
  Expr y = m.state("y", -length, {.derivative_start = 0.0});
  Expr force = m.algebraic("force", {.guess = g / length});
  Expr push = m.input("push", callback([](double, int) { return 0.0; }, 3));
  m.equation(der(der(x)) == -force * x + push);
  m.equation(der(der(y)) == -force * y - g);
  m.equation("rod", x * x + y * y == length * length);
  m.output("x_seen", x);
}

TEST(Linearize, APendulumAtRestSwingsWithItsKnownFrequency) {
  for (const double length : {1.0, 0.25, 16.0}) {
    Model m("pendulum");
    write_linear_pendulum(m, 9.81, length);
    const auto found = linearize(m);
    ASSERT_TRUE(found) << found.failure().message;
    EXPECT_TRUE(found->at_rest);
    EXPECT_EQ(found->pencil.index, 3u);
    const std::complex<double> i(0.0, std::sqrt(9.81 / length));
    EXPECT_LT(mode_distance(*found, {i, -i}), 1e-12) << length;
    EXPECT_EQ(found->pencil.controllability->finite, 2u);
    EXPECT_EQ(found->pencil.observability->finite, 2u);
  }
}

TEST(Linearize, ItAgreesWithTheHandMadeReduction) {
  // phi'' = -g/l sin phi, upside down: one mode grows.
  Model by_hand("angle");
  Expr phi = by_hand.state("phi", std::acos(-1.0), {.derivative_start = 0.0});
  by_hand.equation(der(der(phi)) == -9.81 * sin(phi));
  Model m("pendulum");
  Expr x = m.state("x", 0.0, {.derivative_start = 0.0});
  Expr y = m.state("y", 1.0, {.derivative_start = 0.0});
  Expr force = m.algebraic("force", {.guess = -9.81});
  m.equation(der(der(x)) == -force * x);
  m.equation(der(der(y)) == -force * y - 9.81);
  m.equation("rod", x * x + y * y == 1.0);
  const auto one = linearize(by_hand), other = linearize(m);
  ASSERT_TRUE(one && other);
  ASSERT_EQ(one->pencil.modes.size(), 2u);
  EXPECT_LT(mode_distance(*other, {one->pencil.modes[0].value, one->pencil.modes[1].value}), 1e-12);
  EXPECT_NE(to_text(*other).find("unstable"), std::string::npos) << to_text(*other);
}

TEST(Linearize, TwoMassesPulledAlikeMoveInOneModeOnly) {
  // Equal masses on equal springs, joined by a third: pulled alike, their difference stays.
  const auto found_with = [](double second_force) {
    Model m("masses");
    Expr p = m.state("p", 0.0, {.derivative_start = 0.0});
    Expr q = m.state("q", 0.0, {.derivative_start = 0.0});
    Expr f = m.input("f", callback([](double) { return 0.0; }));
    m.equation(der(der(p)) == -p - 2.0 * (p - q) + f);
    m.equation(der(der(q)) == -q - 2.0 * (q - p) + second_force * f);
    m.output("middle", 0.5 * (p + q));
    return linearize(m);
  };
  const auto alike = found_with(1.0);
  ASSERT_TRUE(alike) << alike.failure().message;
  const std::complex<double> together(0.0, 1.0), apart(0.0, std::sqrt(5.0));
  EXPECT_LT(mode_distance(*alike, {together, -together, apart, -apart}), 100 * linear_eps);
  EXPECT_EQ(alike->pencil.controllability->finite, 2u);
  EXPECT_EQ(alike->pencil.observability->finite, 2u);
  EXPECT_TRUE(nearest_mode(*alike, together)->controllable);
  EXPECT_FALSE(nearest_mode(*alike, apart)->controllable);
  EXPECT_TRUE(nearest_mode(*alike, together)->observable);
  EXPECT_FALSE(nearest_mode(*alike, apart)->observable);
  const auto unlike = found_with(0.5);
  EXPECT_EQ(unlike->pencil.controllability->finite, 4u);
  EXPECT_EQ(unlike->pencil.observability->finite, 2u);
}

TEST(Linearize, SingularPencilsAreNamed) {
  // Two currents of which only the sum is seen, and a constraint written twice.
  const auto loop = make_system({.unknowns = {{"v", 1.0}, {"i1", 0.0, false}, {"i2", 0.0, false}},
                                 .residual = [](double, auto x, auto xdot, auto f) {
                                   f[0] = xdot[0] - x[1] - x[2];
                                   f[1] = x[0] - 1.0;
                                   f[2] = 2.0 * x[0] - 2.0;
                                 }});
  const std::vector<double> x = {1.0, 0.0, 0.0}, xdot(3, 0.0);
  const auto system = linearize(*loop, 0.0, x, xdot);
  ASSERT_TRUE(system) << system.failure().message;
  EXPECT_FALSE(system->pencil.regular);
  EXPECT_EQ(system->pencil.normal_rank, 2u);
  const std::string text = to_text(*system);
  EXPECT_NE(text.find("'equation 2', 'equation 3'"), std::string::npos) << text;
  EXPECT_NE(text.find("'i1', 'i2'"), std::string::npos) << text;
}

TEST(Linearize, AlongASolutionAndWhereARunIs) {
  // x' = -x^2 from 1: x = 1/(1 + t), slope of the right-hand side -2 x.
  Model m("fall");
  Expr x = m.state("x", 1.0);
  m.equation(der(x) == -x * x);
  const RunOptions options{.t_end = 3.0, .rtol = 1e-9, .atol = 1e-9};
  const Solution solution = simulate(m, options);
  const auto later = linearize(m, solution, 1.0);
  ASSERT_TRUE(later) << later.failure().message;
  EXPECT_EQ(later->t, 1.0);
  EXPECT_FALSE(later->at_rest);
  EXPECT_NEAR(later->pencil.modes[0].value.real(), -1.0, 1e-7);  // a hundred tolerances

  HybridRun run = start_run(m, options);
  for (int k = 0; k < 5; ++k) ASSERT_TRUE(run.advance());
  const auto here = linearize(m, run);
  ASSERT_TRUE(here) << here.failure().message;
  EXPECT_EQ(here->t, run.t());
  EXPECT_EQ(here->pencil.modes[0].value.real(), -2.0 * run.x()[0]);
}

TEST(Linearize, AHigherIndexSolutionIsReadAndMadeConsistent) {
  Model m("pendulum");
  Expr x = m.state("x", 0.6, {.derivative_start = 0.0});
  Expr y = m.state("y", -0.8, {.derivative_start = 0.0});
  Expr force = m.algebraic("force");
  m.equation(der(der(x)) == -force * x);
  m.equation(der(der(y)) == -force * y - 9.81);
  m.equation("rod", x * x + y * y == 1.0);
  const Solution solution = simulate(m, {.t_end = 1.0, .rtol = 1e-8, .atol = 1e-8});
  ASSERT_TRUE(solution.ok()) << solution.report.message;
  const auto found = linearize(m, solution, 0.5);
  ASSERT_TRUE(found) << found.failure().message;
  EXPECT_FALSE(found->at_rest);
  EXPECT_EQ(found->pencil.modes.size(), 2u);
  const double px = found->x[0], py = found->x[1], u = found->x[3], v = found->x[4];
  EXPECT_NEAR(px * px + py * py, 1.0, 1e-12);
  EXPECT_NEAR(px * u + py * v, 0.0, 1e-12);
  // Energy: u^2 + v^2 = 2 g (y0 - y); velocities read from polynomials lose some digits.
  EXPECT_NEAR(u * u + v * v, 2 * 9.81 * (-0.8 - py), 1e-4);

  HybridRun run = start_run(m, {.t_end = 1.0, .rtol = 1e-8, .atol = 1e-8});
  for (int k = 0; k < 5; ++k) ASSERT_TRUE(run.advance());
  const auto here = linearize(m, run);
  ASSERT_TRUE(here) << here.failure().message;
  EXPECT_EQ(here->x[0], run.x()[0]);
}

TEST(Linearize, StartsThatAreNotFoundAreFailures) {
  Model m("contradiction");
  Expr x = m.state("x", 1.0), y = m.algebraic("y");
  m.equation("one", x * x + y * y == -1.0);
  m.equation("motion", der(x) == y);
  const auto found = linearize(m);
  ASSERT_FALSE(found);
  EXPECT_FALSE(found.failure().message.empty());
}

TEST(Linearize, PointsOfTheWrongSizeAreRefused) {
  const auto system = make_system(
      {.unknowns = {{"x", 1.0}}, .derivative = [](double, auto x, auto xdot) { xdot[0] = -x[0]; }});
  const std::vector<double> two(2, 0.0), one(1, 0.0);
  EXPECT_THROW((void)linearize(*system, 0.0, two, one), ModelError);
  const auto found = linearize(*system, 0.0, one, one);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->inputs.empty());
  EXPECT_EQ(found->outputs, (std::vector<std::string>{"x"}));
}

TEST(Linearize, TheTextTellsModesReachAndStability) {
  const Rlc circuit;
  Model m("rlc");
  circuit.write(m);
  const std::string text = to_text(*linearize(m));
  for (const char* part : {"model 'rlc'", "regular pencil of index 1", "oscillates at", "Hz",
                           "controllable", "not at rest"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  }
}

}  // namespace
}  // namespace saltus
