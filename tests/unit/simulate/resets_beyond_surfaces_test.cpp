// An action may set unknowns beyond the surface of a relation whose side has no value there, as sqrt(h1 - h2) where h1 > h2.
// The rule: where the equations have no value with the truths before the action, relations are what the new values say.
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <saltus/saltus.hpp>

namespace saltus {
namespace {

enum class Law : std::uint8_t { guarded, largest, defined_on_both_sides };

struct Tanks {
  double inflow, high, low, leak, start;
};

/// The first tank is emptied into nothing where it is high. Water flows to the second one while the first is higher.
void make_tanks(Model& m, const Tanks& with, Law law, bool by_unknown) {
  const Expr h1 = m.state("h1", with.start), h2 = m.state("h2", 0.8), n = m.discrete("n", 0.0);
  const Expr d = h1 - h2;
  const Expr flow = law == Law::guarded   ? where(h1 > h2, sqrt(d), 0.0)
                    : law == Law::largest ? sqrt(max(d, 0.0))
                                          : where(h1 > h2, sqrt(sqrt(d * d)), 0.0);
  Expr q = flow;
  if (by_unknown) {
    q = m.algebraic("q");
    m.equation(q == flow);
  }
  m.equation(der(h1) == with.inflow - q);
  m.equation(der(h2) == q - with.leak * h2);
  m.when("empty", h1 > with.high, {{h1, with.low}, {n, pre(n) + 1.0}});
}

TEST(ResetsBeyondSurfaces, RelationsAreWhatTheNewValuesSay) {
  std::mt19937 random(20261121);
  const auto between = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  constexpr double tolerance = 1e-8;
  int n_emptied = 0;
  for (int k = 0; k < 40; ++k) {
    const Tanks with{between(0.5, 3), between(1.2, 2), between(0.0, 0.7), between(0.05, 1),
                     between(0.1, 1.1)};
    for (const EngineKind engine : {EngineKind::dopri5, EngineKind::radau, EngineKind::ida}) {
      const bool by_unknown = engine != EngineKind::dopri5 && k % 2 == 1;
      const auto run = [&](Law law) {
        RunOptions options{.t_end = 4.0};
        options.engine = engine;
        options.rtol = options.atol = tolerance;
        Model m("tanks");
        make_tanks(m, with, law, by_unknown);
        return simulate(m, options);
      };
      const Solution expected = run(Law::defined_on_both_sides);
      ASSERT_TRUE(expected.ok()) << expected.report.message;
      for (const Law law : {Law::guarded, Law::largest}) {
        const Solution s = run(law);
        SCOPED_TRACE("model " + std::to_string(k) + ", " + std::string(name(engine)) +
                     (law == Law::guarded ? ", guarded" : ", by max"));
        ASSERT_TRUE(s.ok()) << s.report.message;
        EXPECT_EQ(s.final("n"), expected.final("n"));
        // Errors of some steps, and of events that a root makes steep.
        for (const char* h : {"h1", "h2"})
          EXPECT_NEAR(s.final(h), expected.final(h), 1000 * tolerance) << h;
      }
      n_emptied += static_cast<int>(expected.final("n"));
    }
  }
  EXPECT_GT(n_emptied, 100);
}

Solution run_to_end(const Model& m, std::vector<Named<double>> hysteresis = {}) {
  RunOptions options{.t_end = 0.6};
  options.events.hysteresis = std::move(hysteresis);
  options.rtol = options.atol = 1e-8;
  return simulate(m, options);
}

/// Other relations are what they were: one in its hysteresis does not switch.
TEST(ResetsBeyondSurfaces, WhatIsWithinItsHysteresisStays) {
  Model m("beside a thermostat");
  const Expr h = m.state("h", 2.0), T = m.state("T", 19.0), n = m.discrete("n", 0.0);
  m.equation(der(h) == where(h > 1.0, -sqrt(h - 1.0), 0.0));
  m.equation(der(T) == where(T > 20.0, -1.0, 2.8));
  m.when("reset", m.time() > 0.5, {{h, Expr(0.2)}});
  m.when("off", T > 20.0, {{n, pre(n) + 1.0}});
  const Solution s = run_to_end(m, {{"T > 20", 1.0}});
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_NEAR(s.final("T"), 19.0 + 2.8 * 0.6, 1e-7);
  EXPECT_EQ(s.final("n"), 0.0);
}

/// Clauses that the relation sets off read unknowns that are solved for at the new values.
TEST(ResetsBeyondSurfaces, ClausesReadConsistentValues) {
  Model m("solved for");
  const Expr h = m.state("h", 2.0), k = m.state("k", 0.0), z = m.algebraic("z");
  m.equation(z * z * z + z == 10.0 * h);
  m.equation(der(h) == where(h > 1.0, -sqrt(h - 1.0), 0.0));
  m.equation(der(k) == 0.0);
  m.when("reset", m.time() > 0.5, {{h, Expr(0.2)}});
  m.when("add", !(h > 1.0), {{k, k + z}});
  const Solution s = run_to_end(m);
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_NEAR(s.final("k"), 1.0, 1e-7);  // z^3 + z = 2
}

/// A side that has no value where it is entered by a crossing is refused by the name of its equation.
TEST(ResetsBeyondSurfaces, ACrossingTurnsNothingBack) {
  Model m("no other side");
  const Expr x = m.state("x", 0.3), n = m.discrete("n", 0.0);
  m.equation(der(x) == where(x > 0.0, -1.0, log(x - 5.0)));
  m.when("gone", !(x > 0.0), {{n, pre(n) + 1.0}});
  const Solution s = run_to_end(m);
  EXPECT_FALSE(s.ok());
  EXPECT_NE(s.report.message.find("'x > 0' changes"), std::string::npos) << s.report.message;
}

}  // namespace
}  // namespace saltus
