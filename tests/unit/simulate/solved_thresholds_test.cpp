// Clauses on unknowns that are solved for, not integrated. The rule: an event is located on consistent values, so that
// what is located, what the equations make of it and the truth of the relation agree, and the clause is carried out
// once for every time its condition becomes true.
#include <cmath>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include <saltus/saltus.hpp>

namespace saltus {
namespace {

/// What a threshold is on.
enum class On { implicit, derivative, force, combination };

/// Values that are passed once.
std::pair<double, double> range_of(On on) {
  switch (on) {
    case On::implicit:
      return {-0.5, 1.4};
    case On::force:
      return {0.0, 25.0};
    default:
      return {0.0, 2.0};
  }
}

double count_of(On on, double threshold, EngineKind engine, double tolerance, bool sets_state) {
  Model m("threshold");
  const Expr n = m.discrete("n", 0.0), kick = m.state("kick", 0.0);
  m.equation(der(kick) == 0.0 * n);
  Expr watched = kick;
  double t_end = 6.0;
  switch (on) {
    case On::implicit: {
      const Expr x = m.state("x", 0.0), z = m.algebraic("z", {.start = -0.5});
      m.equation(der(x) == 1.0);
      m.equation(z + exp(z) == x);
      watched = z;
      break;
    }
    case On::derivative: {
      const Expr x = m.state("x", 0.0), y = m.state("y", 0.0);
      m.equation(der(y) + 0.2 * der(x) * der(x) * der(x) == x);
      m.equation(der(x) == 1.0 + 0.1 * der(y));
      watched = der(y);
      t_end = 3.0;
      break;
    }
    case On::force: {
      // A pendulum from rest at the height of its pivot: the force in its rod rises from 0 to 3 g at t = 0.5 or so.
      const Expr x = m.state("x", 1.0), y = m.state("y", 0.0), u = m.state("u", 0.0),
                 v = m.state("v", 0.0), force = m.algebraic("force");
      m.equation(der(x) == u);
      m.equation(der(y) == v);
      m.equation(der(u) == -force * x);
      m.equation(der(v) == -force * y - 9.81);
      m.equation(x * x + y * y == 1.0);
      watched = force;
      t_end = 0.55;
      break;
    }
    case On::combination: {
      const Expr x = m.state("x", 0.0), y = m.state("y", 0.0);
      m.equation(der(x) + der(y) == 1.0);
      m.equation(x + 0.2 * x * x * x == y);
      watched = x;
      break;
    }
  }
  m.when("once", watched > threshold,
         sets_state ? std::vector<Model::Set>{{n, pre(n) + 1.0}, {kick, pre(kick) + 1.0}}
                    : std::vector<Model::Set>{{n, pre(n) + 1.0}});
  RunOptions o;
  o.t_end = t_end;
  o.engine = engine;
  o.rtol = o.atol = tolerance;
  const Solution s = simulate(m, o);
  EXPECT_TRUE(s.ok()) << s.report.message;
  return s.final("n");
}

TEST(SolvedThresholds, ArePassedOnce) {
  std::mt19937_64 random(20261118);
  int n_tried = 0;
  for (const On on : {On::implicit, On::derivative, On::force, On::combination}) {
    for (const EngineKind engine : {EngineKind::radau, EngineKind::ida}) {
      for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
        int n_wrong = 0;
        constexpr int n = 25;
        for (int k = 0; k < n; ++k) {
          const double part = std::uniform_real_distribution<>(0.02, 0.98)(random);
          const auto [from, to] = range_of(on);
          const double count =
              count_of(on, from + part * (to - from), engine, tolerance, random() % 2 == 0);
          n_wrong += count != 1.0;
          ++n_tried;
        }
        EXPECT_EQ(n_wrong, 0) << static_cast<int>(on) << " " << name(engine) << " " << tolerance;
      }
    }
  }
  EXPECT_EQ(n_tried, 800);
}

}  // namespace
}  // namespace saltus
