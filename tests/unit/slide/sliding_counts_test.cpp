// What is reported of evaluations is what a user's function is called.
#include <cmath>
#include <memory>

#include <gtest/gtest.h>

#include <saltus/system/function_system.hpp>
#include <saltus/system/monitoring.hpp>

#include "sliding_cases.hpp"

namespace saltus::sliding_test {
namespace {

/// x' = sin(t) + y/10 -+ 1, y' = x - y: slides on x = 0; every call of it is counted.
struct CountedRelay {
  std::shared_ptr<std::uint64_t> n_calls = std::make_shared<std::uint64_t>(0);

  std::shared_ptr<const System> system() const {
    SystemFunctions f;
    f.unknowns = {{"x"}, {"y"}};
    f.switches.push_back({"g"});
    f.switching = [](double, auto x, auto g) { g[0] = x[0]; };
    f.locked_derivative = [n = n_calls](double t, auto x, auto locks, auto xdot) {
      ++*n;
      xdot[0] = std::sin(t) + 0.1 * x[1] - (locks[0] != 0 ? 1.0 : -1.0);
      xdot[1] = x[0] - x[1];
    };
    return make_system(std::move(f));
  }
};

/// Everything that runs ask for along a step.
void ask_everything(Slider& s, double t, const std::vector<double>& x,
                    const std::vector<double>& xdot) {
  std::vector<double> g(s.functions->count()), gdot(g.size());
  std::vector<double> slopes(static_cast<std::size_t>(s.functions->gradient_pattern().nnz()));
  EXPECT_TRUE(static_cast<bool>(s.functions->evaluate(t, x, xdot, g)));
  EXPECT_TRUE(static_cast<bool>(s.functions->rates(t, x, xdot, g, gdot)));
  EXPECT_TRUE(static_cast<bool>(s.functions->gradients(t, x, xdot, slopes)));
  SignedLogarithm determinant;
  auto* regularity = s.workspace->ability<Regularity>();
  EXPECT_TRUE(static_cast<bool>(regularity->determinant(t, x, xdot, determinant)));
}

/// Of the eliminated form: Jacobians of others are differences of the same function, which nobody counts.
TEST(SlidingCounts, AreThoseOfTheUser) {
  const CountedRelay relay;
  Slider s(relay.system(), {0.0, 0.2});
  // One call was made to give the point a motion of its own.
  const std::uint64_t before = 1;
  EXPECT_EQ(s.as_sliding->n_side_evaluations(), *relay.n_calls - before);
  const std::uint64_t made = s.as_sliding->n_side_evaluations();
  EXPECT_GT(made, 0u);
  const StartValues start = s.sliding->start_values();
  ask_everything(s, 0.1, start.x, start.xdot);
  EXPECT_EQ(s.as_sliding->n_side_evaluations(), *relay.n_calls - before);
  EXPECT_GT(s.as_sliding->n_side_evaluations(), made);
  EngineOptions options;
  options.rtol = 1e-6;
  options.atol.assign(s.sliding->size(), 1e-6);
  integrate(*s.sliding, *s.workspace, EngineKind::dopri5, options, 0.0, 0.5, [&](Engine& engine) {
    const std::vector<double> x(engine.x().begin(), engine.x().end());
    const std::vector<double> xdot(engine.xdot().begin(), engine.xdot().end());
    ask_everything(s, engine.t(), x, xdot);
    EXPECT_EQ(s.as_sliding->n_side_evaluations(), *relay.n_calls - before);
  });
}

TEST(SlidingCounts, APointIsEvaluatedOnce) {
  const CountedRelay relay;
  Slider s(relay.system(), {0.0, 0.2});
  const auto first = s.motion(0.3, {0.0, 0.7});
  const std::uint64_t known = *relay.n_calls;
  EXPECT_EQ(s.motion(0.3, {0.0, 0.7}), first);
  EXPECT_EQ(*relay.n_calls, known);
  // The next number is another point: two sides.
  (void)s.motion(0.3, {0.0, std::nextafter(0.7, 1.0)});
  EXPECT_EQ(*relay.n_calls, known + 2);
  (void)s.motion(std::nextafter(0.3, 1.0), {0.0, 0.7});
  EXPECT_EQ(*relay.n_calls, known + 4);
}

/// What is known of a point is forgotten with the parameters it was known for.
TEST(SlidingCounts, HeldValuesArePartOfAPoint) {
  Model m("pushed");
  Expr x = m.state("x", 0.0), y = m.state("y", 0.0), push = m.parameter("push", 0.5);
  m.equation(der(x) == push - where(x > 0.0, Expr(1.0), Expr(-1.0)));
  m.equation(der(y) == push - y);
  Slider s(compiled(m), {0, 0});
  auto* held = s.workspace->ability<HeldValues>();
  ASSERT_NE(held, nullptr);
  const auto before = s.as_sliding->n_side_evaluations();
  (void)s.motion(0.4, {0, 0.1});
  const auto once = s.as_sliding->n_side_evaluations();
  EXPECT_GT(once, before);
  (void)s.motion(0.4, {0, 0.1});
  EXPECT_EQ(s.as_sliding->n_side_evaluations(), once);
  held->parameters()[0] = 0.25;
  EXPECT_EQ(s.motion(0.4, {0, 0.1})[2], 0.25);
  EXPECT_EQ(s.as_sliding->n_side_evaluations(), once + 2);
}

}  // namespace
}  // namespace saltus::sliding_test
