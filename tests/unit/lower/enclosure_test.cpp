// Enclosures of switching functions along a step.
#include <saltus/lower.hpp>

#include <array>
#include <cmath>
#include <limits>
#include <memory>

#include <gtest/gtest.h>

#include <saltus/model.hpp>
#include <saltus/system.hpp>

namespace saltus {
namespace {

constexpr double rounding_unit = std::numeric_limits<double>::epsilon();

/// One state x, one step on which it is 1 + 2 s - 3 s^2 + s^3 with s = t/2.
class EnclosureTest : public testing::Test {
 protected:
  static constexpr std::array<double, 4> c{1.0, 2.0, -3.0, 1.0};
  static double x_at(double s) { return c[0] + s * (c[1] + s * (c[2] + s * c[3])); }

  void compile(const Model& m) {
    system = *compile_model(m.build())->system({});
    workspace = system->workspace();
    enclosure = workspace->ability<StepEnclosure>();
    locks = workspace->ability<Locks>();
    functions = workspace->ability<SwitchingFunctions>();
    ASSERT_NE(enclosure, nullptr);
  }
  Interval hull_of(Interval s, std::uint32_t which = 0) {
    std::vector<Interval> g(functions->count(), Interval(7.0));
    enclosure->hulls(step, s, g);
    return g[which];
  }
  /// Every enclosure contains what it encloses at many points; `g` and its scaled derivatives.
  template <class G>
  void expect_series(Interval s, int order, G&& coefficient) {
    std::vector<Interval> series(static_cast<std::size_t>(order) + 1);
    ASSERT_TRUE(enclosure->series(0, step, s, order, series));
    for (int k = 0; k <= order; ++k) {
      for (int j = 0; j <= 20; ++j) {
        const double at = s.lo() + j / 20.0 * (s.hi() - s.lo());
        const double exact = coefficient(k, at);
        const Interval widened =
            series[static_cast<std::size_t>(k)] +
            16 * rounding_unit * Interval(-1.0, 1.0) * Interval(1.0 + std::abs(exact));
        EXPECT_TRUE(widened.contains(exact)) << "coefficient " << k << " at " << at;
      }
    }
  }

  std::shared_ptr<const System> system;
  std::unique_ptr<Workspace> workspace;
  StepEnclosure* enclosure = nullptr;
  SwitchingFunctions* functions = nullptr;
  Locks* locks = nullptr;
  StepPolynomial step{0.0, 2.0, 3, 1, c};
};

TEST_F(EnclosureTest, HullsContainTheRangeAndShrinkWithThePart) {
  Model m("m");
  Expr x = m.state("x", 1.0);
  m.equation(der(x) == where(x * x > m.time(), Expr(1.0), Expr(2.0)));
  compile(m);
  double last = std::numeric_limits<double>::infinity();
  for (const double width : {1.0, 0.5, 0.1, 0.01, 1e-6}) {
    const Interval s(0.25, 0.25 + width * 0.75);
    const Interval h = hull_of(s);
    for (int j = 0; j <= 50; ++j) {
      const double at = s.lo() + j / 50.0 * (s.hi() - s.lo());
      EXPECT_TRUE(h.contains(x_at(at) * x_at(at) - 2.0 * at));
    }
    EXPECT_LT(h.width(), last);
    last = h.width();
  }
  // g changes by no more than 20 per unit of s here.
  EXPECT_LT(last, 20 * 1e-6);
}

TEST_F(EnclosureTest, TheTwinWithAnotherPolynomialIsNotContained) {
  Model m("m");
  Expr x = m.state("x", 1.0);
  m.equation(der(x) == where(x > 0.25, Expr(1.0), Expr(2.0)));
  compile(m);
  const Interval s(0.5, 0.5);
  EXPECT_TRUE((hull_of(s) + 4 * rounding_unit * Interval(-1.0, 1.0)).contains(x_at(0.5) - 0.25));
  const std::array<double, 4> other{1.0, 2.0, -3.0, 1.001};
  step.coefficients = other;
  EXPECT_FALSE((hull_of(s) + 4 * rounding_unit * Interval(-1.0, 1.0)).contains(x_at(0.5) - 0.25));
}

TEST_F(EnclosureTest, SeriesAreThoseInPowersOfThePosition) {
  Model m("m");
  Expr x = m.state("x", 1.0);
  m.equation(der(x) == where(x - m.time() > 0.0, Expr(1.0), Expr(2.0)));
  compile(m);
  const auto exact = [](int k, double s) {
    if (k == 0) return x_at(s) - 2.0 * s;
    if (k == 1) return c[1] + s * (2 * c[2] + s * 3 * c[3]) - 2.0;
    if (k == 2) return c[2] + 3 * s * c[3];
    return k == 3 ? c[3] : 0.0;
  };
  expect_series({0.3, 0.3}, 4, exact);
  expect_series({0.0, 1.0}, 4, exact);
  expect_series({0.5, 0.5 + 1e-9}, 4, exact);
  std::vector<Interval> narrow(5);
  ASSERT_TRUE(enclosure->series(0, step, {0.5, 0.5 + 1e-9}, 4, narrow));
  // The third derivative is constant: nothing but rounding, however short the part.
  EXPECT_LT(narrow[3].width(), 100 * rounding_unit);
}

TEST_F(EnclosureTest, ProductsAndFunctionsToo) {
  Model m("m");
  Expr x = m.state("x", 1.0);
  m.equation(der(x) == where(x * sin(x) > 0.25, Expr(1.0), Expr(2.0)));
  compile(m);
  expect_series({0.2, 0.6}, 1, [](int k, double s) {
    const double x_s = x_at(s), v = c[1] + s * (2 * c[2] + s * 3 * c[3]);
    return k == 0 ? x_s * std::sin(x_s) - 0.25 : v * (std::sin(x_s) + x_s * std::cos(x_s));
  });
}

TEST_F(EnclosureTest, InnerRelationsAreThoseOfTheLocks) {
  Model m("m");
  Expr x = m.state("x", 1.0);
  m.equation(der(x) == where(abs(x - 1.25) > 0.125, Expr(1.0), Expr(2.0)));
  compile(m);
  const std::uint32_t inner = functions->info(0).name == "x - 1.25 > 0" ? 0 : 1;
  const std::uint32_t outer = 1 - inner;
  for (const bool above : {true, false}) {
    locks->set_lock(inner, above);
    std::vector<Interval> series(2);
    // Over the whole step the value is on both sides; its branch is smooth all the same.
    ASSERT_TRUE(enclosure->series(outer, step, {0.0, 1.0}, 1, series));
    const double sign = above ? 1.0 : -1.0;
    EXPECT_TRUE(hull_of({0.0, 0.0}, outer).contains(sign * (1.0 - 1.25) - 0.125));
  }
}

TEST_F(EnclosureTest, InactiveFunctionsAreLeftAlone) {
  Model m("m");
  Expr x = m.state("x", 1.0), d = m.parameter("d", 1.0);
  m.equation(der(x) == where(d > 0.5, where(x > 0.0, Expr(1.0), Expr(2.0)), Expr(3.0)));
  compile(m);
  EXPECT_NE(hull_of({0.0, 1.0}), Interval(7.0));
  workspace->ability<HeldValues>()->parameters()[0] = 0.0;
  EXPECT_FALSE(functions->is_active(0));
  EXPECT_EQ(hull_of({0.0, 1.0}), Interval(7.0));
}

TEST_F(EnclosureTest, BackwardInTimeTheSameStepIsEnclosed) {
  Model m("m");
  Expr x = m.state("x", 1.0);
  m.equation(der(x) == where(x + m.time() > 0.0, Expr(1.0), Expr(2.0)));
  compile(m);
  step = StepPolynomial{3.0, 1.0, 3, 1, c};
  expect_series({0.0, 0.5}, 1, [](int k, double s) {
    return k == 0 ? x_at(s) + 3.0 - 2.0 * s : c[1] + s * (2 * c[2] + s * 3 * c[3]) - 2.0;
  });
}

TEST_F(EnclosureTest, TablesAreEnclosedInsideTheirStretch) {
  const std::vector<double> times = {0.0, 2.0, 3.0, 5.0}, values = {1.0, 0.0, 4.0, 2.0};
  for (const Interpolation kind :
       {Interpolation::step, Interpolation::linear, Interpolation::spline}) {
    const auto signal = table(times, values, kind);
    Model m("m");
    Expr x = m.state("x", 1.0), u = m.input("u", signal);
    m.equation(der(x) == where(x > u, Expr(1.0), Expr(2.0)));
    compile(m);
    expect_series({0.25, 0.75}, 3, [&](int k, double s) {
      const double scale = k == 0 ? 1.0 : k == 1 ? 2.0 : k == 2 ? 4.0 / 2 : 8.0 / 6;
      const double of_u = signal->value(2.0 * s, k) * scale;
      if (k == 0) return x_at(s) - of_u;
      if (k == 1) return c[1] + s * (2 * c[2] + s * 3 * c[3]) - of_u;
      return (k == 2 ? c[2] + 3 * s * c[3] : c[3]) - of_u;
    });
    // A step across a sample is not one polynomial.
    step = StepPolynomial{1.0, 2.5, 3, 1, c};
    std::vector<Interval> series(2);
    EXPECT_FALSE(enclosure->series(0, step, {0.0, 1.0}, 1, series));
    EXPECT_TRUE(hull_of({0.0, 1.0}).is_entire());
    step = StepPolynomial{0.0, 2.0, 3, 1, c};
  }
}

TEST_F(EnclosureTest, ACallbackHasNone) {
  Model m("m");
  Expr x = m.state("x", 1.0), u = m.input("u", callback([](double t) { return t; }));
  const Expr first = where(x > u, Expr(1.0), Expr(2.0));
  m.equation(der(x) == first + where(x > 0.0, Expr(1.0), Expr(2.0)));
  compile(m);
  std::vector<Interval> series(2);
  EXPECT_FALSE(enclosure->series(0, step, {0.0, 1.0}, 1, series));
  EXPECT_TRUE(hull_of({0.0, 1.0}).is_entire());
  EXPECT_TRUE(hull_of({0.0, 1.0}, 1).is_bounded()) << "the other one is not concerned";
}

/// x + 1/4 from outside, with or without enclosures.
class Opaque final : public ExternalFunction {
 public:
  explicit Opaque(bool encloses) : ExternalFunction("opaque", 1, 1), encloses_(encloses) {}
  class Call final : public Instance {
   public:
    bool evaluate(std::span<const double> in, std::span<double> out) override {
      out[0] = in[0] + 0.25;
      return true;
    }
    bool enclose(std::span<const Interval> in, std::span<Interval> out) override {
      out[0] = in[0] + Interval(0.25);
      return true;
    }
  };
  std::unique_ptr<Instance> instantiate() const override { return std::make_unique<Call>(); }
  bool encloses() const override { return encloses_; }

 private:
  bool encloses_;
};

TEST_F(EnclosureTest, OpaqueFunctionsAreEnclosedIfTheyCanBe) {
  for (const bool encloses : {true, false}) {
    Model m("m");
    Expr x = m.state("x", 1.0);
    const Expr arguments[] = {x};
    const Expr y = call(std::make_shared<Opaque>(encloses), arguments)[0];
    m.equation(der(x) == -x);
    const Expr first = where(y > 0.0, Expr(1.0), Expr(2.0));
    m.output("side", first + where(x > 0.5, Expr(1.0), Expr(2.0)));
    compile(m);
    std::vector<Interval> series(2);
    EXPECT_FALSE(enclosure->series(0, step, {0.0, 1.0}, 1, series));
    EXPECT_TRUE(enclosure->series(1, step, {0.0, 1.0}, 1, series));
    EXPECT_EQ(hull_of({0.0, 1.0}).is_bounded(), encloses);
    EXPECT_TRUE(hull_of({0.0, 1.0}, 1).is_bounded());
    std::vector<double> g(2), gdot(2);
    ASSERT_TRUE(
        static_cast<bool>(functions->rates(0.0, std::vector{1.0}, std::vector{-2.0}, g, gdot)));
    EXPECT_EQ(g[0], 1.25);
    // A difference of numbers of order one over 1e-8: half of the digits.
    EXPECT_NEAR(gdot[0], -2.0, 8 * std::sqrt(rounding_unit));
    EXPECT_EQ(gdot[1], -2.0);
  }
}

}  // namespace
}  // namespace saltus
