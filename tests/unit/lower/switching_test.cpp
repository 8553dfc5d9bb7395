// Switching functions and locks of compiled models.
#include <saltus/lower.hpp>

#include <cmath>
#include <limits>
#include <memory>
#include <set>

#include <gtest/gtest.h>

#include <saltus/model.hpp>
#include <saltus/system.hpp>

#include "support/allocation_counter.hpp"

namespace saltus {
namespace {

constexpr double machine_eps = std::numeric_limits<double>::epsilon();

struct Switched {
  explicit Switched(const Model& m)
      : system(*compile_model(m.build())->system({})), workspace(system->workspace()) {
    functions = workspace->ability<SwitchingFunctions>();
    locks = workspace->ability<Locks>();
  }
  std::vector<double> g(double t, const std::vector<double>& x) {
    std::vector<double> values(functions->count());
    const std::vector<double> xdot(x.size(), 0.0);
    EXPECT_TRUE(static_cast<bool>(functions->evaluate(t, x, xdot, values)));
    return values;
  }
  void decide(double t, const std::vector<double>& x) {
    EXPECT_TRUE(static_cast<bool>(locks->decide(t, x, std::vector<double>(x.size(), 0.0))));
  }
  std::vector<int> lock_values() const { return {locks->locks().begin(), locks->locks().end()}; }
  std::vector<int> branches() const {
    std::vector<std::uint8_t> truth(locks->n_branches());
    locks->branches(truth);
    return {truth.begin(), truth.end()};
  }
  double first_rate(double t, const std::vector<double>& x) {
    std::vector<double> xdot(x.size());
    EXPECT_TRUE(static_cast<bool>(workspace->ability<ExplicitForm>()->derivative(t, x, xdot)));
    return xdot[0];
  }

  std::shared_ptr<const System> system;
  std::unique_ptr<Workspace> workspace;
  SwitchingFunctions* functions = nullptr;
  Locks* locks = nullptr;
};

TEST(Switching, ASmoothModelHasNoneOfIt) {
  Model m("m");
  Expr x = m.state("x", 1.0), p = m.parameter("p", 1.0);
  // Between held values nothing crosses.
  m.equation(der(x) == where(p > 0.5, -x, x));
  Switched s(m);
  EXPECT_EQ(s.functions, nullptr);
  EXPECT_EQ(s.locks, nullptr);
  EXPECT_EQ(s.workspace->ability<StepEnclosure>(), nullptr);
}

TEST(Switching, FunctionsAreLeftMinusRightWithTheTextOfTheUser) {
  Model m("m");
  Expr x = m.state("x", 1.0), y = m.state("y", 2.0), p = m.parameter("p", 3.0);
  m.equation(der(x) == where(x * y >= p, Expr(1.0), Expr(2.0)));
  m.equation(der(y) == where(m.time() < x, Expr(1.0), Expr(2.0)));
  Switched s(m);
  ASSERT_NE(s.functions, nullptr);
  ASSERT_EQ(s.functions->count(), 2u);
  EXPECT_EQ(s.functions->info(0).name, "x*y >= p");
  EXPECT_TRUE(s.functions->info(0).true_if_positive);
  EXPECT_TRUE(s.functions->info(0).true_at_zero);
  EXPECT_EQ(s.functions->info(1).name, "time < x");
  EXPECT_FALSE(s.functions->info(1).true_if_positive);
  EXPECT_FALSE(s.functions->info(1).true_at_zero);
  EXPECT_EQ(s.g(7.0, {2.0, 5.0}), (std::vector<double>{7.0, 5.0}));
  double one = 0.0;
  ASSERT_TRUE(static_cast<bool>(
      s.functions->evaluate_one(1, 7.0, std::vector{2.0, 5.0}, std::vector{0.0, 0.0}, one)));
  EXPECT_EQ(one, 5.0);
  // Held values are those of now.
  s.workspace->ability<HeldValues>()->parameters()[0] = 4.0;
  EXPECT_EQ(s.g(7.0, {2.0, 5.0})[0], 6.0);
}

TEST(Switching, EveryLaneOfAnArrayIsASwitchOfItsOwn) {
  for (const std::uint32_t n : {3U, 70U}) {  // one by one, and rolled
    Model m("m");
    const std::vector<double> start(n, 0.0);
    Expr u = m.states("u", start);
    m.equation("u", der(u) == where(u > 0.5, Expr(1.0), -u));
    Switched s(m);
    ASSERT_EQ(s.functions->count(), n);
    EXPECT_EQ(s.functions->info(2).name, "u[2] > 0.5");
    std::vector<double> x(n, 0.0), xdot(n), f(n);
    x[2] = 2.0;
    const std::vector<double> g = s.g(0.0, x);
    EXPECT_EQ(g[2], 1.5);
    EXPECT_EQ(g[1], -0.5);
    double one = 0.0;
    ASSERT_TRUE(static_cast<bool>(s.functions->evaluate_one(2, 0.0, x, xdot, one)));
    EXPECT_EQ(one, 1.5);
    s.decide(0.0, x);
    EXPECT_EQ(s.lock_values()[2], 1);
    EXPECT_EQ(s.lock_values()[1], 0);
    ASSERT_EQ(s.locks->n_branches(), n);
    EXPECT_EQ(s.branches()[2], 1);
    EXPECT_EQ(s.branches()[1], 0);
    ASSERT_TRUE(static_cast<bool>(s.workspace->residual(0.0, x, xdot, f)));
    EXPECT_EQ(f[2], -1.0);
    s.locks->set_lock(2, false);
    ASSERT_TRUE(static_cast<bool>(s.workspace->residual(0.0, x, xdot, f)));
    EXPECT_EQ(f[2], 2.0) << "the lane's own branch, whatever its side";
  }
}

TEST(Switching, NamesDifferEvenWhereTextsDoNot) {
  Model m("m");
  Expr x = m.state("x", 1.0), y = m.state("min of x", 1.0, {.min = -1.0});
  Expr z = m.state("z", 1.0, {.min = 0.0, .max = 9.0});
  m.equation(der(x) == -x);
  m.equation(der(y) == where(y > 0.0, Expr(1.0), Expr(2.0)));
  m.equation(der(z) == where(z > 0.0, Expr(1.0), Expr(2.0)));
  Switched s(m);
  std::set<std::string> names;
  for (std::uint32_t i = 0; i < s.functions->count(); ++i) names.insert(s.functions->info(i).name);
  EXPECT_EQ(names.size(), s.functions->count());
}

TEST(Switching, AllProgramsRunUnderTheSameLocks) {
  Model m("m");
  Expr x = m.state("x", 1.0);
  m.equation(der(x) == where(x > 0.0, -2.0 * x, 5.0 * x));
  m.output("slope", where(x > 0.0, Expr(-2.0), Expr(5.0)));
  Switched s(m);
  const std::vector<double> x_0 = {1.0}, none_0 = {0.0};
  for (const bool right : {true, false}) {
    const double slope = right ? -2.0 : 5.0;
    s.locks->set_lock(0, right);  // at the same point: the lock decides, not the value
    EXPECT_EQ(s.first_rate(0.0, x_0), slope);
    std::vector<double> f(1), a(1), b(1), shown(2);
    ASSERT_TRUE(static_cast<bool>(s.workspace->residual(0.0, x_0, none_0, f)));
    EXPECT_EQ(f[0], -slope);
    ASSERT_TRUE(static_cast<bool>(s.workspace->jacobian(0.0, x_0, none_0, a, b)));
    EXPECT_EQ(a[0], -slope);
    ASSERT_TRUE(
        static_cast<bool>(s.system->variable_map().values(*s.workspace, 0.0, x_0, none_0, shown)));
    EXPECT_EQ(shown[1], slope);
    auto* levels = s.workspace->ability<DerivativeLevels<double>>();
    std::vector<double> path = {1.0, 0.0, 0.0}, levels_f(2);
    ASSERT_TRUE(static_cast<bool>(levels->residuals(0.0, path, 1, levels_f)));
    EXPECT_EQ(levels_f[0], -slope);
    auto* outputs = s.workspace->ability<OutputDerivatives>();
    std::vector<double> dy(static_cast<std::size_t>(outputs->pattern().nnz()));
    EXPECT_TRUE(static_cast<bool>(outputs->evaluate(0.0, x_0, none_0, dy)));
  }
}

TEST(Switching, AFreshWorkspaceTakesTheBranchesOfTheStart) {
  Model m("m");
  Expr x = m.state("x", 1.0);
  m.equation(der(x) == where(x > 0.0, -x, x));
  Switched s(m);
  EXPECT_EQ(s.lock_values(), (std::vector<int>{1}));
  Model other("m");
  Expr y = other.state("y", -1.0);
  other.equation(der(y) == where(y > 0.0, -y, y));
  EXPECT_EQ(Switched(other).lock_values(), (std::vector<int>{0}));
}

TEST(Switching, OnTheSurfaceItsOwnSideDecides) {
  for (const bool with_equality : {true, false}) {
    Model m("m");
    Expr x = m.state("x", 0.0);
    m.equation(der(x) == where(with_equality ? x >= 0.0 : x > 0.0, Expr(1.0), Expr(-1.0)));
    EXPECT_EQ(Switched(m).lock_values(), (std::vector<int>{with_equality ? 1 : 0}));
  }
}

TEST(Switching, RelationsInBranchesNotTakenNeedNoValue) {
  Model m("m");
  Expr x = m.state("x", 4.0);
  const Cond outer = x > 0.0;
  m.equation(der(x) == where(outer, where(sqrt(x) > 1.0, Expr(1.0), Expr(2.0)), Expr(3.0)));
  Switched s(m);
  ASSERT_EQ(s.functions->count(), 2u);
  s.decide(0.0, {4.0});
  EXPECT_EQ(s.lock_values(), (std::vector<int>{1, 1}));
  EXPECT_EQ(s.branches(), (std::vector<int>{1, 1}));
  EXPECT_TRUE(s.functions->is_active(1));
  s.decide(0.0, {-4.0});
  EXPECT_EQ(s.lock_values(), (std::vector<int>{0, 0}));
  EXPECT_FALSE(s.functions->is_active(1));
  EXPECT_EQ(s.g(0.0, {-4.0}), (std::vector<double>{-4.0, 0.0}));
  // A lock in a branch not taken is no difference.
  s.locks->set_lock(1, true);
  EXPECT_EQ(s.branches(), (std::vector<int>{0, 0}));
  // Where it does matter a function without a value is a failure, with its number.
  s.locks->set_lock(0, true);
  std::vector<double> g(2);
  const Evaluation bad = s.functions->evaluate(0.0, std::vector{-4.0}, std::vector{0.0}, g);
  EXPECT_EQ(bad.status(), Evaluation::Status::out_of_domain);
  EXPECT_EQ(bad.row(), 1u);
}

TEST(Switching, LanesInBranchesNotTakenNeedNoValueEither) {
  for (const std::uint32_t n : {3U, 70U}) {  // one by one, and rolled
    Model m("m");
    const std::vector<double> start(n, 4.0);
    Expr u = m.states("u", start);
    const Cond outer = u > 0.0;
    m.equation("u", der(u) == where(outer, where(sqrt(u) > 1.0, Expr(1.0), -u), -2.0 * u));
    Switched s(m);
    ASSERT_EQ(s.functions->count(), 2 * n);
    const std::uint32_t inner = n;
    EXPECT_EQ(s.functions->info(inner + 1).name, "sqrt(u[1]) > 1");
    std::vector<double> x(n, 4.0);
    x[1] = -4.0;
    s.decide(0.0, x);
    EXPECT_TRUE(s.functions->is_active(inner));
    EXPECT_FALSE(s.functions->is_active(inner + 1));
    EXPECT_EQ(s.lock_values()[inner], 1);
    EXPECT_EQ(s.lock_values()[inner + 1], 0);
    const std::vector<double> g = s.g(0.0, x);
    EXPECT_EQ(g[inner], 1.0);
    EXPECT_EQ(g[inner + 1], 0.0) << "not the square root of a negative number";
    std::vector<double> rate(2 * n), value(2 * n);
    EXPECT_TRUE(
        static_cast<bool>(s.functions->rates(0.0, x, std::vector<double>(n, 1.0), value, rate)));
    EXPECT_EQ(rate[inner], 0.25);
    EXPECT_EQ(rate[inner + 1], 0.0);
    // A lock in a lane not taken is no difference.
    const std::vector<int> before = s.branches();
    s.locks->set_lock(inner + 1, true);
    EXPECT_EQ(s.branches(), before);
    s.locks->set_lock(inner, false);
    EXPECT_NE(s.branches(), before);
    // Where it does matter, a lane without a value is a failure, with its number.
    s.locks->set_lock(1, true);
    std::vector<double> out(2 * n);
    const Evaluation bad = s.functions->evaluate(0.0, x, std::vector<double>(n, 0.0), out);
    EXPECT_EQ(bad.status(), Evaluation::Status::out_of_domain);
    EXPECT_EQ(bad.row(), inner + 1);
  }
}

TEST(Switching, LanesTakenElsewhereMatterWhereverTheyAreUsed) {
  Model m("m");
  const std::vector<double> start = {1.0, 2.0, 3.0};
  Expr u = m.states("u", start);
  const Cond outer = u > 0.0;
  const Expr stepped = where(u > 1.5, Expr(1.0), -u);
  // The same lanes in another order: lane 0 is read where lane 2 is positive.
  m.equation("u", der(u) == where(outer, concat({stepped[2], stepped[1], stepped[0]}), -u));
  Switched s(m);
  EXPECT_TRUE(check_system(*s.system).empty());
  const std::vector<double> x = {1.0, 2.0, -3.0};
  s.decide(0.0, x);
  for (std::uint32_t i = 0; i < s.functions->count(); ++i) {
    EXPECT_TRUE(s.functions->is_active(i)) << s.functions->info(i).name;
  }
}

TEST(Switching, DecidingLooksThroughRelationsInsideRelations) {
  Model m("m");
  Expr x = m.state("x", -3.0);
  // abs carries a switch of its own, inside the function of another.
  m.equation(der(x) == where(abs(abs(x) - 2.0) > 0.5, Expr(1.0), Expr(2.0)));
  Switched s(m);
  ASSERT_EQ(s.functions->count(), 3u);
  for (const double x_0 : {-3.0, -1.9, 0.1, 2.2, 9.0}) {
    s.decide(0.0, {x_0});
    EXPECT_EQ(s.first_rate(0.0, {x_0}), std::abs(std::abs(x_0) - 2.0) > 0.5 ? 1.0 : 2.0) << x_0;
  }
  // What only switching functions contain chooses no equation.
  EXPECT_EQ(s.locks->n_branches(), 1u);
}

TEST(Switching, BranchesOfEquationsComeFirst) {
  Model m("m");
  Expr x = m.state("x", 1.0);
  Expr shown = where(x > 2.0, Expr(1.0), Expr(0.0));
  m.output("shown", shown);
  m.equation(der(x) == where(x > 5.0 || x < -5.0, Expr(0.0), Expr(1.0)));
  Switched s(m);
  EXPECT_EQ(s.locks->n_equation_branches(), 1u);
  EXPECT_EQ(s.locks->n_branches(), 2u);
  s.decide(0.0, {3.0});
  EXPECT_EQ(s.branches(), (std::vector<int>{s.branches()[0], 1}));
  // One of two relations of an "or" crosses: the other one holds the condition.
  s.decide(0.0, {6.0});
  const std::vector<int> far = s.branches();
  s.decide(0.0, {3.0});
  EXPECT_NE(s.branches()[0], far[0]);
}

TEST(Switching, RatesAreThoseAlongTheSolution) {
  Model m("m");
  Expr x = m.state("x", 1.0), y = m.state("y", 2.0);
  m.equation(der(x) == y);
  m.equation(der(y) == where(x * y - sin(m.time()) > 0.0, Expr(1.0), Expr(2.0)));
  Switched s(m);
  std::vector<double> g(1), gdot(1);
  const double t = 0.3;
  ASSERT_TRUE(static_cast<bool>(
      s.functions->rates(t, std::vector{2.0, 3.0}, std::vector{5.0, 7.0}, g, gdot)));
  EXPECT_EQ(g[0], 6.0 - std::sin(t));
  // Three roundings of numbers below 32.
  EXPECT_NEAR(gdot[0], 5.0 * 3.0 + 2.0 * 7.0 - std::cos(t), 3 * 32 * machine_eps);
}

TEST(Switching, GradientsHaveARowPerSwitch) {
  Model m("m");
  Expr x = m.state("x", 1.0), y = m.state("y", 2.0, {.min = -1.0});
  m.equation(der(x) == where(x * y > 1.0, Expr(1.0), Expr(2.0)));
  m.equation(der(y) == where(y * y > 4.0, Expr(1.0), Expr(2.0)));
  Switched s(m);
  const CscPattern& p = s.functions->gradient_pattern();
  EXPECT_EQ(p.n_rows, 3);
  EXPECT_EQ(p.n_cols, 2);
  std::vector<double> values(static_cast<std::size_t>(p.nnz()));
  ASSERT_TRUE(static_cast<bool>(
      s.functions->gradients(0.0, std::vector{3.0, 5.0}, std::vector{0.0, 0.0}, values)));
  const auto at = [&](index_t row, std::size_t column) {
    for (auto k = p.column_start[column]; k < p.column_start[column + 1]; ++k) {
      if (p.row[static_cast<std::size_t>(k)] == row) return values[static_cast<std::size_t>(k)];
    }
    return 0.0;
  };
  EXPECT_EQ(at(0, 0), 5.0);
  EXPECT_EQ(at(0, 1), 3.0);
  EXPECT_EQ(at(1, 0), 0.0);
  EXPECT_EQ(at(1, 1), 10.0);
  EXPECT_EQ(at(2, 1), 1.0);
}

TEST(Switching, ARelationInsideTwoArrayConditionsMattersLaneByLane) {
  Model m("m");
  Expr u = m.states("u", std::vector{1.0, 1.0, 1.0, -1.0});
  Expr v = m.states("v", std::vector{1.0, -1.0, 1.0, 1.0});
  Expr w = m.states("w", std::vector{1.0, 1.0, 1.0, 1.0});
  m.equation("u", der(u) == -u);
  m.equation("v", der(v) == -v);
  const Expr inner = where(w > 0.5, Expr(1.0), Expr(2.0));
  m.equation("w", der(w) == where(u > 0.0 && v > 0.0, inner, Expr(3.0)));
  Switched s(m);
  const auto active_lanes = [&](const std::vector<double>& x) {
    s.decide(0.0, x);
    std::string lanes;
    for (std::uint32_t i = 0; i < s.functions->count(); ++i) {
      if (s.functions->info(i).name.find('w') == std::string::npos) continue;
      lanes += s.functions->is_active(i) ? '1' : '0';
    }
    return lanes;
  };
  EXPECT_EQ(active_lanes({1, 1, 1, -1, 1, -1, 1, 1, 1, 1, 1, 1}), "1010");
  EXPECT_EQ(active_lanes({1, 1, 1, 1, -1, 1, -1, 1, 1, 1, 1, 1}), "0101");
  EXPECT_EQ(active_lanes({-1, 1, 1, 1, 1, 1, 1, -1, 1, 1, 1, 1}), "0110");
}

// Below zero the root matters on no side, and has neither a value nor a gradient there.
TEST(Switching, GradientsOfWhatDoesNotMatterNeedNotExist) {
  Model m("m");
  Expr x = m.state("x", 9.0);
  const Expr inner = where(sqrt(x) > 2.0, Expr(1.0), Expr(2.0));
  m.equation(der(x) == where(x > 0.0, inner, Expr(3.0)));
  Switched s(m);
  const CscPattern& p = s.functions->gradient_pattern();
  ASSERT_EQ(p.nnz(), 2);
  std::vector<double> values(2);
  const auto gradient_of = [&](index_t row) { return values[p.row[0] == row ? 0 : 1]; };
  const index_t of_x = s.functions->info(0).name.find("sqrt") == std::string::npos ? 0 : 1;
  s.decide(0.0, {9.0});
  ASSERT_TRUE(
      static_cast<bool>(s.functions->gradients(0.0, std::vector{9.0}, std::vector{0.0}, values)));
  EXPECT_EQ(gradient_of(of_x), 1.0);
  EXPECT_DOUBLE_EQ(gradient_of(1 - of_x), 0.5 / 3.0);
  s.decide(0.0, {-1.0});
  ASSERT_TRUE(
      static_cast<bool>(s.functions->gradients(0.0, std::vector{-1.0}, std::vector{0.0}, values)));
  EXPECT_EQ(gradient_of(of_x), 1.0);
}

TEST(Switching, TangentsAreAFunctionAndItsDerivatives) {
  for (const std::uint32_t n : {3U, 70U}) {
    Model m("m");
    const std::vector<double> start(n, 0.5);
    Expr u = m.states("u", start), p = m.parameter("p", 3.0);
    m.equation("u", der(u) == where(u * u + p * sin(m.time()) > sum(u), Expr(1.0), -u));
    Switched s(m);
    auto* tangents = s.workspace->ability<SwitchingTangents>();
    ASSERT_NE(tangents, nullptr);
    ASSERT_TRUE(tangents->has_tangent(2));
    std::vector<double> x(n), row(n, -1.0), none(n, 0.0), g(n), slopes(n);
    for (std::uint32_t i = 0; i < n; ++i) x[i] = 0.1 + 0.01 * i;
    s.workspace->ability<HeldValues>()->parameters()[0] = 4.0;
    double value = 0.0, slope = 0.0;
    const double t = 0.3;
    ASSERT_TRUE(static_cast<bool>(tangents->tangent(2, t, x, value, slope, row)));
    ASSERT_TRUE(static_cast<bool>(s.functions->rates(t, x, none, g, slopes)));
    // A few roundings of the sum of all.
    EXPECT_NEAR(value, g[2], 4 * n * machine_eps);
    EXPECT_NEAR(slope, 4.0 * std::cos(t), 16 * machine_eps) << "the derivative at fixed unknowns";
    EXPECT_NEAR(slope, slopes[2], 16 * machine_eps);
    EXPECT_NE(slope, 0.0);
    for (std::uint32_t i = 0; i < n; ++i)
      EXPECT_NEAR(row[i], (i == 2 ? 2 * x[i] : 0.0) - 1.0, 4 * machine_eps) << i;
  }
}

TEST(Switching, AFunctionOfAnInputHasNoTangent) {
  Model m("m");
  Expr x = m.state("x", 1.0), y = m.state("y", 1.0);
  Expr u = m.input("u", callback([](double t, int) { return t; }, 0));
  m.equation(der(x) == where(x > u, Expr(1.0), Expr(2.0)));
  m.equation(der(y) == where(sqrt(y) > 0.5, Expr(1.0), Expr(2.0)));
  Switched s(m);
  auto* tangents = s.workspace->ability<SwitchingTangents>();
  EXPECT_FALSE(tangents->has_tangent(0));
  ASSERT_TRUE(tangents->has_tangent(1));
  double g = 0.0, slope = 0.0;
  std::vector<double> row(2);
  const Evaluation outside = tangents->tangent(1, 0.0, std::vector{1.0, -1.0}, g, slope, row);
  EXPECT_EQ(outside.status(), Evaluation::Status::out_of_domain);
  EXPECT_EQ(outside.row(), 1u);
}

TEST(Switching, RangesFollowAfterTheRelations) {
  Model m("m");
  Expr x = m.state("x", 1.0, {.min = 0.0, .max = 4.0});
  m.equation(der(x) == where(x > 2.0, Expr(1.0), Expr(2.0)));
  Switched s(m);
  ASSERT_EQ(s.functions->count(), 3u);
  ASSERT_EQ(s.locks->locks().size(), 1u);
  EXPECT_EQ(s.functions->info(1).kind, SwitchKind::lower_limit);
  EXPECT_EQ(s.functions->info(1).name, "min of x");
  EXPECT_EQ(s.functions->info(2).kind, SwitchKind::upper_limit);
  EXPECT_EQ(s.g(0.0, {3.0}), (std::vector<double>{1.0, 3.0, 1.0}));
  EXPECT_TRUE(s.functions->info(2).truth(0.0)) << "the bounds belong to the range";
}

TEST(Switching, TimesOfTimeAloneAreExact) {
  const double t_first = 0.1 + 0.2;  // no short decimal
  Model m("m");
  Expr x = m.state("x", 1.0), at = m.parameter("at", 7.5), rate = m.parameter("rate", 3.0);
  Expr sum = where(m.time() >= t_first, Expr(1.0), Expr(2.0));
  sum += where(at > m.time(), Expr(1.0), Expr(2.0));
  sum += where(rate * m.time() - 1.0 > at, Expr(1.0), Expr(2.0));
  sum += where(sin(m.time()) > 0.5, Expr(1.0), Expr(2.0));
  m.equation(der(x) == sum);
  Switched s(m);
  SwitchingFunctions& f = *s.functions;
  ASSERT_EQ(f.count(), 4u);
  EXPECT_TRUE(f.is_timed(0) && f.is_timed(1) && f.is_timed(2));
  EXPECT_FALSE(f.is_timed(3)) << "found along the step";
  EXPECT_EQ(f.next_time(0.0, 10.0), t_first);
  EXPECT_TRUE(f.is_due(0, t_first));
  EXPECT_FALSE(f.is_due(1, t_first));
  const double third = f.next_time(t_first, 10.0);
  EXPECT_TRUE(f.is_due(2, third));
  // The first number at which the relation, as it is computed, is no longer what it was.
  EXPECT_GE(3.0 * third - 1.0 - 7.5, 0.0);
  EXPECT_LT(3.0 * std::nextafter(third, 0.0) - 1.0 - 7.5, 0.0);
  EXPECT_EQ(f.next_time(third, 10.0), 7.5);
  EXPECT_EQ(f.next_time(7.5, 10.0), 10.0);
  EXPECT_EQ(f.next_time(10.0, 0.0), 7.5) << "backward";
  EXPECT_EQ(f.next_time(0.2, 0.25), 0.25) << "not beyond the end";
  // Held values are read when asked.
  s.workspace->ability<HeldValues>()->parameters()[0] = 0.2;
  EXPECT_EQ(f.next_time(0.0, 10.0), 0.2);
  s.workspace->ability<HeldValues>()->parameters()[1] = 0.0;
  EXPECT_EQ(f.next_time(t_first, 10.0), 10.0) << "never";
}

TEST(Switching, ASystemThatSwitchesKeepsTheContract) {
  Model m("m");
  Expr x = m.state("x", 0.3, {.min = -5.0}), y = m.algebraic("y", {.guess = 1.0});
  m.equation(der(x) == where(x > 10.0, -x, y) + abs(x) + min(x, 3.0 * y));
  m.equation(y == 1.0 + x * x);
  m.output("sign", sign(x));
  EXPECT_TRUE(check_system(*Switched(m).system).empty());
}

TEST(Switching, EvaluationsDoNotAllocate) {
  if (!test::counts_allocations()) GTEST_SKIP() << "not under this sanitizer";
  Model m("m");
  Expr x = m.state("x", 1.0, {.min = -5.0}), d = m.parameter("d", 1.0);
  m.equation(der(x) == where(x > d && m.time() > 3.0 * d, where(d > 0.5, -x, x), Expr(2.0)));
  Switched s(m);
  const std::vector<double> x_0 = {2.0}, v_0 = {1.0};
  std::vector<double> g(s.functions->count()), gdot(g), by_x(16), f(1);
  std::vector<Interval> hull(g.size()), series(4);
  std::vector<std::uint8_t> truth(s.locks->n_branches());
  const std::vector<double> c = {1.0, 2.0, -1.0};
  const StepPolynomial step{0.0, 1.0, 2, 1, c};
  auto* enclosure = s.workspace->ability<StepEnclosure>();
  auto* tangents = s.workspace->ability<SwitchingTangents>();
  const auto all = [&] {
    const std::span<double> dg(by_x.data(),
                               static_cast<std::size_t>(s.functions->gradient_pattern().nnz()));
    double one = 0.0, two = 0.0;
    static_cast<void>(s.functions->evaluate(0.0, x_0, v_0, g));
    static_cast<void>(tangents->tangent(0, 0.0, x_0, one, two, f));
    static_cast<void>(s.functions->evaluate_one(0, 0.0, x_0, v_0, one));
    static_cast<void>(s.functions->rates(0.0, x_0, v_0, g, gdot));
    static_cast<void>(s.functions->gradients(0.0, x_0, v_0, dg));
    static_cast<void>(s.functions->next_time(0.0, 9.0));
    static_cast<void>(s.locks->decide(0.0, x_0, v_0));
    s.locks->set_lock(0, !s.locks->locks()[0]);
    s.locks->branches(truth);
    static_cast<void>(s.workspace->residual(0.0, x_0, v_0, f));
    enclosure->hulls(step, {0.0, 0.5}, hull);
    static_cast<void>(enclosure->series(0, step, {0.0, 0.5}, 3, series));
  };
  all();
  const long before = test::allocations();
  all();
  EXPECT_EQ(test::allocations(), before);
}

}  // namespace
}  // namespace saltus
