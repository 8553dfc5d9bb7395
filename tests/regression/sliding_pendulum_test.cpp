// A pendulum that a relay holds at a constant rate: a constraint of index 3 and a
// surface in one. Written out without the relay it is a plain pendulum with a driving force; sliding should cost
// about as much.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <tuple>

#include <gtest/gtest.h>

#include <saltus/saltus.hpp>

namespace saltus {
namespace {

constexpr double pendulum_t_end = 20.0;

enum class DrivenBy : std::uint8_t { relay, force };

/// x = cos t, y = sin t, and the force in the rod is 1 - gravity y.
Solution turn_pendulum(DrivenBy by, double gravity, EngineKind engine, double tol) {
  Model m("pendulum");
  const Expr x = m.state("x", 1.0), y = m.state("y", 0.0);
  const Expr u = m.state("u", 0.0), v = m.state("v", 1.0);
  const Expr l = m.algebraic("l");
  const Expr force = by == DrivenBy::force
                         ? gravity * x
                         : -3.0 * where(x * v - y * u - 1.0 > 0.0, Expr(1.0), Expr(-1.0));
  m.equation(der(x) == u);
  m.equation(der(y) == v);
  m.equation(der(u) == -l * x - force * y);
  m.equation(der(v) == -l * y + force * x - gravity);
  m.equation("length", x * x + y * y == 1.0);
  return simulate(m, {.t_end = pendulum_t_end, .rtol = tol, .atol = tol, .engine = engine});
}

struct PendulumErrors {
  double states = 0.0, rod = 0.0;  // largest, in tolerances, between steps as well
};

PendulumErrors errors_of(const Solution& s, double gravity, double tol) {
  constexpr int n_looks = 4001;
  PendulumErrors worst;
  for (int k = 1; k < n_looks; ++k) {
    const double t = pendulum_t_end * k / (n_looks - 1);
    const double exact[] = {std::cos(t), std::sin(t), -std::sin(t), std::cos(t)};
    const char* const names[] = {"x", "y", "u", "v"};
    for (int i = 0; i < 4; ++i) {
      worst.states = std::max(worst.states, std::abs(s.at(names[i], t) - exact[i]) / tol);
    }
    const double rod = std::abs(s.at("l", t) - (1.0 - gravity * std::sin(t)));
    worst.rod = std::max(worst.rod, rod / tol);
  }
  return worst;
}

class DrivenPendulum
    : public testing::TestWithParam<std::tuple<EngineKind, double /*gravity*/, double /*tol*/>> {};

TEST_P(DrivenPendulum, CostsWhatItCostsWrittenOut) {
  const auto [engine, gravity, tol] = GetParam();
  const Solution relay = turn_pendulum(DrivenBy::relay, gravity, engine, tol);
  const Solution force = turn_pendulum(DrivenBy::force, gravity, engine, tol);
  ASSERT_TRUE(relay.ok()) << relay.report.message;
  ASSERT_TRUE(force.ok()) << force.report.message;
  EXPECT_TRUE(relay.events().empty());
  // With gravity ida took 2.6, 4.4, 21 and 77 times as many at 1e-4, 1e-6, 1e-8 and 1e-10.
  constexpr double most = 2.0;
  const auto work = relay.report.total_work(), written_out = force.report.total_work();
  EXPECT_LE(static_cast<double>(work.n_steps), most * static_cast<double>(written_out.n_steps));
  EXPECT_LE(static_cast<double>(work.n_evaluations),
            most * static_cast<double>(written_out.n_evaluations));
}

TEST_P(DrivenPendulum, TheForceInTheRodIsAsAccurateAsTheStates) {
  const auto [engine, gravity, tol] = GetParam();
  const Solution s = turn_pendulum(DrivenBy::relay, gravity, engine, tol);
  ASSERT_TRUE(s.ok()) << s.report.message;
  const PendulumErrors errors = errors_of(s, gravity, tol);
  // Errors of 20 time units add up: written out they reach 660 tolerances on ida and 300 on radau.
  EXPECT_LE(errors.states, 1000.0);
  // As a function of the states 1 - gravity y has the error of y; polynomials of both add one of a few
  // tolerances. Where iterations ended too early it was 50 times that of the states.
  EXPECT_LE(errors.rod, 2.0 * errors.states + 10.0);
}

INSTANTIATE_TEST_SUITE_P(Implicit, DrivenPendulum,
                         testing::Combine(testing::Values(EngineKind::ida, EngineKind::radau),
                                          testing::Values(0.0, 1.0),
                                          testing::Values(1e-4, 1e-6, 1e-8, 1e-10)));

}  // namespace
}  // namespace saltus
