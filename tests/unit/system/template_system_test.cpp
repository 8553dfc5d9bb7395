// Systems written as templates: comparisons recorded and replayed, derivatives by the same code.
#include <cmath>
#include <limits>
#include <stdexcept>

#include <gtest/gtest.h>

#include <saltus/core/error.hpp>
#include <saltus/system.hpp>

#include "problems/carver_template.hpp"
#include "support/allocation_counter.hpp"

namespace saltus {
namespace {

using problems::CarverData;
using TemplateValues = std::vector<double>;
using TemplateFlags = std::vector<std::uint8_t>;

std::vector<std::string> switch_names(const SwitchingFunctions& functions) {
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < functions.count(); ++i) names.push_back(functions.info(i).name);
  return names;
}

std::vector<std::string> active_names(const SwitchingFunctions& functions) {
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < functions.count(); ++i) {
    if (functions.is_active(i)) names.push_back(functions.info(i).name);
  }
  return names;
}

/// The text after "file:line: ".
std::string relation_of(const std::string& name) { return name.substr(name.find(": ") + 2); }

std::uint32_t find_switch(const SwitchingFunctions& functions, const std::string& relation) {
  for (std::uint32_t i = 0; i < functions.count(); ++i) {
    if (relation_of(functions.info(i).name) == relation) return i;
  }
  ADD_FAILURE() << "no switch " << relation;
  return 0;
}

TemplateFlags branches_of(const Locks& locks) {
  TemplateFlags truth(locks.n_branches());
  locks.branches(truth);
  return truth;
}

// ---- Carver's circuit against its modes written by hand ------------------------------------------

/// The last two equations of a mode, and the six that all modes share.
TemplateValues carver_by_hand(int mode, double t, const TemplateValues& y,
                              const TemplateValues& ydot) {
  const CarverData p;
  const double x1 = y[0], x2 = y[1], v1 = y[3], v2 = y[4], v3 = y[5];
  TemplateValues f{x1 + x2 - y[2],
                   p.r3 * (x1 + x2) + p.l3 * (ydot[0] + ydot[1]) - v3,
                   100.0 * std::cos(100.0 * std::numbers::pi * t) - v1,
                   -v1 - v2,
                   v1 - v3 - y[6],
                   v2 - v3 - y[7]};
  if (mode == 1) {
    f.insert(f.end(), {(v1 - p.a1 * x1) / p.a2 - ydot[0], 0.0 - ydot[1]});
  } else if (mode == 2) {
    f.insert(f.end(), {ydot[0] - 0.0, (v2 - p.a3 * x2) / p.a4 - ydot[1]});
  } else {
    f.insert(f.end(), {p.a5 * v1 + p.a6 * v2 + p.a7 * x1 + p.a8 * x2 - ydot[0],
                       p.a9 * v1 + p.a10 * v2 + p.a11 * x1 + p.a12 * x2 - ydot[1]});
  }
  return f;
}

int carver_mode_by_hand(const TemplateValues& y) {
  const double x1 = y[0], x2 = y[1], v1 = y[3], v2 = y[4], v3 = y[5];
  if ((x1 > 0 || v1 > v3) && (x2 <= 0 && v2 < v3)) return 1;
  if ((x2 > 0 || v2 > v3) && (x1 < 0 && v1 < v3)) return 2;
  return 3;
}

const TemplateValues carver_slopes{417.0, -3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};

/// A point of each mode.
TemplateValues carver_point(int mode) {
  TemplateValues y{1.0, -0.5, 0.4, 90.0, -90.0, 80.0, 12.0, -170.0};
  if (mode == 2) y = {-0.5, 1.0, 0.4, -90.0, 90.0, 80.0, 12.0, -170.0};
  if (mode == 3) y = {0.5, 1.0, 0.4, 20.0, -20.0, 1.0, 12.0, -170.0};
  return y;
}

TEST(CarverTemplate, EveryModeIsThatWrittenByHandBitForBit) {
  const auto system = problems::carver_template();
  const auto workspace = system->workspace();
  auto& locks = *workspace->ability<Locks>();
  TemplateValues f(8);
  for (const int mode : {1, 2, 3}) {
    const TemplateValues y = carver_point(mode);
    ASSERT_EQ(carver_mode_by_hand(y), mode);
    ASSERT_TRUE(locks.decide(0.003, y, carver_slopes));
    ASSERT_TRUE(workspace->residual(0.003, y, carver_slopes, f));
    EXPECT_EQ(f, carver_by_hand(mode, 0.003, y, carver_slopes)) << "mode " << mode;
    // Locked, the same equations hold at every point, whatever the conditions say there.
    for (const int elsewhere : {1, 2, 3}) {
      const TemplateValues other = carver_point(elsewhere);
      ASSERT_TRUE(workspace->residual(0.004, other, carver_slopes, f));
      EXPECT_EQ(f, carver_by_hand(mode, 0.004, other, carver_slopes));
      // The twin: equations of another mode are told apart.
      EXPECT_NE(f, carver_by_hand(mode % 3 + 1, 0.004, other, carver_slopes));
    }
  }
}

TEST(CarverTemplate, ComparisonsAreNamedByPlaceAndText) {
  const auto workspace = problems::carver_template()->workspace();
  const auto& functions = *workspace->ability<SwitchingFunctions>();
  ASSERT_EQ(functions.count(), 8U);
  std::vector<std::string> relations;
  for (const std::string& name : switch_names(functions)) {
    EXPECT_TRUE(name.starts_with("carver_template.hpp:")) << name;
    relations.push_back(relation_of(name));
  }
  std::sort(relations.begin(), relations.end());
  EXPECT_EQ(relations, (std::vector<std::string>{"v1 < v3", "v1 > v3", "v2 < v3", "v2 > v3",
                                                 "x1 < 0", "x1 > 0", "x2 <= 0", "x2 > 0"}));
}

TEST(CarverTemplate, OnlyComparisonsThatAreMadeMatter) {
  const auto workspace = problems::carver_template()->workspace();
  auto& functions = *workspace->ability<SwitchingFunctions>();
  auto& locks = *workspace->ability<Locks>();
  ASSERT_TRUE(locks.decide(0.0, carver_point(1), carver_slopes));
  std::vector<std::string> met;
  for (const std::string& name : active_names(functions)) met.push_back(relation_of(name));
  std::sort(met.begin(), met.end());
  EXPECT_EQ(met, (std::vector<std::string>{"v2 < v3", "x1 > 0", "x2 <= 0"}));
  TemplateValues g(8, 99.0);
  ASSERT_TRUE(functions.evaluate(0.0, carver_point(1), carver_slopes, g));
  EXPECT_EQ(g[find_switch(functions, "x1 > 0")], 1.0);
  EXPECT_EQ(g[find_switch(functions, "v2 < v3")], -170.0);
  EXPECT_EQ(g[find_switch(functions, "v1 > v3")], 0.0);  // not made
  // x1 > 0 turned off: now the other side of || is asked.
  locks.set_lock(find_switch(functions, "x1 > 0"), false);
  EXPECT_TRUE(functions.is_active(find_switch(functions, "v1 > v3")));
}

TEST(CarverTemplate, AnswersThatLeadToTheSameEquationsAreTheSameBranch) {
  const auto workspace = problems::carver_template()->workspace();
  auto& functions = *workspace->ability<SwitchingFunctions>();
  auto& locks = *workspace->ability<Locks>();
  ASSERT_TRUE(locks.decide(0.0, carver_point(1), carver_slopes));
  const TemplateFlags mode_1 = branches_of(locks);
  locks.set_lock(find_switch(functions, "x1 > 0"), false);
  locks.set_lock(find_switch(functions, "v1 > v3"), true);
  EXPECT_EQ(branches_of(locks), mode_1);  // still mode 1
  locks.set_lock(find_switch(functions, "v1 > v3"), false);
  const TemplateFlags mode_3 = branches_of(locks);
  EXPECT_NE(mode_3, mode_1);
  ASSERT_TRUE(locks.decide(0.0, carver_point(3), carver_slopes));
  EXPECT_EQ(branches_of(locks), mode_3);
  ASSERT_TRUE(locks.decide(0.0, carver_point(2), carver_slopes));
  EXPECT_NE(branches_of(locks), mode_1);
  EXPECT_NE(branches_of(locks), mode_3);
}

TEST(CarverTemplate, KeepsTheContract) {
  EXPECT_EQ(check_system(*problems::carver_template()), std::vector<std::string>{});
}

// ---- scalars ---------------------------------------------------------------------------------------

/// Every function, both as f and in comparisons.
struct AllFunctions {
  template <class T>
  void operator()(const T& t, std::span<const T> x, std::span<T> xdot) const {
    using std::acos, std::asin, std::atan, std::atan2, std::cos, std::cosh, std::exp, std::hypot;
    using std::log, std::log10, std::log2, std::pow, std::sin, std::sinh, std::sqrt, std::tan;
    using std::tanh;
    const T a = x[0], b = x[1];
    xdot[0] = sqrt(b) + exp(a) * log(b) - log10(b) + log2(b) + sin(a) * cos(b) / tan(b) + t;
    T sum = 0;
    sum += asin(a);
    sum -= acos(a);
    sum *= 1 + atan(a);
    sum /= cosh(a);
    xdot[1] = -sum + sinh(a) * tanh(b) + atan2(a, b) + hypot(a, b) + pow(b, 2) + pow(b, a) +
              pow(b, 1.5) + 2 * +a;
  }
};

TemplateDescription two_unknowns(double a = 0.3, double b = 0.7) {
  return {.unknowns = {{"a", a}, {"b", b}}};
}

TEST(TemplateSystem, EveryFunctionIsThatOfDouble) {
  const auto workspace = make_template_system(two_unknowns(), AllFunctions{})->workspace();
  const TemplateValues x{0.3, 0.7};
  TemplateValues xdot(2);
  ASSERT_TRUE(workspace->ability<ExplicitForm>()->derivative(0.25, x, xdot));
  TemplateValues by_double(2);
  AllFunctions{}(0.25, std::span<const double>(x), std::span<double>(by_double));
  // log10, log2 and hypot are composed of others: a few roundings of terms below 2.
  EXPECT_NEAR(xdot[0], by_double[0], 8.0 * std::numeric_limits<double>::epsilon());
  EXPECT_NEAR(xdot[1], by_double[1], 8.0 * std::numeric_limits<double>::epsilon());
  // No comparison, no switching.
  EXPECT_EQ(workspace->ability<SwitchingFunctions>(), nullptr);
  EXPECT_EQ(workspace->ability<Locks>(), nullptr);
}

TEST(TemplateSystem, EveryFunctionHasItsDerivative) {
  EXPECT_EQ(check_system(*make_template_system(two_unknowns(), AllFunctions{})),
            std::vector<std::string>{});
}

/// min, max, abs, sign and comparisons with numbers of any kind.
struct Kinks {
  template <class T>
  void operator()(const T& t, std::span<const T> x, std::span<T> xdot) const {
    using std::abs, std::max, std::min;
    xdot[0] = abs(x[0] - 1) + max(x[0], 2 * x[1]) - min(x[1], 0.5);
    const T direction = 0 < t ? T(1) : T(-1);
    xdot[1] = direction * sign(x[1]) + (2.0f >= x[0] ? x[0] : x[1]);
  }
  static TemplateValues by_hand(double t, double a, double b) {
    return {std::abs(a - 1) + std::max(a, 2 * b) - std::min(b, 0.5),
            (0 < t ? 1 : -1) * (b > 0 ? 1.0 : -1.0) + (2.0 >= a ? a : b)};
  }
};

TEST(TemplateSystem, KinksFollowTheirSidesAndAreFrozen) {
  const auto workspace = make_template_system(two_unknowns(), Kinks{})->workspace();
  auto& functions = *workspace->ability<SwitchingFunctions>();
  auto& locks = *workspace->ability<Locks>();
  ASSERT_EQ(functions.count(), 6U);
  std::vector<std::string> relations;
  for (const std::string& name : switch_names(functions)) relations.push_back(relation_of(name));
  std::sort(relations.begin(), relations.end());
  EXPECT_EQ(relations,
            (std::vector<std::string>{"0 < time", "2 >= a", "a - 1 >= 0 in abs", "a > 2 * b in max",
                                      "b < 0.5 in min", "b > 0 in sign"}));
  TemplateValues xdot(2);
  auto& form = *workspace->ability<ExplicitForm>();
  for (const double t : {-1.0, 1.0}) {
    for (const double a : {-3.0, 0.5, 1.5, 2.5}) {
      for (const double b : {-2.0, 0.2, 0.9}) {
        ASSERT_TRUE(locks.decide(t, TemplateValues{a, b}, TemplateValues{0.0, 0.0}));
        ASSERT_TRUE(form.derivative(t, TemplateValues{a, b}, xdot));
        EXPECT_EQ(xdot, Kinks::by_hand(t, a, b)) << t << " " << a << " " << b;
      }
    }
  }
  // Frozen at a = 2.5: beyond its kink, abs goes on as a straight line.
  ASSERT_TRUE(locks.decide(1.0, TemplateValues{2.5, 0.9}, TemplateValues{0.0, 0.0}));
  ASSERT_TRUE(form.derivative(1.0, TemplateValues{0.5, 0.9}, xdot));
  EXPECT_EQ(xdot[0], (0.5 - 1) + 0.5 - 0.5);
}

TEST(TemplateSystem, TruthOnTheSurfaceIsThatOfTheOperator) {
  const auto workspace = make_template_system(two_unknowns(), Kinks{})->workspace();
  const auto& functions = *workspace->ability<SwitchingFunctions>();
  auto& locks = *workspace->ability<Locks>();
  // Everything at its surface: a - 1 = 0 is not, since 2 >= a is.
  ASSERT_TRUE(locks.decide(0.0, TemplateValues{2.0, 1.0}, TemplateValues{0.0, 0.0}));
  const auto truth = [&](const char* relation) {
    const std::uint32_t which = find_switch(functions, relation);
    const SwitchInfo& info = functions.info(which);
    EXPECT_EQ(info.true_if_positive, std::string(relation).find('<') == std::string::npos);
    EXPECT_EQ(info.true_at_zero, std::string(relation).find('=') != std::string::npos);
    return locks.locks()[which] != 0;
  };
  EXPECT_TRUE(truth("2 >= a"));
  EXPECT_FALSE(truth("a > 2 * b in max"));
  EXPECT_FALSE(truth("0 < time"));
  EXPECT_TRUE(truth("a - 1 >= 0 in abs"));
  ASSERT_TRUE(locks.decide(0.0, TemplateValues{1.0, 0.0}, TemplateValues{0.0, 0.0}));
  EXPECT_TRUE(truth("a - 1 >= 0 in abs"));
  EXPECT_FALSE(truth("b > 0 in sign"));
}

// ---- derivatives and enclosures ------------------------------------------------------------------

/// g is curved and depends on everything.
struct Curved {
  template <class T>
  void operator()(const T& t, std::span<const T> x, std::span<const T> xdot, std::span<T> f) const {
    using std::exp, std::sin;
    f[0] = xdot[0] - x[1];
    f[1] = xdot[1] + (sin(3 * t) * x[0] * x[0] > exp(x[1]) - xdot[0] ? x[0] : 2 * x[0]);
  }
};

struct CurvedCase {
  std::unique_ptr<Workspace> workspace =
      make_template_system(two_unknowns(), Curved{})->workspace();
  SwitchingFunctions& functions = *workspace->ability<SwitchingFunctions>();
  static double g(double t, double a, double b, double da) {
    return std::sin(3 * t) * a * a - (std::exp(b) - da);
  }
};

TEST(TemplateSystem, RatesAndGradientsAreExact) {
  CurvedCase c;
  const double t = 0.4, a = 2.0, b = 1.0;
  const TemplateValues x{a, b}, xdot{-5.0, 0.25};
  TemplateValues g(1), gdot(1), gradient(2);
  ASSERT_TRUE(c.functions.rates(t, x, xdot, g, gdot));
  EXPECT_EQ(g[0], CurvedCase::g(t, a, b, -5.0));
  const double rate =
      3 * std::cos(3 * t) * a * a + std::sin(3 * t) * 2 * a * xdot[0] - std::exp(b) * xdot[1];
  EXPECT_NEAR(gdot[0], rate, 8 * std::numeric_limits<double>::epsilon() * 20.0);
  ASSERT_TRUE(c.functions.gradients(t, x, xdot, gradient));
  EXPECT_NEAR(gradient[0], std::sin(3 * t) * 2 * a, 4e-15);
  EXPECT_NEAR(gradient[1], -std::exp(b), 4e-15);
}

/// A step of degree 3 in both unknowns.
struct TestStep {
  TemplateValues coefficients{0.3, 0.7, 0.5, -0.4, -0.2, 0.3, 0.1, 0.05};
  StepPolynomial step{
      .t_left = 0.5, .t_right = 0.75, .degree = 3, .n = 2, .coefficients = coefficients};
  double g(double s) const {
    const double t = 0.5 + 0.25 * s;
    return CurvedCase::g(t, step.value(0, t), step.value(1, t), step.slope(0, t));
  }
};

TEST(TemplateSystem, HullsContainSamples) {
  CurvedCase c;
  TestStep test;
  auto& enclosure = *c.workspace->ability<StepEnclosure>();
  for (const Interval part : {Interval(0.0, 1.0), Interval(0.25, 0.5), Interval(0.75, 0.7501)}) {
    std::vector<Interval> hull(1);
    enclosure.hulls(test.step, part, hull);
    double lowest = 1e9, highest = -1e9;
    for (int i = 0; i <= 100; ++i) {
      const double value = test.g(part.lo() + i * 0.01 * (part.hi() - part.lo()));
      // Samples are rounded, by less than 20 roundings of terms below 3.
      EXPECT_TRUE(Interval(hull[0].lo() - 1e-14, hull[0].hi() + 1e-14).contains(value));
      lowest = std::min(lowest, value);
      highest = std::max(highest, value);
    }
    // Useful: overestimates by no more than a few widths of the part.
    EXPECT_LT(hull[0].width(), highest - lowest + 3.0 * part.width());
  }
}

TEST(TemplateSystem, SeriesAreThoseOfTheFunction) {
  CurvedCase c;
  TestStep test;
  auto& enclosure = *c.workspace->ability<StepEnclosure>();
  constexpr int order = 6;
  for (const double at : {0.0, 0.3, 0.9}) {
    std::vector<Interval> point(order + 1), part(order + 1);
    ASSERT_TRUE(enclosure.series(0, test.step, Interval(at), order, point));
    ASSERT_TRUE(enclosure.series(0, test.step, Interval(at - 0.1, at + 0.1), order, part));
    for (int k = 0; k <= order; ++k) {
      EXPECT_LT(point[static_cast<std::size_t>(k)].width(), 1e-12);
      EXPECT_TRUE(
          part[static_cast<std::size_t>(k)].contains(point[static_cast<std::size_t>(k)].mid()));
    }
    // The polynomial of the coefficients is g nearby, up to the next term: tau^7 times its seventh
    // coefficient, which is below 1 here.
    const double tau = 0.05;
    double sum = 0.0;
    for (int k = order; k >= 0; --k) sum = sum * tau + point[static_cast<std::size_t>(k)].mid();
    EXPECT_NEAR(sum, test.g(at + tau), std::pow(tau, order + 1) + 1e-14);
    // The twin: without its last but one coefficient it is not.
    EXPECT_GT(std::fabs(sum - point[2].mid() * tau * tau - test.g(at + tau)), 1e-7);
  }
}

TEST(TemplateSystem, SeriesAreNotMixedUpBetweenStepsAndLocks) {
  CurvedCase c;
  TestStep test;
  auto& enclosure = *c.workspace->ability<StepEnclosure>();
  std::vector<Interval> first(3), again(3), other(3);
  ASSERT_TRUE(enclosure.series(0, test.step, Interval(0.5), 2, first));
  const double before = test.coefficients[0];
  test.coefficients[0] = before + 0.5;  // another step in the same place
  ASSERT_TRUE(enclosure.series(0, test.step, Interval(0.5), 2, other));
  EXPECT_NE(first, other);
  test.coefficients[0] = before;
  ASSERT_TRUE(enclosure.series(0, test.step, Interval(0.5), 2, again));
  EXPECT_EQ(first, again);
}

struct RootInside {
  template <class T>
  void operator()(const T&, std::span<const T> x, std::span<T> xdot) const {
    using std::sqrt;
    xdot[0] = sqrt(x[0]) > x[1] ? T(1) : T(-1);
    xdot[1] = 0;
  }
};

TEST(TemplateSystem, WithoutAnEnclosureThereIsNone) {
  const auto workspace = make_template_system(two_unknowns(), RootInside{})->workspace();
  auto& enclosure = *workspace->ability<StepEnclosure>();
  const TemplateValues falling{0.3, 0.1, -0.5, 0.2};  // a becomes negative
  const StepPolynomial step{
      .t_left = 0.0, .t_right = 1.0, .degree = 1, .n = 2, .coefficients = falling};
  std::vector<Interval> hull(1), series(3);
  enclosure.hulls(step, Interval(0.0, 1.0), hull);
  EXPECT_TRUE(hull[0].is_entire());
  EXPECT_FALSE(enclosure.series(0, step, Interval(0.0, 1.0), 2, series));
  enclosure.hulls(step, Interval(0.0, 0.5), hull);
  EXPECT_TRUE(hull[0].is_bounded());
  EXPECT_TRUE(enclosure.series(0, step, Interval(0.0, 0.5), 2, series));
  // At a point outside the domain it is said which function has no value.
  TemplateValues g(1);
  const Evaluation missing = workspace->ability<SwitchingFunctions>()->evaluate(
      0.0, TemplateValues{-1.0, 0.0}, TemplateValues{0.0, 0.0}, g);
  EXPECT_EQ(missing.status(), Evaluation::Status::out_of_domain);
  EXPECT_EQ(missing.row(), 0U);
}

TEST(TemplateSystem, EvaluationsAllocateNothingAfterTheFirst) {
  if (!test::counts_allocations()) GTEST_SKIP();
  const auto system = problems::carver_template();
  const auto workspace = system->workspace();
  auto& functions = *workspace->ability<SwitchingFunctions>();
  auto& locks = *workspace->ability<Locks>();
  auto& enclosure = *workspace->ability<StepEnclosure>();
  const TemplateValues halves(16, 0.5);
  const StepPolynomial step{
      .t_left = 0.0, .t_right = 0.001, .degree = 1, .n = 8, .coefficients = halves};
  TemplateValues f(8), g(8), gdot(8), gradient(64), dx(64), dxdot(64);
  std::vector<Interval> hull(8), series(5);
  TemplateFlags branches(locks.n_branches());
  const auto all = [&](int mode) {
    const TemplateValues y = carver_point(mode);
    static_cast<void>(locks.decide(0.0, y, carver_slopes));
    static_cast<void>(workspace->residual(0.0, y, carver_slopes, f));
    static_cast<void>(workspace->jacobian(0.0, y, carver_slopes, dx, dxdot));
    static_cast<void>(functions.rates(0.0, y, carver_slopes, g, gdot));
    static_cast<void>(functions.gradients(0.0, y, carver_slopes, gradient));
    static_cast<void>(functions.evaluate_one(0, 0.0, y, carver_slopes, g[0]));
    enclosure.hulls(step, Interval(0.0, 1.0), hull);
    enclosure.series(0, step, Interval(0.0, 1.0), 4, series);
    locks.branches(branches);
  };
  for (const int mode : {1, 2, 3, 1, 2, 3}) all(mode);
  const TemplateValues copied = carver_point(1);  // what the points themselves allocate
  const long start = test::allocations();
  static_cast<void>(carver_point(1));
  const long per_point = test::allocations() - start;
  const long before = test::allocations();
  for (const int mode : {1, 2, 3}) all(mode);
  EXPECT_LE(test::allocations() - before, 3 * std::max(per_point, 2L));
}

/// Functions of the standard library compare in places of their own, which all their callers share.
struct QualifiedNames {
  template <class T>
  void operator()(const T&, std::span<const T> x, std::span<T> xdot) const {
    const T larger = std::max(x[0], x[1]);
    const T positive = std::max(x[0], T(0));
    xdot[0] = larger - std::clamp(x[1], T(-1), T(1));
    xdot[1] = positive;
  }
};

TEST(TemplateSystem, FunctionsOfTheStandardLibraryMayCompare) {
  const auto workspace = make_template_system(two_unknowns(), QualifiedNames{})->workspace();
  const auto& functions = *workspace->ability<SwitchingFunctions>();
  EXPECT_EQ(functions.count(), 4U);
  TemplateValues xdot(2);
  for (const double a : {-3.0, 0.5, 2.0}) {
    for (const double b : {-2.0, 0.3, 4.0}) {
      ASSERT_TRUE(
          workspace->ability<Locks>()->decide(0.0, TemplateValues{a, b}, TemplateValues{0.0, 0.0}));
      ASSERT_TRUE(workspace->ability<ExplicitForm>()->derivative(0.0, TemplateValues{a, b}, xdot));
      EXPECT_EQ(xdot,
                (TemplateValues{std::max(a, b) - std::clamp(b, -1.0, 1.0), std::max(a, 0.0)}));
    }
  }
}

/// Compares in another order for one kind of numbers; `shares_place` makes both comparisons in one line.
struct OtherOrder {
  bool shares_place = false;
  template <class T>
  void operator()(const T&, std::span<const T> x, std::span<T> xdot) const {
    const auto larger = [](const T& a, const T& b) { return a > b ? a : b; };
    const auto other = [](const T& a, const T& b) { return a > b ? a : b; };
    const auto second = [&](const T& a, const T& b) {
      return shares_place ? larger(a, b) : other(a, b);
    };
    if constexpr (std::is_same_v<T, Tracked<double>>) {
      xdot[0] = larger(x[0], 1);
      xdot[1] = second(x[1], 2);
    } else {
      xdot[1] = second(x[1], 2);
      xdot[0] = larger(x[0], 1);
    }
  }
};

TEST(TemplateSystem, TheOrderOfComparisonsMayDifferBetweenKindsOfNumbers) {
  const auto system = make_template_system(two_unknowns(), OtherOrder{});
  EXPECT_EQ(check_system(*system), std::vector<std::string>{});
  const auto workspace = system->workspace();
  TemplateValues dx(4), dxdot(4), g(2), gdot(2);
  const TemplateValues x{5.0, 6.0}, rates{1.0, 10.0};
  ASSERT_TRUE(workspace->ability<Locks>()->decide(0.0, x, rates));
  ASSERT_TRUE(workspace->jacobian(0.0, x, rates, dx, dxdot));
  EXPECT_EQ(dx, (TemplateValues{-1.0, 0.0, 0.0, -1.0}));
  ASSERT_TRUE(workspace->ability<SwitchingFunctions>()->rates(0.0, x, rates, g, gdot));
  EXPECT_EQ(g, (TemplateValues{4.0, 4.0}));
  EXPECT_EQ(gdot, (TemplateValues{1.0, 10.0}));
}

TEST(TemplateSystem, ComparisonsThatWouldBeMistakenForOneAnotherAreRefused) {
  try {
    make_template_system(two_unknowns(), OtherOrder{.shares_place = true});
    FAIL() << "accepted";
  } catch (const ModelError& e) {
    EXPECT_NE(std::string(e.what()).find("in an order that differs between kinds of numbers"),
              std::string::npos)
        << e.what();
  }
}

// ---- what cannot be known --------------------------------------------------------------------------

/// Decides on something that is no argument.
struct HiddenState {
  std::shared_ptr<int> calls = std::make_shared<int>(0);
  std::shared_ptr<bool> counts = std::make_shared<bool>(false);
  template <class T>
  void operator()(const T&, std::span<const T> x, std::span<T> xdot) const {
    xdot[0] = x[0] > 1 ? T(1) : T(2);
    if (*counts && ++*calls > 3) xdot[0] = x[1] > 5 ? T(3) : T(4);
    xdot[1] = x[0] < 7 ? T(0) : T(1);
  }
};

TEST(TemplateSystem, AChangedSequenceIsRefusedByName) {
  HiddenState code;
  const auto workspace = make_template_system(two_unknowns(), code)->workspace();
  auto& form = *workspace->ability<ExplicitForm>();
  TemplateValues xdot(2);
  ASSERT_TRUE(form.derivative(0.0, TemplateValues{0.0, 0.0}, xdot));
  *code.counts = true;
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(form.derivative(0.0, TemplateValues{0.0, 0.0}, xdot));
  const Evaluation refused = form.derivative(0.0, TemplateValues{0.0, 0.0}, xdot);
  EXPECT_EQ(refused.status(), Evaluation::Status::failed);
  EXPECT_TRUE(workspace->last_error().starts_with("the comparison at template_system_test.cpp:"))
      << workspace->last_error();
  EXPECT_NE(workspace->last_error().find("depends on something other than its arguments"),
            std::string::npos);
}

/// A third comparison that only both answers together lead to.
struct Together {
  template <class T>
  void operator()(const T&, std::span<const T> x, std::span<T> xdot) const {
    const bool first = x[0] > 10, second = x[1] > 10;
    xdot[0] = 1;
    if (first && second) xdot[0] = x[0] > x[1] ? T(2) : T(3);
    xdot[1] = 0;
  }
};

TEST(TemplateSystem, CombinationsAreExploredUpToTheLimit) {
  const auto known = make_template_system(two_unknowns(), Together{})->workspace();
  EXPECT_EQ(known->ability<SwitchingFunctions>()->count(), 3U);
  TemplateDescription limited = two_unknowns();
  limited.exploration_limit = 1;
  const auto workspace = make_template_system(limited, Together{})->workspace();
  EXPECT_EQ(workspace->ability<SwitchingFunctions>()->count(), 2U);
  auto& locks = *workspace->ability<Locks>();
  auto& form = *workspace->ability<ExplicitForm>();
  TemplateValues xdot(2);
  const TemplateValues beyond{20.0, 20.0};
  locks.set_lock(0, true);
  ASSERT_TRUE(form.derivative(0.0, beyond, xdot));
  locks.set_lock(1, true);
  EXPECT_EQ(form.derivative(0.0, beyond, xdot).status(), Evaluation::Status::failed);
  EXPECT_NE(workspace->last_error().find("is met for the first time"), std::string::npos);
  EXPECT_EQ(locks.decide(0.0, beyond, xdot).status(), Evaluation::Status::failed);
  // And it recovers where everything is known.
  locks.set_lock(1, false);
  EXPECT_TRUE(form.derivative(0.0, beyond, xdot));
}

/// A loop with as many comparisons as there are unknowns, and one inside.
struct Loop {
  template <class T>
  void operator()(const T&, std::span<const T> x, std::span<T> xdot) const {
    for (std::size_t i = 0; i < x.size(); ++i) {
      xdot[i] = 0;
      if (x[i] > 1) xdot[i] = x[i] > 2 ? T(2) : T(1);
    }
  }
};

TEST(TemplateSystem, LoopsHaveOneSwitchPerOccurrence) {
  const auto workspace = make_template_system(two_unknowns(), Loop{})->workspace();
  const auto& functions = *workspace->ability<SwitchingFunctions>();
  EXPECT_EQ(functions.count(), 4U);  // both inner ones are met when both outer ones are true
  auto& locks = *workspace->ability<Locks>();
  TemplateValues xdot(2);
  ASSERT_TRUE(locks.decide(0.0, TemplateValues{1.5, 2.5}, TemplateValues{0.0, 0.0}));
  ASSERT_TRUE(workspace->ability<ExplicitForm>()->derivative(0.0, TemplateValues{0.0, 0.0}, xdot));
  EXPECT_EQ(xdot, (TemplateValues{1.0, 2.0}));
}

struct Endless {
  template <class T>
  void operator()(const T&, std::span<const T> x, std::span<T> xdot) const {
    T r = x[0];
    while (r > -1) r = r * 0.5;
    xdot[0] = r;
    xdot[1] = 0;
  }
};

TEST(TemplateSystem, ALoopThatDoesNotEndIsRefused) {
  try {
    make_template_system(two_unknowns(), Endless{});
    FAIL() << "accepted";
  } catch (const ModelError& e) {
    EXPECT_NE(std::string(e.what()).find("a million comparisons"), std::string::npos) << e.what();
  }
}

struct Thrower {
  template <class T>
  void operator()(const T&, std::span<const T> x, std::span<T> xdot) const {
    xdot[0] = xdot[1] = 0;
    if (x[0] < 0) throw std::domain_error("negative level");
    xdot[1] = x[1] > 3 ? T(1) : T(2);
  }
};

TEST(TemplateSystem, ADomainErrorIsNoFailure) {
  const auto workspace = make_template_system(two_unknowns(), Thrower{})->workspace();
  auto& form = *workspace->ability<ExplicitForm>();
  auto& locks = *workspace->ability<Locks>();
  TemplateValues xdot(2);
  const TemplateValues x{-1.0, 0.0};
  EXPECT_TRUE(form.derivative(0.0, x, xdot));  // locked on the other side
  EXPECT_EQ(locks.decide(0.0, x, xdot).status(), Evaluation::Status::out_of_domain);
  EXPECT_EQ(form.derivative(0.0, x, xdot).status(), Evaluation::Status::out_of_domain);
  EXPECT_EQ(workspace->last_error(), "negative level");
}

// ---- named functions and actions -----------------------------------------------------------------

struct Ball {
  template <class T>
  void operator()(const T&, std::span<const T> x, std::span<T> xdot) const {
    xdot[0] = x[1];
    xdot[1] = x[1] > 0 ? T(-10) : T(-9);
  }
  template <class T>
  void switching(const T&, std::span<const T> x, std::span<T> g) const {
    using std::max;
    g[0] = max(x[0], -5.0) - 0.25;
  }
};

TemplateDescription ball_description() {
  return {.unknowns = {{"height", 1.0}, {"speed", 0.5}},
          .switches = {"above ground"},
          .actions = {{.name = "bounce",
                       .trigger = "above ground",
                       .when = FunctionAction::When::falling,
                       .set = [](double, auto x, auto after) { after[1] = -0.8 * x[1]; },
                       .targets = {"speed"}}}};
}

TEST(TemplateSystem, NamedFunctionsTriggerActions) {
  const auto system = make_template_system(ball_description(), Ball{});
  const auto workspace = system->workspace();
  auto& functions = *workspace->ability<SwitchingFunctions>();
  auto& locks = *workspace->ability<Locks>();
  auto& actions = *workspace->ability<EventActions>();
  ASSERT_EQ(functions.count(), 3U);
  EXPECT_EQ(functions.info(0).name, "above ground");
  EXPECT_TRUE(functions.info(0).sets_unknowns);
  EXPECT_FALSE(functions.info(1).sets_unknowns);
  TemplateValues g(3), gdot(3);
  ASSERT_TRUE(functions.rates(0.0, TemplateValues{2.0, -1.0}, TemplateValues{-1.0, 0.0}, g, gdot));
  EXPECT_EQ(g[0], 1.75);
  EXPECT_EQ(gdot[0], -1.0);
  TemplateFlags truth(1);
  actions.triggers({}, {}, truth);
  EXPECT_EQ(truth[0], 0);
  locks.set_lock(0, false);
  actions.triggers({}, {}, truth);
  EXPECT_EQ(truth[0], 1);
  TemplateValues out(1);
  ASSERT_TRUE(actions.values(0, 0.0, TemplateValues{0.0, -5.0}, TemplateValues{0.0, 0.0}, out));
  EXPECT_EQ(out[0], 4.0);
}

TEST(TemplateSystem, BranchesOfNamedFunctionsAreNotThoseOfEquations) {
  const auto workspace = make_template_system(ball_description(), Ball{})->workspace();
  auto& locks = *workspace->ability<Locks>();
  const auto& functions = *workspace->ability<SwitchingFunctions>();
  ASSERT_GT(locks.n_branches(), locks.n_equation_branches());
  const auto equations = [&] {
    TemplateFlags all = branches_of(locks);
    all.resize(locks.n_equation_branches());
    return all;
  };
  const TemplateFlags before = equations(), all_before = branches_of(locks);
  const std::uint32_t of_max = find_switch(functions, "height > -5 in max");
  const std::uint32_t of_equation = find_switch(functions, "speed > 0");
  locks.set_lock(of_max, false);
  EXPECT_EQ(equations(), before);
  EXPECT_NE(branches_of(locks), all_before);
  locks.set_lock(of_equation, false);
  EXPECT_NE(equations(), before);
}

TEST(TemplateSystem, GenericLambdasWillDo) {
  const auto system = make_template_system(two_unknowns(), [](const auto& t, auto x, auto xdot) {
    xdot[0] = x[1] > t ? x[0] : -x[0];
    xdot[1] = 1;
  });
  EXPECT_EQ(system->workspace()->ability<SwitchingFunctions>()->count(), 1U);
  EXPECT_NE(system->workspace()->ability<ExplicitForm>(), nullptr);
}

TEST(TemplateSystem, RefusesByName) {
  const auto refusal = [](TemplateDescription description) {
    try {
      make_template_system(std::move(description), Ball{});
    } catch (const ModelError& e) {
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  TemplateDescription d = ball_description();
  EXPECT_EQ(refusal(d), "accepted");
  d.actions[0].trigger = "below ground";
  EXPECT_EQ(refusal(d), "action 'bounce': its trigger 'below ground' is not a switch");
  d = ball_description();
  d.unknowns.clear();
  EXPECT_EQ(refusal(d), "list of functions: there are no unknowns");
  d = ball_description();
  d.unknowns[1].differential = false;
  EXPECT_EQ(refusal(d),
            "unknown 'speed': `derivative` gives x' for every unknown, but this one is not "
            "differential");
}

}  // namespace
}  // namespace saltus
