#include <saltus/initialize.hpp>

#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include <saltus/system/function_system.hpp>

namespace saltus {
namespace {

using In = std::span<const double>;
using Out = std::span<double>;

constexpr double eps = std::numeric_limits<double>::epsilon();

Result<ConsistentStart> start_of(const System& system, double t = 0.0,
                                 std::optional<StartValues> guess = std::nullopt) {
  auto workspace = system.workspace();
  const StartValues from = guess ? *guess : system.start_values();
  const std::vector<double> weights(system.size(), 1e6);
  return find_consistent_start(system, *workspace, t, from, weights);
}

double largest_residual(const System& system, double t, const ConsistentStart& start) {
  std::vector<double> f(system.size());
  auto workspace = system.workspace();
  EXPECT_TRUE(static_cast<bool>(workspace->residual(t, start.x, start.xdot, f)));
  double largest = 0.0;
  for (const double v : f) largest = std::max(largest, std::abs(v));
  return largest;
}

std::string failure_of(const System& system) {
  const auto start = start_of(system);
  return start ? "found" : start.failure().message;
}

// (I.1) with Q selecting columns.
TEST(ConsistentStart, I1_KeepsDifferentialUnknownsAndFindsTheRest) {
  // x' = -y, y^3 + y = x: y(2) = 1.
  const auto s = make_system(
      {.unknowns = {{"x", 2.0}, {"y", 5.0, false}}, .residual = [](double, In x, In xdot, Out f) {
         f[0] = xdot[0] + x[1];
         f[1] = x[1] * x[1] * x[1] + x[1] - x[0];
       }});
  const auto start = start_of(*s);
  ASSERT_TRUE(start.has_value()) << start.failure().message;
  EXPECT_EQ(start->x[0], 2.0);
  EXPECT_NEAR(start->x[1], 1.0, 8 * eps);
  EXPECT_NEAR(start->xdot[0], -1.0, 8 * eps);
  // d/dt: (3 y^2 + 1) y' = x'; the difference is good to sqrt(eps) or so.
  EXPECT_NEAR(start->xdot[1], -0.25, 100 * std::sqrt(eps));
  EXPECT_TRUE(start->changes.empty());
}

// (I.1) and (I.2) with Q from the null space of E: all unknowns carry derivatives, yet one combination is
// algebraic, as in a circuit with a capacitor between two nodes.
TEST(ConsistentStart, I1_FindsTheNullSpaceOfSharedDerivatives) {
  const double c = 1e-6;
  const auto circuit = [c](double source) {
    return make_system(
        {.unknowns = {{"a", 1.0}, {"b", 0.5}}, .residual = [=](double t, In x, In xdot, Out f) {
           // C (a' - b') + (a - u)/1000 = 0, -C (a' - b') + b/1000 = 0
           const double u = source + 2.0 * t;
           f[0] = c * (xdot[0] - xdot[1]) + (x[0] - u) / 1000;
           f[1] = -c * (xdot[0] - xdot[1]) + x[1] / 1000;
         }});
  };
  // Consistent values are kept: a + b = u.
  const auto kept = circuit(1.5);
  const auto start = start_of(*kept);
  ASSERT_TRUE(start.has_value()) << start.failure().message;
  EXPECT_NEAR(start->x[0], 1.0, 1e-12);
  EXPECT_NEAR(start->x[1], 0.5, 1e-12);
  // E comes from differences, so its null space is known to sqrt(eps) and x' moves along it.
  EXPECT_LE(largest_residual(*kept, 0.0, *start), 64 * std::sqrt(eps) * c);
  // a' - b' = (u - a)/(1000 C), and a' + b' = u' = 2.
  EXPECT_NEAR(start->xdot[0] - start->xdot[1], 500.0, 1e-6);
  EXPECT_NEAR(start->xdot[0] + start->xdot[1], 2.0, 1e-3);

  // Inconsistent ones: a - b, the capacitor's charge, stays; the change is reported.
  const auto moved = circuit(2.0);
  const auto second = start_of(*moved);
  ASSERT_TRUE(second.has_value());
  EXPECT_NEAR(second->x[0] - second->x[1], 0.5, 1e-12);
  EXPECT_NEAR(second->x[0] + second->x[1], 2.0, 1e-12);
  ASSERT_EQ(second->changes.size(), 2u);
  EXPECT_EQ(second->changes[0].name, "a");
  EXPECT_EQ(second->changes[0].given, 1.0);
  EXPECT_NEAR(second->changes[0].used, 1.25, 1e-12);
}

// Derivatives that are to be compared: much closer than a difference of first order, and within what they are said to be
// off by. Without a word about their error where nothing is a difference.
TEST(ConsistentStart, ComparedDerivativesAreWithinTheirErrors) {
  std::mt19937 random(20261119);
  const auto between = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  constexpr int n = 200;
  int beyond = 0;
  for (int k = 0; k < n; ++k) {
    const double a = between(0.1, 2), w = between(0.3, 30), x_0 = between(-2, 2), t = between(0, 3);
    // x' = sin(w t) - x, y + a y^3 = x + cos(w t).
    const auto s = make_system({.unknowns = {{"x", x_0}, {"y", 0.0, false}},
                                .residual = [=](double at, In x, In xdot, Out f) {
                                  f[0] = xdot[0] + x[0] - std::sin(w * at);
                                  f[1] = x[1] + a * x[1] * x[1] * x[1] - x[0] - std::cos(w * at);
                                }});
    auto workspace = s->workspace();
    const std::vector<double> weights(2, 1e6);
    const auto start = find_consistent_start(*s, *workspace, t, s->start_values(), weights,
                                             {.time_scale = 10.0, .compares_derivatives = true});
    ASSERT_TRUE(start.has_value()) << start.failure().message;
    ASSERT_EQ(start->xdot_error.size(), 2U);
    const double y = start->x[1];
    const double exact = (std::sin(w * t) - x_0 - w * std::sin(w * t)) / (1.0 + 3.0 * a * y * y);
    const double off = std::abs(start->xdot[1] - exact);
    EXPECT_LE(off, 1e-10 * (1.0 + w)) << k;  // a first difference: sqrt(eps), 1e-8
    beyond += off > start->xdot_error[1] + 8 * eps * std::abs(exact) ? 1 : 0;
  }
  // Ten times what is between two differences: by chance they agree better than that in one of a hundred.
  EXPECT_LE(beyond, n / 50);
}

TEST(ConsistentStart, AnAlgebraicStartValueThatCannotHoldIsReported) {
  const auto s = make_system(
      {.unknowns = {{"x", 2.0}, {"y", 5.0, false}}, .residual = [](double, In x, In xdot, Out f) {
         f[0] = xdot[0] + x[1];
         f[1] = x[1] - 3.0 * x[0];
       }});
  StartValues guess = s->start_values();
  guess.x_given = {1, 1};
  const auto start = start_of(*s, 0.0, guess);
  ASSERT_TRUE(start.has_value());
  ASSERT_EQ(start->changes.size(), 1u);
  EXPECT_EQ(start->changes[0].name, "y");
  EXPECT_EQ(start->changes[0].given, 5.0);
  EXPECT_EQ(start->changes[0].used, 6.0);
}

TEST(ConsistentStart, IsFoundTwiceTheSame) {
  const auto s = make_system(
      {.unknowns = {{"x", 0.3}, {"y", 1.0, false}}, .residual = [](double, In x, In xdot, Out f) {
         f[0] = xdot[0] - x[1];
         f[1] = std::exp(x[1]) - 2.0 - x[0];
       }});
  const auto first = start_of(*s);
  ASSERT_TRUE(first.has_value());
  StartValues again{first->x, first->xdot, {1, 1}};
  const auto second = start_of(*s, 0.0, again);
  ASSERT_TRUE(second.has_value());
  EXPECT_TRUE(second->changes.empty());
  EXPECT_NEAR(second->x[1], first->x[1], 4 * eps);
  EXPECT_LE(second->n_iterations, 2);
}

TEST(ConsistentStart, DampingReachesWhereFullStepsDiverge) {
  // atan(y) = x / 10 from y = 20: undamped Newton diverges.
  const auto s = make_system(
      {.unknowns = {{"x", 1.0}, {"y", 20.0, false}}, .residual = [](double, In x, In xdot, Out f) {
         f[0] = xdot[0];
         f[1] = std::atan(x[1]) - x[0] / 10;
       }});
  const auto start = start_of(*s);
  ASSERT_TRUE(start.has_value()) << start.failure().message;
  EXPECT_NEAR(start->x[1], std::tan(0.1), 16 * eps);
}

TEST(ConsistentStart, LooseWeightsDoNotHideProgress) {
  // i + i^3 / 2 = -0.84 from the wrong side: the derivative of v changes with i all the way.
  const auto s = make_system(
      {.unknowns = {{"v", 1.0}, {"i", 0.7, false}}, .residual = [](double, In x, In xdot, Out f) {
         f[0] = xdot[0] - x[1] + 0.02 * x[0];
         f[1] = x[1] + 0.5 * x[1] * x[1] * x[1] + 0.84;
       }});
  for (const double weight : {1e2, 1e4, 1e6, 1e10}) {
    auto workspace = s->workspace();
    const std::vector<double> weights(2, weight);
    const auto start = find_consistent_start(*s, *workspace, 0.0, s->start_values(), weights);
    ASSERT_TRUE(start.has_value()) << start.failure().message;
    const double i = start->x[1];
    EXPECT_NEAR(i + 0.5 * i * i * i, -0.84, 8 * eps);
    EXPECT_NEAR(start->xdot[0], i - 0.02, 8 * eps);
  }
}

TEST(ConsistentStart, HigherIndexIsRefusedNamingEquationAndUnknown) {
  // x' = v, v' = lambda, x = sin t: index 3.
  const auto s = make_system({.unknowns = {{"x", 0.0}, {"v", 1.0}, {"lambda", 0.0, false}},
                              .residual =
                                  [](double t, In x, In xdot, Out f) {
                                    f[0] = xdot[0] - x[1];
                                    f[1] = xdot[1] - x[2];
                                    f[2] = x[0] - std::sin(t);
                                  },
                              .equations = {"motion", "force", "constraint"}});
  const auto start = start_of(*s);
  ASSERT_FALSE(start.has_value());
  EXPECT_EQ(start.failure().code, FailureCode::singular);
  EXPECT_NE(start.failure().message.find("equation 'constraint' does not determine"),
            std::string::npos)
      << start.failure().message;
  EXPECT_NE(start.failure().message.find("index 1"), std::string::npos);
}

TEST(ConsistentStart, ARepeatedEquationIsRefusedByName) {
  const auto s = make_system({.unknowns = {{"x", 0.0}, {"y", 1.0, false}, {"z", 1.0, false}},
                              .residual =
                                  [](double, In x, In xdot, Out f) {
                                    f[0] = xdot[0] - x[1];
                                    f[1] = x[1] + x[2] - x[0];
                                    f[2] = 2 * x[1] + 2 * x[2] - 2 * x[0];
                                  },
                              .equations = {"motion", "node", "node again"}});
  const std::string why = failure_of(*s);
  EXPECT_NE(why.find("'node'"), std::string::npos) << why;
  EXPECT_NE(why.find("'node again'"), std::string::npos) << why;
  EXPECT_EQ(why.find("'motion'"), std::string::npos) << why;
}

TEST(ConsistentStart, ValuesThatAreNotFiniteAreRefusedByName) {
  const auto s = make_system({.unknowns = {{"x", 0.0}, {"pressure", 1.0}},
                              .derivative = [](double, In, Out xdot) { xdot[0] = xdot[1] = 0; }});
  StartValues guess = s->start_values();
  guess.x[1] = std::numeric_limits<double>::quiet_NaN();
  const auto start = start_of(*s, 0.0, guess);
  ASSERT_FALSE(start.has_value());
  EXPECT_EQ(start.failure().code, FailureCode::not_finite);
  EXPECT_NE(start.failure().message.find("'pressure'"), std::string::npos);
}

TEST(ConsistentStart, AnEquationOutsideItsDomainIsNamed) {
  const auto s = make_system({.unknowns = {{"x", -1.0}, {"y", 0.0, false}},
                              .residual =
                                  [](double, In x, In xdot, Out f) {
                                    f[0] = xdot[0];
                                    f[1] = x[1] - std::log(x[0]);
                                  },
                              .equations = {"motion", "law"}});
  const auto start = start_of(*s);
  ASSERT_FALSE(start.has_value());
  EXPECT_EQ(start.failure().code, FailureCode::out_of_domain);
  EXPECT_NE(start.failure().message.find("'law'"), std::string::npos);
}

TEST(ConsistentStart, NoSolutionNamesTheEquationThatIsLeft) {
  const auto s = make_system({.unknowns = {{"x", 1.0}, {"y", 0.5, false}},
                              .residual =
                                  [](double, In x, In xdot, Out f) {
                                    f[0] = xdot[0];
                                    f[1] = x[1] * x[1] + x[0];  // no real root
                                  },
                              .equations = {"motion", "square"}});
  const std::string why = failure_of(*s);
  EXPECT_NE(why.find("'square'"), std::string::npos) << why;
}

}  // namespace
}  // namespace saltus
