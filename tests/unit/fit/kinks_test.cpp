// Fits whose sum of squares has kinks or jumps, because events pass the times of data.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <numbers>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <saltus/fit.hpp>
#include <saltus/model.hpp>
#include <saltus/simulate.hpp>

namespace saltus {
namespace {

struct Row {
  double residual;
  std::vector<double> slope;
};

/// Residuals written down with their derivatives; sigma is known.
class RowProblem final : public LeastSquaresProblem {
 public:
  using Rows = std::function<std::vector<Row>(std::span<const double>)>;
  RowProblem(std::vector<FitParameter> parameters, Rows rows)
      : parameters_(std::move(parameters)), rows_(std::move(rows)) {}
  std::span<const FitParameter> parameters() const override { return parameters_; }
  bool sigma_known() const override { return true; }
  Result<ResidualValues> evaluate(std::span<const double> p) const override {
    ResidualValues r;
    for (const Row& row : rows_(p)) {
      r.residuals.push_back(row.residual);
      r.jacobian.values.insert(r.jacobian.values.end(), row.slope.begin(), row.slope.end());
    }
    r.jacobian.n_rows = static_cast<std::uint32_t>(r.residuals.size());
    r.jacobian.n_cols = static_cast<std::uint32_t>(parameters_.size());
    return r;
  }

 private:
  std::vector<FitParameter> parameters_;
  Rows rows_;
};

/// (p - 2)^2 + (3 + bend max(0, p - 1))^2
FitResult fit_bent(double bend) {
  return fit(RowProblem({{"p", -1.0}}, [bend](std::span<const double> p) -> std::vector<Row> {
    const bool beyond = p[0] > 1;
    return {{p[0] - 2, {1.0}}, {beyond ? 3 + bend * (p[0] - 1) : 3.0, {beyond ? bend : 0.0}}};
  }));
}

TEST(FitAtKinks, FindsAMinimumThatIsAKink) {
  const FitResult r = fit_bent(2.0);  // slopes -1 and 5
  ASSERT_TRUE(r.ok()) << to_text(r);
  // twice `within`, of a standard error of one at most
  EXPECT_NEAR(r.of("p").value, 1.0, 0.02);
  EXPECT_EQ(r.message, "smallest at a kink: residual 1");
}

TEST(FitAtKinksTwin, GoesOnWhereAKinkHoldsNoMinimum) {
  // beyond 1: (p - 2) - (3 - (p - 1)) = 0 for p = 3, and (p - 2) + (3 + (p - 1) / 10) / 10 = 0
  FitResult r = fit_bent(-1.0);
  ASSERT_TRUE(r.ok()) << to_text(r);
  EXPECT_NEAR(r.of("p").value, 3.0, 0.01);
  EXPECT_EQ(r.message, "");
  r = fit_bent(0.1);
  ASSERT_TRUE(r.ok()) << to_text(r);
  EXPECT_NEAR(r.of("p").value, 1.71 / 1.01, 0.01);
  EXPECT_EQ(r.message, "");
}

TEST(FitAtKinks, GoesAlongAKink) {
  // (x - 3)^2 + (y - 1)^2 and a wall beyond x + y = 1: nearest to (3, 1) on it
  const RowProblem problem(
      {{"x", -1.0}, {"y", 0.5}}, [](std::span<const double> p) -> std::vector<Row> {
        const double beyond = std::max(0.0, p[0] + p[1] - 1), slope = beyond > 0 ? 2.0 : 0.0;
        return {{p[0] - 3, {1, 0}}, {p[1] - 1, {0, 1}}, {3 + 2 * beyond, {slope, slope}}};
      });
  const FitResult r = fit(problem);
  ASSERT_TRUE(r.ok()) << to_text(r);
  EXPECT_NEAR(r.of("x").value, 1.5, 0.02);
  EXPECT_NEAR(r.of("y").value, -0.5, 0.02);
  EXPECT_EQ(r.message, "smallest at a kink: residual 2");
}

TEST(FitAtKinks, FindsTheCornerOfTwoKinks) {
  // as above, with a second wall beyond y = -1: x = 2
  const RowProblem problem(
      {{"x", -1.0}, {"y", -3.0}}, [](std::span<const double> p) -> std::vector<Row> {
        const double first = std::max(0.0, p[0] + p[1] - 1), second = std::max(0.0, p[1] + 1);
        const double a = first > 0 ? 2.0 : 0.0, b = second > 0 ? 2.0 : 0.0;
        return {{p[0] - 3, {1, 0}},
                {p[1] - 1, {0, 1}},
                {3 + 2 * first, {a, a}},
                {3 + 2 * second, {0, b}}};
      });
  const FitResult r = fit(problem);
  ASSERT_TRUE(r.ok()) << to_text(r);
  EXPECT_NEAR(r.of("x").value, 2.0, 0.02);
  EXPECT_NEAR(r.of("y").value, -1.0, 0.02);
}

/// (p - 2)^2, and 25 more on one side of 1
FitResult fit_beside_a_jump(bool upwards) {
  return fit(RowProblem({{"p", -1.0}}, [upwards](std::span<const double> p) -> std::vector<Row> {
    return {{p[0] - 2, {1.0}}, {(p[0] > 1) == upwards ? 5.0 : 0.0, {0.0}}};
  }));
}

TEST(FitAtJumps, NamesTheJumpThatStopsIt) {
  const FitResult r = fit_beside_a_jump(true);
  EXPECT_EQ(r.status, FitStatus::at_jump) << to_text(r);
  EXPECT_NE(r.message.find("residual 1 jumps by 5.0 standard deviations"), std::string::npos)
      << r.message;
  EXPECT_LE(r.of("p").value, 1.0);
  EXPECT_NEAR(r.of("p").value, 1.0, 0.02);
}
TEST(FitAtJumpsTwin, GoesDownAJump) {
  const FitResult r = fit_beside_a_jump(false);
  ASSERT_TRUE(r.ok()) << to_text(r);
  EXPECT_NEAR(r.of("p").value, 2.0, 0.01);
}

// ---- a thermostat, whose temperature has a kink at every switch ----------------------------------------------

class Thermostat {
 public:
  Thermostat(double sigma, double interval, unsigned seed) {
    const Solution truth = simulate(model(), {.t_end = 12.0, .rtol = 1e-9, .atol = 1e-9});
    std::mt19937 generator(seed);
    std::normal_distribution<double> error(0.0, sigma);
    data_ = {"T", {}, {}, {sigma}};
    for (double t = interval; t < 12; t += interval) {
      data_.times.push_back(t);
      data_.values.push_back(truth.at("T", t) + error(generator));
    }
  }
  FitProblem problem() const {
    return {model(), {{"tau", 7.9}, {"P", 4.03}}, {data_}, {.rtol = 1e-8, .atol = 1e-8}};
  }

  static std::shared_ptr<const ModelDefinition> model() {
    Model m("room");
    const Expr T = m.state("T", 15.0), on = m.discrete("on", 1.0);
    const Expr tau = m.parameter("tau", 8.0), P = m.parameter("P", 4.0);
    m.equation(der(T) == (5.0 - T) / tau + P * on);
    m.when("off", T > 21.0, {{on, 0.0}});
    m.when("again", T < 19.0, {{on, 1.0}});
    return m.build();
  }

 private:
  Measurement data_;
};

/// By which half the sum of squares is smaller somewhere on a circle of that radius in standard errors around a point
/// that is shifted by as many.
double gain_nearby(const FitProblem& problem, const FitResult& r, double radius, double shift) {
  const double a = std::sqrt(r.covariance(0, 0)), b = r.covariance(1, 0) / a,
               c = std::sqrt(r.covariance(1, 1) - b * b);
  const auto half_squares = [&](double u, double v) {
    const std::vector<double> p = {r.parameters[0].value + a * u,
                                   r.parameters[1].value + b * u + c * v};
    const auto found = problem.evaluate(p);
    EXPECT_TRUE(found);
    double sum = 0.0;
    for (const double residual : found->residuals) sum += residual * residual / 2;
    return sum;
  };
  const double here = half_squares(shift, 0.0);
  double gain = -INFINITY;
  constexpr int n = 12;
  for (int i = 0; i < n; ++i) {
    const double angle = 2 * std::numbers::pi * i / n;
    gain = std::max(
        gain, here - half_squares(shift + radius * std::cos(angle), radius * std::sin(angle)));
  }
  return gain;
}

TEST(FitAtKinks, OfAThermostatConverges) {
  int at_kinks = 0;
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const Thermostat room(0.3, 0.3, seed);
    const FitResult r = fit(room.problem());
    ASSERT_TRUE(r.ok()) << "seed " << seed << "\n" << to_text(r);
    EXPECT_LE(r.iterations, 20) << to_text(r);
    if (r.message.empty()) continue;
    ++at_kinks;
    EXPECT_NE(r.message.find("passed by the event 'T "), std::string::npos) << r.message;
    // What is left on a circle is at most that of two steps of `within`, and its own curvature is against it.
    EXPECT_LT(gain_nearby(room.problem(), r, 0.02, 0.0), 2 * 0.01 * 0.01) << to_text(r);
    EXPECT_GT(gain_nearby(room.problem(), r, 0.02, 0.3), 2 * 0.01 * 0.01) << to_text(r);
  }
  EXPECT_GE(at_kinks, 2);
}

TEST(SlowFitAtKinks, ValuesAreUnbiased) {
  constexpr int n_seeds = 100;
  double sum[2] = {}, squares[2] = {};
  for (unsigned seed = 1; seed <= n_seeds; ++seed) {
    const FitResult r = fit(Thermostat(0.3, 0.1, seed).problem());
    ASSERT_TRUE(r.ok()) << "seed " << seed << "\n" << to_text(r);
    const double truth[] = {8.0, 4.0};
    for (std::size_t k = 0; k < 2; ++k) {
      const double z = (r.parameters[k].value - truth[k]) / *r.parameters[k].standard_error;
      sum[k] += z;
      squares[k] += z * z;
    }
  }
  for (std::size_t k = 0; k < 2; ++k) {
    // z are of variance 1: their mean has the error 0.1, the mean of their squares sqrt(2 / 100)
    EXPECT_LT(std::abs(sum[k] / n_seeds), 3 * 0.1);
    EXPECT_NEAR(squares[k] / n_seeds, 1.0, 3 * std::sqrt(2.0 / n_seeds));
  }
}

}  // namespace
}  // namespace saltus
