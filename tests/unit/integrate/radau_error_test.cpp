// The estimate of an error that is filtered twice, where the second look cannot be taken.
#include "integrate/radau/error.hpp"

#include <stdexcept>

#include <gtest/gtest.h>

#include <saltus/system/function_system.hpp>

namespace saltus {
namespace {

using ErrorIn = std::span<const double>;
enum class AwayFromOne : std::uint8_t { fine, out_of_domain, broken };

struct ErrorEstimate {
  Evaluation::Status status;
  double norm;
};

/// x' = -x from x = 1, with stages so far away that the first estimate exceeds its tolerance. `away` says what the
/// equation does at any x but 1, where the second look is taken.
ErrorEstimate estimate_of(AwayFromOne away, bool filter_twice) {
  const auto system =
      make_system({.unknowns = {{"x", 1.0}},
                   .residual =
                       [away](double, ErrorIn x, ErrorIn xdot, std::span<double> f) {
                         if (x[0] != 1.0 && away == AwayFromOne::out_of_domain)
                           throw std::domain_error("x");
                         if (x[0] != 1.0 && away == AwayFromOne::broken)
                           throw std::runtime_error("x");
                         f[0] = xdot[0] + x[0];
                       },
                   .jacobian = [](double, ErrorIn, ErrorIn, std::span<double> by_x,
                                  std::span<double> by_xdot) { by_x[0] = by_xdot[0] = 1.0; }});
  const auto workspace = system->workspace();
  detail::Problem problem(*system, *workspace, EngineOptions{});
  detail::RadauMatrices matrices(system->pattern(), LinearSolverKind::automatic);
  const double x[] = {1.0}, xdot[] = {-1.0}, h = 0.5;
  EXPECT_TRUE(static_cast<bool>(matrices.evaluate(problem, 0.0, x, xdot)));
  EXPECT_TRUE(matrices.factor(h, problem.work));
  const double stages[] = {1.0, 2.0, 3.0}, weights[] = {1e6};
  detail::RadauError error(1);
  double norm = 0.0;
  const Evaluation done =
      error.estimate(problem, matrices, {0.0, h, h, x}, stages, weights, filter_twice, norm);
  return {done.status(), norm};
}

TEST(RadauError, TheFirstEstimateStandsWhereTheSecondIsOutOfDomain) {
  const ErrorEstimate once = estimate_of(AwayFromOne::fine, false);
  const ErrorEstimate twice = estimate_of(AwayFromOne::fine, true);
  EXPECT_EQ(once.status, Evaluation::Status::ok);
  EXPECT_EQ(twice.status, Evaluation::Status::ok);
  EXPECT_GE(once.norm, 1.0);
  EXPECT_NE(once.norm, twice.norm) << "the second look changes nothing";
  const ErrorEstimate outside = estimate_of(AwayFromOne::out_of_domain, true);
  EXPECT_EQ(outside.status, Evaluation::Status::ok);
  EXPECT_EQ(outside.norm, once.norm);
}

TEST(RadauError, AnEquationThatFailsInTheSecondLookFailsTheEstimate) {
  EXPECT_EQ(estimate_of(AwayFromOne::broken, true).status, Evaluation::Status::failed);
  EXPECT_EQ(estimate_of(AwayFromOne::broken, false).status, Evaluation::Status::ok);
}

}  // namespace
}  // namespace saltus
