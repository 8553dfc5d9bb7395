// Derivatives at the start, where a search for consistent values decides where unknowns with derivatives begin.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include <saltus/lower/compile_model.hpp>
#include <saltus/model/parameters_as_states.hpp>
#include <saltus/sensitivity/forward.hpp>
#include <saltus/simulate.hpp>

namespace saltus {
namespace {

using StartedRun = Run;  // tests have a Run() of their own

RunOptions from_start(EngineKind engine, ReductionKind reduction, std::vector<std::string> names) {
  RunOptions o;
  o.t_end = 1.0;
  o.rtol = o.atol = 1e-9;
  o.engine = engine;
  o.reduction = reduction;
  o.sensitivities = std::move(names);
  return o;
}

struct ReducedWay {
  EngineKind engine;
  ReductionKind reduction;
};
constexpr ReducedWay reduced_ways[] = {{EngineKind::radau, ReductionKind::structure},
                                       {EngineKind::ida, ReductionKind::structure},
                                       {EngineKind::dop853, ReductionKind::structure},
                                       {EngineKind::radau, ReductionKind::ranks}};

// ---- index 3: a pendulum whose position and speed are completed ----------------------------------------------

constexpr double pendulum_g = 9.81;

/// x and u are stated, y and v follow from the length and from the hidden constraint x u + y v = 0.
void write_completed_pendulum(Model& m, double length, double x0, double u0) {
  const Expr L = m.parameter("L", length);
  const Expr x = m.state("x", x0), y = m.state("y", {.guess = -0.7});
  const Expr u = m.state("u", u0), v = m.state("v", {.guess = 0.1});
  const Expr force = m.algebraic("force");
  m.equation(der(x) == u);
  m.equation(der(y) == v);
  m.equation(der(u) == -force * x);
  m.equation(der(v) == -force * y - pendulum_g);
  m.equation(x * x + y * y == L * L);
}

/// y, v and the force at the start, in closed form.
struct CompletedPendulum {
  double y, v, force;
  CompletedPendulum(double length, double x, double u)
      : y(-std::sqrt(length * length - x * x)),
        v(-x * u / y),
        force((u * u + v * v - pendulum_g * y) / (length * length)) {}
};

/// Central differences of the closed form: errors of h^2 = 1e-10 and of eps / h = 2e-11.
CompletedPendulum pendulum_derivative(const std::string& by, double x, double u) {
  const double h = 1e-5;
  const auto at = [&](double d) {
    return CompletedPendulum(1 + (by == "L" ? d : 0), x + (by == "x" ? d : 0),
                             u + (by == "u" ? d : 0));
  };
  CompletedPendulum up = at(h);
  const CompletedPendulum down = at(-h);
  up.y = (up.y - down.y) / (2 * h);
  up.v = (up.v - down.v) / (2 * h);
  up.force = (up.force - down.force) / (2 * h);
  return up;
}

TEST(SlowStartDerivatives, OfAPendulumAreThoseOfTheCompletedStart) {
  for (const double x0 : {0.1, 0.9}) {
    for (const ReducedWay& way : reduced_ways) {
      Model m("pendulum");
      write_completed_pendulum(m, 1.0, x0, 0.3);
      const Solution s = simulate(m, from_start(way.engine, way.reduction, {"L", "x", "u"}));
      ASSERT_TRUE(s.ok()) << s.report.message;
      ASSERT_FALSE(s.sensitivities.ends()) << s.sensitivities.ends()->why;
      for (const char* p : {"L", "x", "u"}) {
        const CompletedPendulum exact = pendulum_derivative(p, x0, 0.3);
        // searches that are exact to 1e-12 over steps of 2e-4, times derivatives of up to 10
        const double few = 1e-7;
        EXPECT_NEAR(s.sensitivity("x", p, 0.0), p == std::string("x") ? 1.0 : 0.0, few);
        EXPECT_NEAR(s.sensitivity("u", p, 0.0), p == std::string("u") ? 1.0 : 0.0, few);
        EXPECT_NEAR(s.sensitivity("y", p, 0.0), exact.y, few) << name(way.engine) << " " << p;
        EXPECT_NEAR(s.sensitivity("v", p, 0.0), exact.v, few) << name(way.engine) << " " << p;
        EXPECT_NEAR(s.sensitivity("force", p, 0.0), exact.force, few)
            << name(way.engine) << " " << p;
      }
    }
  }
}

TEST(SlowStartDerivatives, OfAPendulumAreRightAtTheEnd) {
  constexpr double h = 1e-4;
  for (const double x0 : {0.1, 0.9}) {
    const auto end = [&](double length) {
      Model m("pendulum");
      write_completed_pendulum(m, length, x0, 0.3);
      RunOptions o = from_start(EngineKind::radau, ReductionKind::structure, {});
      o.rtol = o.atol = 1e-12;
      return simulate(m, o).final("x");
    };
    const double exact =
        (8 * (end(1 + h) - end(1 - h)) - (end(1 + 2 * h) - end(1 - 2 * h))) / (12 * h);
    for (const ReducedWay& way : reduced_ways) {
      Model m("pendulum");
      write_completed_pendulum(m, 1.0, x0, 0.3);
      const Solution s = simulate(m, from_start(way.engine, way.reduction, {"L"}));
      // 1000 tolerances
      EXPECT_NEAR(s.sensitivity("x", "L", 1.0, Side::left), exact, 1e-6) << name(way.engine);
    }
  }
}

// ---- index 2: a parameter in a constraint that is differentiated once -----------------------------------------

/// y is stated; x and z = p (q t - y) + q follow.
void write_led_pair(Model& m, double p0, double q0) {
  const Expr p = m.parameter("p", p0), q = m.parameter("q", q0);
  const Expr x = m.state("x", {.guess = 1.0}), y = m.state("y", 2.0), z = m.algebraic("z");
  m.equation(der(x) == z);
  m.equation(der(y) == -y + q * m.time());
  m.equation(x == p * y + q * (1.0 + m.time()));
}

TEST(StartDerivatives, OfAHiddenConstraintAreThoseOfWhatItSays) {
  for (const ReducedWay& way : reduced_ways) {
    Model m("led");
    write_led_pair(m, 3.0, 0.5);
    const Solution s = simulate(m, from_start(way.engine, way.reduction, {"p", "q", "y"}));
    ASSERT_TRUE(s.ok()) << s.report.message;
    ASSERT_FALSE(s.sensitivities.ends()) << s.sensitivities.ends()->why;
    EXPECT_NEAR(s.at("x", 0.0), 6.5, 1e-12);
    const double few = 2e-8;  // 1e-12 over a step of 2e-4, of numbers up to 6.5
    EXPECT_NEAR(s.sensitivity("x", "p", 0.0), 2.0, few) << name(way.engine);
    EXPECT_NEAR(s.sensitivity("x", "q", 0.0), 1.0, few) << name(way.engine);
    EXPECT_NEAR(s.sensitivity("x", "y", 0.0), 3.0, few) << name(way.engine);
    EXPECT_NEAR(s.sensitivity("z", "p", 0.0), -2.0, few) << name(way.engine);
    EXPECT_NEAR(s.sensitivity("z", "q", 0.0), 1.0, few) << name(way.engine);
    EXPECT_NEAR(s.sensitivity("y", "p", 0.0), 0.0, few) << name(way.engine);
  }
}

// ---- start values that are moved to fit -------------------------------------------------------------------------

/// x + y == level, both stated as 0.
void write_pair_with_level(Model& m, const Expr& level) {
  const Expr x = m.state("x", 0.0), y = m.state("y", 0.0), z = m.algebraic("z");
  m.equation(der(x) == z);
  m.equation(der(y) == z - x);
  m.equation(x + y == level);
}

TEST(StartDerivatives, OfLeastSquaresAreThoseOfTheMovedStart) {
  Model m("moved");
  write_pair_with_level(m, Expr(1.0));
  RunOptions o = from_start(EngineKind::radau, ReductionKind::structure, {"x"});
  o.start = StartPolicy::least_squares;
  const Solution s = simulate(m, o);
  ASSERT_TRUE(s.ok()) << s.report.message;
  ASSERT_FALSE(s.sensitivities.ends()) << s.sensitivities.ends()->why;
  EXPECT_NEAR(s.at("x", 0.0), 0.5, 1e-12);
  EXPECT_NEAR(s.sensitivity("x", "x", 0.0), 0.5, 1e-8);
  EXPECT_NEAR(s.sensitivity("y", "x", 0.0), -0.5, 1e-8);
}

TEST(StartDerivatives, EndWhereAParameterHasGivenWay) {
  Model m("moved");
  write_pair_with_level(m, m.parameter("level", 1.0));
  RunOptions o = from_start(EngineKind::radau, ReductionKind::structure, {"level"});
  o.start = StartPolicy::least_squares;
  const Solution s = simulate(m, o);
  ASSERT_TRUE(s.sensitivities.ends());
  EXPECT_NE(s.sensitivities.ends()->why.find("moved 'level' from 1 to 0.66"), std::string::npos)
      << s.sensitivities.ends()->why;
}

// ---- the twin -------------------------------------------------------------------------------------------------

/// Takes stated values and guesses for independent ones, as they are in equations for explicit engines.
class TrustsStatedValues final : public RunFollower {
 public:
  explicit TrustsStatedValues(ForwardSensitivities& to) : to_(to) {}
  void begins(const FollowedPoint& at, const FoundStart& start) override {
    to_.begins(at, {true, start.moved});
  }
  void goes_on(const FollowedPoint& from, const std::string& segment) override {
    to_.goes_on(from, segment);
  }
  void piece(const System& system, Workspace& workspace, const StepPolynomial& piece) override {
    to_.piece(system, workspace, piece);
  }
  void catch_up() override { to_.catch_up(); }
  void hardly_misses(std::uint32_t which, double t) override { to_.hardly_misses(which, t); }
  void meets(const FollowedPoint& left, std::span<const FollowedCrossing> crossings,
             const std::function<bool(std::uint32_t which)>& matters) override {
    to_.meets(left, crossings, matters);
  }
  void acts(EventActions& actions, std::span<const FollowedAction> together, double t,
            std::span<const double> x, std::span<const double> xdot) override {
    to_.acts(actions, together, t, x, xdot);
  }
  void settles(const FollowedPoint& now) override { to_.settles(now); }
  void keeps_to(const FollowedPoint& at, std::span<const KeptSurface> surfaces,
                bool by_itself) override {
    to_.keeps_to(at, surfaces, by_itself);
  }
  void stands_on(const FollowedPoint& at, std::uint32_t which,
                 const std::function<bool()>& matters) override {
    to_.stands_on(at, which, matters);
  }
  void changes_mode(const FollowedPoint& to, const MovedStart& moved) override {
    to_.changes_mode(to, moved);
  }
  void breaks(double t, const std::string& why) override { to_.breaks(t, why); }

 private:
  ForwardSensitivities& to_;
};

TEST(StartDerivativesTwin, OfStatedValuesAreNotThoseOfTheStart) {
  Model m("pendulum");
  write_completed_pendulum(m, 1.0, 0.9, 0.3);
  const auto turned = with_parameters_as_states(m.build(), std::vector<std::string>{"L"});
  const RunOptions o = from_start(EngineKind::dop853, ReductionKind::structure, {});
  ForwardSensitivities columns({"L"}, {1e-9, 1e-9});
  TrustsStatedValues follower(columns);
  StartedRun run("pendulum", compile_model(turned.model), o, null_observer(), &follower);
  while (run.advance()) {
  }
  ASSERT_TRUE(run.finish().ok());
  const Sensitivities s = columns.take();
  const CompletedPendulum exact = pendulum_derivative("L", 0.9, 0.3);
  EXPECT_EQ(s.at("y", "L", 0.0), 0.0);
  EXPECT_GT(std::abs(exact.y), 1.0);
}

}  // namespace
}  // namespace saltus
