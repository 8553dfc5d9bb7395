// Runs that end where the equations become singular: every row before the end is as accurate as any other.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include <saltus/simulate.hpp>

namespace saltus {
namespace {

constexpr EngineKind engines_at_ends[] = {EngineKind::dopri5, EngineKind::dop853, EngineKind::radau,
                                          EngineKind::ida};

/// x = ((t* - t) / (t* - t0))^p.
struct Power {
  double t_begin = 0.0, t_singular = 1.0, exponent = 3.0;

  double value(double t) const {
    return std::pow((t_singular - t) / (t_singular - t_begin), exponent);
  }
  void write_implicit(Model& m) const {
    const Expr x = m.state("x", 1.0);
    m.equation((t_singular - m.time()) * der(x) == -exponent * x);
  }
  void write_explicit(Model& m) const {
    const Expr x = m.state("x", 1.0);
    m.equation(der(x) == -exponent * x / (t_singular - m.time()));
  }
};

Solution run_power(const Power& power, bool is_implicit, EngineKind engine, double tolerance) {
  Model m("power");
  if (is_implicit) power.write_implicit(m);
  if (!is_implicit) power.write_explicit(m);
  RunOptions o;
  o.t_begin = power.t_begin;
  o.t_end = power.t_singular + 1.0;
  o.rtol = o.atol = tolerance;
  o.engine = engine;
  return simulate(m, o);
}

void expect_valid_rows(const Solution& s, const Power& power, EngineKind engine, double tolerance,
                       std::uint32_t seed) {
  const std::string what = std::string(name(engine)) + ", p = " + std::to_string(power.exponent) +
                           ", t* = " + std::to_string(power.t_singular) + ", tolerance " +
                           std::to_string(tolerance) + ", seed " + std::to_string(seed) + ": " +
                           s.report.message;
  EXPECT_EQ(s.report.outcome, Outcome::failed) << what;
  for (std::uint32_t r = 0; r < s.trajectory.n_rows(); ++r) {
    const double t = s.trajectory.times()[r], x = s.trajectory.row(r)[0], exact = power.value(t);
    // The equation is linear: an error grows as the solution does, so 1,000 tolerances of its size, or of the absolute
    // one (the solution may have been larger before, which only makes the bound stricter).
    ASSERT_LE(std::abs(x - exact), 1000 * tolerance * (1 + std::abs(exact)))
        << what << "; t* - t = " << power.t_singular - t << ", x = " << x << ", not " << exact;
  }
  // And there are rows up to near the end, where a power is still known to the tolerance.
  EXPECT_LT(power.t_singular - s.trajectory.t_end(), 0.1 * (power.t_singular - power.t_begin))
      << what;
}

TEST(SingularEnds, EveryRowIsValid) {
  constexpr std::uint32_t seed = 20260117;
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> exponents(-2.0, 4.0), ends(0.3, 3.0);
  for (int k = 0; k < 60; ++k) {
    Power power;
    power.exponent = exponents(random);
    power.t_singular = ends(random);
    if (k % 4 == 1) power.t_begin = -power.t_singular;
    if (k % 4 == 2) power = {-1.0, 0.0, k % 8 == 2 ? 1.0 : power.exponent};  // time is finest at 0
    if (k % 4 == 3) power = {0.0, 1.0, std::round(power.exponent)};
    if (power.exponent == 0.0) power.exponent = 3.0;
    const double tolerance = k % 3 == 0 ? 1e-4 : k % 3 == 1 ? 1e-6 : 1e-10;
    for (const EngineKind engine : engines_at_ends)
      expect_valid_rows(run_power(power, true, engine, tolerance), power, engine, tolerance, seed);
  }
}

// The same written for der(x): nothing is singular but the right-hand side, and steps become too short.
TEST(SingularEnds, EveryRowIsValidWhereASolutionGoesToInfinity) {
  constexpr std::uint32_t seed = 20260118;
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> exponents(-2.0, -0.3), ends(0.3, 3.0);
  for (int k = 0; k < 30; ++k) {
    const Power power{0.0, ends(random), exponents(random)};
    const double tolerance = k % 3 == 0 ? 1e-4 : k % 3 == 1 ? 1e-6 : 1e-10;
    for (const EngineKind engine : engines_at_ends)
      expect_valid_rows(run_power(power, false, engine, tolerance), power, engine, tolerance, seed);
  }
}

}  // namespace
}  // namespace saltus
