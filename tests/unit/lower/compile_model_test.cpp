#include <saltus/lower.hpp>

#include <cmath>
#include <functional>
#include <memory>
#include <optional>

#include <gtest/gtest.h>

#include <saltus/model.hpp>
#include <saltus/system.hpp>

#include "support/allocation_counter.hpp"

namespace saltus {
namespace {

std::shared_ptr<const System> compiled(const Model& m) {
  auto system = compile_model(m.build())->system({});
  return *system;
}

/// A value of a part of the Jacobian, zero if it is not in the pattern.
double entry(const System& s, const std::vector<double>& values, std::uint32_t row,
             std::uint32_t column) {
  const CscPattern& p = s.pattern();
  for (auto k = p.column_start[column]; k < p.column_start[column + 1]; ++k) {
    if (p.row[static_cast<std::size_t>(k)] == static_cast<index_t>(row)) {
      return values[static_cast<std::size_t>(k)];
    }
  }
  return 0.0;
}

struct Point {
  double t = 0.0;
  std::vector<double> x, xdot;
};

std::vector<double> residual(const System& s, const Point& p) {
  std::vector<double> f(s.size());
  auto w = s.workspace();
  EXPECT_TRUE(static_cast<bool>(w->residual(p.t, p.x, p.xdot, f)));
  return f;
}

std::string refusal(const Model& m) {
  try {
    compiled(m);
  } catch (const ModelError& e) {
    return e.what();
  }
  return "not refused";
}

TEST(CompileModel, ResidualIsLeftMinusRightInTheOrderOfTheEquations) {
  Model m("m");
  Expr x = m.state("x", 1.0), y = m.algebraic("y"), p = m.parameter("p", 3.0);
  m.equation("first", der(x) == p * y);
  m.equation("second", y == x * x + m.time());
  const auto s = compiled(m);
  EXPECT_EQ(residual(*s, {2.0, {5.0, 7.0}, {11.0, 0.0}}),
            (std::vector<double>{11.0 - 3.0 * 7.0, 7.0 - (25.0 + 2.0)}));
  EXPECT_EQ(s->unknown_name(0), "x");
  EXPECT_EQ(s->unknown_name(1), "y");
  EXPECT_EQ(s->equation_name(1), "second");
  EXPECT_EQ(std::vector<int>(s->carries_derivative().begin(), s->carries_derivative().end()),
            (std::vector<int>{1, 0}));
}

// Branches are locked and parameters held between events; whatever else a coefficient reads changes with time.
TEST(CompileModel, JacobiansThatChangeAtEventsOnlyAreKnown) {
  const auto is_constant = [](const std::function<Expr(Model&, Expr x, Expr y)>& right_side) {
    Model m("m");
    Expr x = m.state("x", 1.0), y = m.algebraic("y");
    m.equation("a", 2.0 * der(x) == right_side(m, x, y));
    m.equation("b", y == 3.0 * x + sin(m.time()));
    return compiled(m)->has_constant_jacobian();
  };
  EXPECT_TRUE(is_constant([](Model& m, Expr x, Expr y) {
    const Expr p = m.parameter("p", 2.0);
    return where(x > y, p * p * x, -y) + abs(x - 1.0) + cos(m.time()) + m.discrete("d", 1.0) * y;
  }));
  EXPECT_FALSE(is_constant([](Model&, Expr x, Expr y) { return x * y; }));
  EXPECT_FALSE(is_constant([](Model& m, Expr x, Expr) { return m.time() * x; }));
  EXPECT_FALSE(
      is_constant([](Model& m, Expr x, Expr y) { return where(m.time() > 1.0, y * y, x); }));
}

TEST(CompileModel, BothPartsOfTheJacobianAreOnOnePattern) {
  Model m("m");
  Expr x = m.state("x", 1.0), y = m.algebraic("y");
  m.equation("a", 2.0 * der(x) + x * der(x) == y);
  m.equation("b", y * y == x);
  const auto s = compiled(m);
  const auto nnz = static_cast<std::size_t>(s->pattern().nnz());
  std::vector<double> by_x(nnz), by_xdot(nnz);
  auto w = s->workspace();
  ASSERT_TRUE(static_cast<bool>(
      w->jacobian(0.0, std::vector{3.0, 4.0}, std::vector{5.0, 0.0}, by_x, by_xdot)));
  EXPECT_EQ(entry(*s, by_x, 0, 0), 5.0);
  EXPECT_EQ(entry(*s, by_x, 0, 1), -1.0);
  EXPECT_EQ(entry(*s, by_x, 1, 0), -1.0);
  EXPECT_EQ(entry(*s, by_x, 1, 1), 8.0);
  EXPECT_EQ(entry(*s, by_xdot, 0, 0), 5.0);
  EXPECT_EQ(entry(*s, by_xdot, 1, 1), 0.0);
}

TEST(CompileModel, HigherDerivativesTakeOneUnknownEach) {
  Model m("m");
  Expr q = m.state("q", 1.0, {.derivative_start = 2.0}), z = m.algebraic("z");
  m.equation("jerk", der(der(der(q))) == -q - der(q) + z);
  m.equation("z", z == der(der(q)));
  const auto s = compiled(m);
  ASSERT_EQ(s->size(), 4u);
  EXPECT_EQ(s->unknown_name(0), "q");
  EXPECT_EQ(s->unknown_name(1), "z");
  EXPECT_EQ(s->unknown_name(2), "der(q)");
  EXPECT_EQ(s->unknown_name(3), "der(der(q))");
  EXPECT_EQ(s->equation_name(2), "definition of der(q)");
  EXPECT_EQ(s->equation_name(3), "definition of der(der(q))");
  // x = (q, z, q', q''), x' = (q', -, q'', q''').
  EXPECT_EQ(residual(*s, {0.0, {2.0, 3.0, 5.0, 7.0}, {11.0, 0.0, 13.0, 17.0}}),
            (std::vector<double>{17.0 - (-2.0 - 5.0 + 3.0), 3.0 - 7.0, 11.0 - 5.0, 13.0 - 7.0}));
  const StartValues start = s->start_values();
  EXPECT_EQ(start.x, (std::vector<double>{1.0, 0.0, 2.0, 0.0}));
  EXPECT_EQ(start.x_given, (std::vector<std::uint8_t>{1, 0, 1, 0}));
  EXPECT_TRUE(check_system(*s).empty());
}

TEST(CompileModel, EquationsThatGiveOneDerivativeEachHaveAnExplicitForm) {
  Model m("m");
  Expr x = m.state("x", 1.0), q = m.state("q", 0.5), mass = m.parameter("m", 4.0);
  m.equation("mass times acceleration", mass * (1.0 + x * x) * der(der(q)) == -q);
  m.equation("backwards", -x * q == -2.0 * der(x));
  const auto s = compiled(m);
  auto w = s->workspace();
  auto* form = w->ability<ExplicitForm>();
  ASSERT_NE(form, nullptr);
  std::vector<double> xdot(3);
  // x = (x, q, q')
  ASSERT_TRUE(static_cast<bool>(form->derivative(0.0, std::vector{3.0, 5.0, 7.0}, xdot)));
  EXPECT_DOUBLE_EQ(xdot[0], 7.5);
  EXPECT_DOUBLE_EQ(xdot[1], 7.0);
  EXPECT_DOUBLE_EQ(xdot[2], -5.0 / 40.0);
  EXPECT_TRUE(check_system(*s).empty());
}

TEST(CompileModel, AnExplicitFormComputesExactlyWhatTheEquationSays) {
  Model m("m");
  Expr x = m.state("x", 1.0);
  m.equation(der(x) == sin(x) / 3.0);
  const auto s = compiled(m);
  auto w = s->workspace();
  std::vector<double> xdot(1);
  ASSERT_TRUE(
      static_cast<bool>(w->ability<ExplicitForm>()->derivative(0.0, std::vector{0.7}, xdot)));
  EXPECT_EQ(xdot[0], std::sin(0.7) / 3.0);
}

TEST(CompileModel, WithoutOneDerivativePerEquationThereIsNoExplicitForm) {
  const auto has_form = [](auto&& write) {
    Model m("m");
    Expr x = m.state("x", 1.0), y = m.state("y", 1.0);
    write(m, x, y);
    return compiled(m)->workspace()->ability<ExplicitForm>() != nullptr;
  };
  // Controls: the same shape, explicit.
  EXPECT_TRUE(has_form([](Model& m, Expr x, Expr y) {
    m.equation(der(x) == y);
    m.equation(der(y) == x);
  }));
  EXPECT_FALSE(has_form([](Model& m, Expr x, Expr y) {  // coupled
    m.equation(der(x) + der(y) == y);
    m.equation(der(y) == x);
  }));
  EXPECT_FALSE(has_form([](Model& m, Expr x, Expr y) {  // algebraic
    m.equation(der(x) == y);
    m.equation(y == x);
  }));
  EXPECT_FALSE(has_form([](Model& m, Expr x, Expr y) {  // not linear in the derivative
    m.equation(der(x) * der(x) == y);
    m.equation(der(y) == x);
  }));
  EXPECT_FALSE(has_form([](Model& m, Expr x, Expr y) {  // one derivative twice
    m.equation(der(x) == y);
    m.equation(2.0 * der(x) == x * y);
  }));
}

TEST(CompileModel, FamiliesAndScalarsGiveTheSameSystem) {
  const std::uint32_t n = 60;
  const std::vector<double> start(n, 0.25);
  Model a("family"), b("scalars");
  {
    Expr u = a.states("u", start);
    Expr w = a.algebraics("w", n);
    const Expr left = concat({Expr(1.0), u.slice(0, n - 1)});
    a.equation("u", der(u) == left - u * w);
    a.equation("w", w * (1.0 + u * u) == u);
  }
  {
    std::vector<Expr> u, w;
    for (std::uint32_t i = 0; i < n; ++i) u.push_back(b.state("u" + std::to_string(i), 0.25));
    for (std::uint32_t i = 0; i < n; ++i) w.push_back(b.algebraic("w" + std::to_string(i)));
    for (std::uint32_t i = 0; i < n; ++i)
      b.equation(der(u[i]) == (i == 0 ? Expr(1.0) : u[i - 1]) - u[i] * w[i]);
    for (std::uint32_t i = 0; i < n; ++i) b.equation(w[i] * (1.0 + u[i] * u[i]) == u[i]);
  }
  const auto s = compiled(a), r = compiled(b);
  ASSERT_EQ(s->size(), r->size());
  EXPECT_EQ(s->pattern(), r->pattern());
  EXPECT_EQ(s->unknown_name(3), "u[3]");
  EXPECT_EQ(s->equation_name(n + 2), "w[2]");
  Point p;
  for (std::uint32_t i = 0; i < 2 * n; ++i) {
    p.x.push_back(std::sin(0.3 * i));
    p.xdot.push_back(std::cos(0.7 * i));
  }
  EXPECT_EQ(residual(*s, p), residual(*r, p));
  EXPECT_TRUE(check_system(*s).empty());
}

TEST(CompileModel, SignalsAreReadFromInsideTheStretch) {
  Model m("m");
  const std::vector<double> times = {0.0, 1.0, 2.0}, values = {10.0, 20.0, 30.0};
  Expr u = m.input("u", table(times, values, Interpolation::step));
  Expr x = m.state("x", 0.0);
  m.equation(der(x) == u);
  const auto s = compiled(m);
  auto w = s->workspace();
  auto* stretch = w->ability<ScheduledTimes>();
  ASSERT_NE(stretch, nullptr);
  const auto rate = [&](double t) {
    std::vector<double> xdot(1);
    EXPECT_TRUE(
        static_cast<bool>(w->ability<ExplicitForm>()->derivative(t, std::vector{0.0}, xdot)));
    return xdot[0];
  };
  EXPECT_EQ(stretch->next(0.0, 5.0), 1.0);
  EXPECT_EQ(stretch->next(1.0, 5.0), 2.0);
  EXPECT_EQ(stretch->next(2.0, 5.0), 5.0);
  stretch->enter_stretch(0.0, 1.0);
  EXPECT_EQ(rate(0.0), 10.0);
  EXPECT_EQ(rate(1.0), 10.0);
  stretch->enter_stretch(1.0, 2.0);
  EXPECT_EQ(rate(1.0), 20.0);
  EXPECT_EQ(rate(2.0), 20.0);
  // Backward in time.
  EXPECT_EQ(stretch->next(5.0, 0.5), 2.0);
  EXPECT_EQ(stretch->next(2.0, 0.5), 1.0);
  EXPECT_EQ(stretch->next(1.0, 0.5), 0.5);
  stretch->enter_stretch(2.0, 1.0);
  EXPECT_EQ(rate(2.0), 20.0);
  EXPECT_EQ(rate(1.0), 20.0);
}

/// A clock of n ticks that counts what it is asked for.
class CountingClock final : public Signal {
 public:
  explicit CountingClock(int n) : n_(n) {}
  double value(double t, int, Side) const override { return t; }
  std::vector<double> breakpoints(double t_from, double t_to) const override {
    std::vector<double> times;
    for (int k = 1; k <= n_; ++k) {
      if (k > t_from && k <= t_to) times.push_back(k);
    }
    n_listed += times.size();
    return times;
  }
  std::optional<double> next_breakpoint(double t, double t_end) const override {
    ++n_asked;
    const double k = t_end > t ? std::floor(t) + 1 : std::ceil(t) - 1;
    const bool within = k >= 1 && k <= n_ && (t_end > t ? k <= t_end : k >= t_end);
    return within ? std::optional(k) : std::nullopt;
  }
  int max_order() const override { return 0; }

  mutable std::size_t n_listed = 0, n_asked = 0;

 private:
  int n_;
};

TEST(CompileModel, EachBreakpointIsAskedForOnce) {
  constexpr int n = 200'000;
  const auto clock = std::make_shared<CountingClock>(n);
  std::vector<double> times(n + 1), values(n + 1);
  for (int k = 0; k <= n; ++k) times[static_cast<std::size_t>(k)] = k;
  Model m("m");
  Expr u = m.input("u", clock), v = m.input("v", table(times, values, Interpolation::step));
  Expr x = m.state("x", 0.0);
  m.equation(der(x) == u + v);
  const auto s = compiled(m);
  auto w = s->workspace();
  const auto& scheduled = *w->ability<ScheduledTimes>();
  const auto walk = [&](double t, double t_end) {
    int n_stops = 0;
    for (; t != t_end; ++n_stops) t = scheduled.next(t, t_end);
    return n_stops;
  };
  const long before = test::allocations();
  EXPECT_EQ(walk(0.0, n), n);
  EXPECT_EQ(walk(n, 0.0), n);
  // A list of all that are left at each stop would be n^2 numbers.
  EXPECT_EQ(clock->n_listed, 0u);
  EXPECT_EQ(clock->n_asked, 2u * n);
  if (test::counts_allocations()) {
    EXPECT_EQ(test::allocations(), before) << "the table's neither";
  }
}

TEST(CompileModel, ASignalWithoutTheDerivativeNeededIsRefused) {
  Model m("m");
  Expr u = m.input("u", callback([](double t, int) { return t; }, 0));
  Expr x = m.state("x", 0.0);
  m.equation(der(x) == der(u));
  EXPECT_NE(refusal(m).find("input 'u'"), std::string::npos) << refusal(m);
}

TEST(CompileModel, OutputsAreComputedBesideTheUnknowns) {
  Model m("m");
  Expr x = m.state("x", 2.0, {.unit = "m"}), y = m.algebraic("y");
  m.equation(der(x) == -x);
  m.equation(y == x + 1.0);
  m.output("energy", 0.5 * der(x) * der(x), "J");
  const auto s = compiled(m);
  const VariableMap& map = s->variable_map();
  ASSERT_EQ(map.variables().size(), 3u);
  EXPECT_EQ(map.variables()[0], (VariableInfo{"x", "m", ""}));
  EXPECT_EQ(map.variables()[2], (VariableInfo{"energy", "J", ""}));
  EXPECT_EQ(map.unknown(1), 1u);
  EXPECT_EQ(map.unknown(2), std::nullopt);
  std::vector<double> values(3);
  auto w = s->workspace();
  ASSERT_TRUE(static_cast<bool>(
      map.values(*w, 0.0, std::vector{2.0, 3.0}, std::vector{-4.0, 0.0}, values)));
  EXPECT_EQ(values, (std::vector<double>{2.0, 3.0, 8.0}));
}

TEST(CompileModel, APointOutsideTheDomainNamesItsRow) {
  Model m("m");
  Expr x = m.state("x", 2.0), y = m.algebraic("y");
  m.equation(der(x) == -x);
  m.equation("root", y == sqrt(x));
  m.output("inverse", 1.0 / x);
  const auto s = compiled(m);
  auto w = s->workspace();
  std::vector<double> f(2), values(3);
  const Evaluation e = w->residual(0.0, std::vector{-1.0, 0.0}, std::vector{0.0, 0.0}, f);
  EXPECT_EQ(e.status(), Evaluation::Status::out_of_domain);
  EXPECT_EQ(s->equation_name(e.row()), "root");
  const Evaluation o =
      s->variable_map().values(*w, 0.0, std::vector{0.0, 0.0}, std::vector{0.0, 0.0}, values);
  EXPECT_FALSE(static_cast<bool>(o));
  EXPECT_EQ(s->variable_map().variables()[o.row()].name, "inverse");
}

TEST(CompileModel, ParametersCanBeChangedInAWorkspace) {
  Model m("m");
  Expr x = m.state("x", 1.0), k = m.parameter("k", 2.0);
  m.equation(der(x) == k * x);
  const auto s = compiled(m);
  auto w = s->workspace(), other = s->workspace();
  w->ability<HeldValues>()->parameters()[0] = 5.0;
  std::vector<double> xdot(1);
  ASSERT_TRUE(static_cast<bool>(w->ability<ExplicitForm>()->derivative(0, std::vector{1.0}, xdot)));
  EXPECT_EQ(xdot[0], 5.0);
  ASSERT_TRUE(
      static_cast<bool>(other->ability<ExplicitForm>()->derivative(0, std::vector{1.0}, xdot)));
  EXPECT_EQ(xdot[0], 2.0);
}

TEST(CompileModel, EvaluationsDoNotAllocate) {
  Model m("m");
  const std::vector<double> times = {0.0, 1.0}, values = {1.0, 2.0};
  Expr u = m.input("u", table(times, values, Interpolation::spline));
  Expr x = m.state("x", 1.0), y = m.algebraic("y");
  m.equation(der(x) == -x * y + u);
  m.equation(y == exp(-x));
  m.output("z", x + y);
  const auto s = compiled(m);
  auto w = s->workspace();
  const std::vector<double> at = {1.0, 2.0}, rate = {0.0, 0.0};
  const auto nnz = static_cast<std::size_t>(s->pattern().nnz());
  std::vector<double> f(2), by_x(nnz), by_xdot(nnz), out(3);
  const auto evaluate = [&] {
    bool ok = true;
    ok &= static_cast<bool>(w->residual(0.5, at, rate, f));
    ok &= static_cast<bool>(w->jacobian(0.5, at, rate, by_x, by_xdot));
    ok &= static_cast<bool>(s->variable_map().values(*w, 0.5, at, rate, out));
    return ok;
  };
  ASSERT_TRUE(evaluate());
  if (!test::counts_allocations()) GTEST_SKIP() << "not under this sanitizer";
  const long before = test::allocations();
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(evaluate());
  EXPECT_EQ(test::allocations(), before);
}

}  // namespace
}  // namespace saltus
