// Which engine is chosen, and what the choice is made from.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <saltus/integrate/choose.hpp>
#include <saltus/system/function_system.hpp>

#include "explicit_systems.hpp"
#include "integrate/elimination.hpp"
#include "integrate/stiffness_estimate.hpp"

namespace saltus::choose_test {
namespace {

using Vector = std::vector<double>;

std::vector<FunctionUnknown> unknowns(const Vector& start) {
  std::vector<FunctionUnknown> list;
  for (std::size_t i = 0; i < start.size(); ++i)
    list.push_back({"x" + std::to_string(i), start[i]});
  return list;
}

EngineChoice choice_of(const System& system, double t_end, double rtol = 1e-6) {
  EngineOptions options;
  options.rtol = rtol;
  const auto workspace = system.workspace();
  const Vector x = system.start_values().x;
  const Vector xdot(x.size());
  return choose_engine(system, *workspace, {0.0, x, xdot}, t_end, options);
}

CscPattern band(index_t n, index_t width) {
  CscPattern pattern;
  pattern.n_rows = pattern.n_cols = n;
  for (index_t j = 0; j < n; ++j) {
    for (index_t i = std::max(0, j - width); i <= std::min(n - 1, j + width); ++i) {
      pattern.row.push_back(i);
    }
    pattern.column_start.push_back(pattern.nnz());
  }
  return pattern;
}

std::shared_ptr<const System> van_der_pol(double mu) {
  return make_system({.unknowns = unknowns({2.0, 0.0}), .derivative = [mu](double, auto x, auto f) {
                        f[0] = x[1];
                        f[1] = mu * (1 - x[0] * x[0]) * x[1] - x[0];
                      }});
}

/// Heat in a rod of n points, rate of the fastest mode 4 (n + 1)².
std::shared_ptr<const System> rod(int n) {
  Vector start(static_cast<std::size_t>(n), 1.0);
  return make_system({.unknowns = unknowns(start),
                      .derivative =
                          [n](double, auto x, auto f) {
                            const double d = (n + 1.0) * (n + 1.0);
                            const auto last = static_cast<std::size_t>(n - 1);
                            for (std::size_t i = 0; i <= last; ++i) {
                              const double left = i > 0 ? x[i - 1] : 0.0;
                              const double right = i < last ? x[i + 1] : 0.0;
                              f[i] = d * (left - 2 * x[i] + right);
                            }
                          },
                      .pattern = band(n, 1)});
}

/// n unknowns that all depend on each other, with rates from 1 to 1e4.
std::shared_ptr<const System> everything_coupled(int n) {
  Vector start(static_cast<std::size_t>(n), 1.0);
  return make_system({.unknowns = unknowns(start), .derivative = [](double t, auto x, auto f) {
                        double mean = 0.0;
                        const double size = static_cast<double>(x.size());
                        for (const double value : x) mean += value / size;
                        for (std::size_t i = 0; i < x.size(); ++i) {
                          const double rate = std::pow(10.0, 4.0 * static_cast<double>(i) / size);
                          f[i] = -rate * (x[i] - std::cos(t)) - x[i] * mean;
                        }
                      }});
}

TEST(ChooseEngine, OdesThatAreNotStiffAreExplicit) {
  EXPECT_EQ(choice_of(explicit_test::arenstorf(), explicit_test::arenstorf_period).kind,
            EngineKind::dopri5);
  EXPECT_EQ(choice_of(explicit_test::two_bodies(), 1000.0).kind, EngineKind::dopri5);
  EXPECT_EQ(choice_of(explicit_test::turning(), 100.0).kind, EngineKind::dopri5);
  EXPECT_EQ(choice_of(*van_der_pol(2.0), 20.0).kind, EngineKind::dopri5);
  // A fast oscillation has to be resolved: nothing is gained by an implicit engine.
  const auto fast =
      make_system({.unknowns = unknowns({1.0, 0.0}), .derivative = [](double, auto x, auto f) {
                     f[0] = x[1];
                     f[1] = -1e8 * x[0];
                   }});
  EXPECT_EQ(choice_of(*fast, 10.0).kind, EngineKind::dopri5);
  EXPECT_EQ(choice_of(*rod(5), 1.0).kind, EngineKind::dopri5);
}

TEST(ChooseEngine, TightTolerancesAreForDop853) {
  EXPECT_EQ(choice_of(explicit_test::turning(), 10.0, 1e-8).kind, EngineKind::dop853);
  EXPECT_EQ(choice_of(explicit_test::turning(), 10.0, 1e-7).kind, EngineKind::dopri5);
}

TEST(ChooseEngine, StiffOdesAreImplicit) {
  EXPECT_EQ(choice_of(*van_der_pol(1000.0), 2000.0).kind, EngineKind::radau);
  const auto robertson =
      make_system({.unknowns = unknowns({1.0, 0.0, 0.0}), .derivative = [](double, auto y, auto f) {
                     f[0] = -0.04 * y[0] + 1e4 * y[1] * y[2];
                     f[2] = 3e7 * y[1] * y[1];
                     f[1] = -f[0] - f[2];
                   }});
  const EngineChoice choice = choice_of(*robertson, 1e5);
  EXPECT_EQ(choice.kind, EngineKind::radau);
  EXPECT_NE(choice.reason.find("stiff"), std::string::npos) << choice.reason;
  // The same system for a moment only.
  EXPECT_EQ(choice_of(*van_der_pol(1000.0), 1e-3).kind, EngineKind::dopri5);
}

TEST(ChooseEngine, RadauWhereFactorsAreCheap) {
  EXPECT_EQ(choice_of(*rod(500), 1.0).kind, EngineKind::radau);
  EXPECT_EQ(choice_of(*rod(2500), 1.0).kind, EngineKind::ida);
  EXPECT_EQ(choice_of(*everything_coupled(20), 10.0).kind, EngineKind::radau);
  EXPECT_EQ(choice_of(*everything_coupled(60), 10.0).kind, EngineKind::ida);
}

TEST(ChooseEngine, DaesAreImplicitAndFixedStepsAreForRadau) {
  const auto dae = make_system({.unknowns = {{"x", 1.0}, {"y", 1.0, false}},
                                .residual = [](double, auto x, auto xdot, auto f) {
                                  f[0] = xdot[0] + x[1];
                                  f[1] = x[0] - x[1];
                                }});
  EXPECT_EQ(choice_of(*dae, 1.0).kind, EngineKind::radau);
  const auto coupled = everything_coupled(60);
  const auto workspace = coupled->workspace();
  const Vector x(60, 1.0);
  EngineOptions options;
  options.fixed_step = 0.1;
  EXPECT_EQ(choose_engine(*coupled, *workspace, {0.0, x, x}, 10.0, options).kind,
            EngineKind::radau);
}

// Of the rod the spectrum is known: -4 (n+1)² sin²(k pi / (2 (n+1))).
TEST(StiffnessEstimates, RadiusOfAKnownSpectrum) {
  const auto system = rod(20);
  const auto workspace = system->workspace();
  const Vector x(20, 1.0);
  const auto estimate = detail::estimate_stiffness(*system, *workspace, {0.0, x, x}, 1.0, {});
  ASSERT_TRUE(estimate);
  // Neighbouring eigenvalues are close: power iteration has come to within a tenth of the largest.
  EXPECT_NEAR(estimate->radius, 4 * 21.0 * 21.0, 0.1 * 4 * 21.0 * 21.0);
  EXPECT_TRUE(estimate->decays);
  const auto rotation =
      make_system({.unknowns = unknowns({1.0, 0.0}), .derivative = [](double, auto y, auto f) {
                     f[0] = 7.0 * y[1];
                     f[1] = -7.0 * y[0];
                   }});
  const auto other = rotation->workspace();
  const Vector y = {1.0, 0.0};
  const auto turning = detail::estimate_stiffness(*rotation, *other, {0.0, y, y}, 1.0, {});
  ASSERT_TRUE(turning);
  // Weights differ between the two unknowns by 1e2, so single iterations grow and shrink; their
  // mean over an even number does not. Differences are good to 1e-6.
  EXPECT_NEAR(turning->radius, 7.0, 7e-5);
  EXPECT_FALSE(turning->decays);
}

TEST(EliminationCost, OfKnownPatterns) {
  // A chain: every unknown has one neighbour when its turn comes, the last has none.
  EXPECT_EQ(detail::elimination_cost(band(50, 1), 1e9), 49.0);
  // A full matrix: 9² + 8² + … + 0².
  EXPECT_EQ(detail::elimination_cost(band(10, 10), 1e9), 285.0);
  // An arrow costs as little as a chain if its tip comes last.
  CscPattern arrow = band(50, 0);
  arrow.row.clear();
  arrow.column_start = {0};
  for (index_t j = 0; j < 50; ++j) {
    if (j > 0) arrow.row.push_back(0);
    for (index_t i = j; i < (j == 0 ? 50 : j + 1); ++i) arrow.row.push_back(i);
    arrow.column_start.push_back(arrow.nnz());
  }
  EXPECT_EQ(detail::elimination_cost(arrow, 1e9), 49.0);
  EXPECT_GT(detail::elimination_cost(band(100, 100), 300.0), 300.0);
}

}  // namespace
}  // namespace saltus::choose_test
