// An action may set unknowns beyond the surface of a relation whose side has no value there, as sqrt(h1 - h2) where h1 > h2.
// The rule: where the equations have no value with the truths before the action, relations are what the new values say.
#include <random>
#include <string>

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

}  // namespace
}  // namespace saltus
