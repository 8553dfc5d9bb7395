// Parameters from measurements: closed forms, bounds, what is refused, and the belt through its events.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <saltus/core/error.hpp>

#include "problems/belt_fit.hpp"

namespace saltus {
namespace {

using problems::BeltFit;
using problems::BeltFitWithoutJumps;

/// Residuals as functions; without a value where the function throws.
class FunctionProblem final : public LeastSquaresProblem {
 public:
  using Function = std::function<Result<ResidualValues>(std::span<const double>)>;
  FunctionProblem(std::vector<FitParameter> parameters, Function f, bool sigma_known = true)
      : parameters_(std::move(parameters)), f_(std::move(f)), sigma_known_(sigma_known) {}
  std::span<const FitParameter> parameters() const override { return parameters_; }
  bool sigma_known() const override { return sigma_known_; }
  Result<ResidualValues> evaluate(std::span<const double> p) const override { return f_(p); }

 private:
  std::vector<FitParameter> parameters_;
  Function f_;
  bool sigma_known_;
};

/// p0 + p1 i through 1, 3, 2, 5.
Result<ResidualValues> line_residuals(std::span<const double> p) {
  const double b[] = {1.0, 3.0, 2.0, 5.0};
  ResidualValues r{{}, Matrix(4, 2)};
  for (std::size_t i = 0; i < 4; ++i) {
    const auto x = static_cast<double>(i);
    r.residuals.push_back(p[0] + p[1] * x - b[i]);
    r.jacobian(i, 0) = 1.0;
    r.jacobian(i, 1) = x;
  }
  return r;
}

TEST(Fit, OfALineIsTheClosedForm) {
  // sums as in LeastSquares.FindsTheLineOfClosedForm
  for (const bool known : {true, false}) {
    const FunctionProblem problem({{"a", 10.0}, {"b", -7.0}}, line_residuals, known);
    const FitResult r = fit(problem);
    ASSERT_TRUE(r.ok()) << to_text(r);
    // 1.1 + 1.1 i misses by 0.1, -0.8, 1.3, -0.6
    const double squares = 0.01 + 0.64 + 1.69 + 0.36;
    EXPECT_NEAR(r.sum_of_squares, squares, 1e-4);
    const double scale = known ? 1.0 : std::sqrt(squares / 2);
    // a hundredth of a standard error
    EXPECT_NEAR(r.of("a").value, 1.1, 0.01 * std::sqrt(0.7) * scale);
    EXPECT_NEAR(r.of("b").value, 1.1, 0.01 * std::sqrt(0.2) * scale);
    EXPECT_NEAR(*r.of("a").standard_error, std::sqrt(0.7) * scale, 1e-4);
    EXPECT_NEAR(*r.of("b").standard_error, std::sqrt(0.2) * scale, 1e-4);
    EXPECT_NEAR(r.covariance(0, 1), -0.3 * scale * scale, 1e-4);
    EXPECT_THROW((void)r.of("c"), Error);
  }
}

TEST(Fit, StaysWithinBounds) {
  // b at most 0.5: then a is the mean of b_i - i / 2, which is 2
  const FunctionProblem problem({{"a", 10.0}, {"b", 0.0, -1.0, 0.5}}, line_residuals);
  const FitResult r = fit(problem, {.within = 1e-6});
  ASSERT_TRUE(r.ok()) << to_text(r);
  EXPECT_EQ(r.of("b").value, 0.5);
  EXPECT_TRUE(r.of("b").at_bound);
  EXPECT_FALSE(r.of("b").standard_error);
  EXPECT_NEAR(r.of("a").value, 2.0, 1e-6);
  EXPECT_NEAR(*r.of("a").standard_error, 0.5, 1e-12);  // 1 / sqrt(4)
}

TEST(Fit, FindsTheValleyOfRosenbrock) {
  const auto rosenbrock = [](std::span<const double> p) -> Result<ResidualValues> {
    ResidualValues r{{10 * (p[1] - p[0] * p[0]), 1 - p[0]}, Matrix(2, 2)};
    r.jacobian(0, 0) = -20 * p[0];
    r.jacobian(0, 1) = 10;
    r.jacobian(1, 0) = -1;
    return r;
  };
  const FitResult r = fit(FunctionProblem({{"x", -1.2}, {"y", 1.0}}, rosenbrock), {.within = 1e-9});
  ASSERT_TRUE(r.ok()) << to_text(r);
  EXPECT_NEAR(r.of("x").value, 1.0, 1e-8);
  EXPECT_NEAR(r.of("y").value, 1.0, 1e-8);
}

TEST(Fit, NamesWhatDataLeaveOpen) {
  const auto twins = [](std::span<const double> p) -> Result<ResidualValues> {
    ResidualValues r{{}, Matrix(3, 2)};
    for (std::size_t i = 0; i < 3; ++i) {
      r.residuals.push_back(p[0] + 2 * p[1] - static_cast<double>(i));
      r.jacobian(i, 0) = 1.0;
      r.jacobian(i, 1) = 2.0;
    }
    return r;
  };
  const FitResult r = fit(FunctionProblem({{"a", 0.0}, {"b", 0.0}}, twins));
  EXPECT_EQ(r.status, FitStatus::undetermined) << to_text(r);
  EXPECT_NE(r.message.find("do not determine '"), std::string::npos) << r.message;
  EXPECT_NE(r.message.find("separately, only a combination"), std::string::npos) << r.message;
}

// C v' = -v / R: only R C. Derivatives of the two are proportional up to errors of the run.
TEST(Fit, DoesNotTellApartWhatDiffersByErrorsOfDerivativesOnly) {
  Model m("discharge");
  const Expr v = m.state("v", 5.0), c = m.parameter("C", 2e-12), r = m.parameter("R", 2e9);
  m.equation(c * der(v) == -v / r);
  m.output("i", 1e9 * v / r);
  std::vector<double> t, voltage, current;
  for (int i = 1; i < 20; ++i) {
    t.push_back(1e-4 * i);
    voltage.push_back(5 * std::exp(-0.1 * i) + 1e-3 * std::sin(7.0 * i));
    current.push_back(5 * std::exp(-0.1 * i) + 1e-3 * std::cos(5.0 * i));
  }
  RunOptions o;
  o.rtol = o.atol = 1e-8;
  const std::vector<FitParameter> both = {{"C", 1.5e-12}, {"R", 1.2e9}};
  const FitResult open = fit(FitProblem(m, both, {{"v", t, voltage, {1e-3}}}, o));
  EXPECT_EQ(open.status, FitStatus::undetermined) << to_text(open);
  EXPECT_FALSE(open.of("C").standard_error);
  EXPECT_FALSE(open.of("R").standard_error);
  const FitResult told =
      fit(FitProblem(m, both, {{"v", t, voltage, {1e-3}}, {"i", t, current, {1e-3}}}, o));
  ASSERT_TRUE(told.ok()) << to_text(told);
  EXPECT_LT(told.of("C").standard_error.value_or(1.0), 1e-15);
}

TEST(Fit, KnowsNoErrorsFromAsManyValuesAsParameters) {
  const auto through_two = [](std::span<const double> p) {
    auto all = line_residuals(p);
    ResidualValues r{{all->residuals[0], all->residuals[1]}, Matrix(2, 2)};
    for (std::size_t i = 0; i < 2; ++i)
      for (std::size_t k = 0; k < 2; ++k) r.jacobian(i, k) = all->jacobian(i, k);
    return Result<ResidualValues>(std::move(r));
  };
  const std::vector<FitParameter> line = {{"a", 10.0}, {"b", -7.0}};
  const FitResult without = fit(FunctionProblem(line, through_two, false));
  ASSERT_TRUE(without.ok()) << to_text(without);
  EXPECT_FALSE(without.of("a").standard_error);
  ASSERT_FALSE(without.warnings.empty());
  EXPECT_NE(without.warnings.front().find("as many values as parameters"), std::string::npos);
  EXPECT_TRUE(fit(FunctionProblem(line, through_two, true)).of("a").standard_error);
}

/// The line through the same points, with a slope that is the sum of two parameters, or one that nothing depends on.
FitResult fit_open_line(double share) {
  const auto open = [share](std::span<const double> p) -> Result<ResidualValues> {
    auto two = line_residuals(std::vector<double>{p[0], p[1] + share * p[2]});
    ResidualValues r{two->residuals, Matrix(4, 3)};
    for (std::size_t i = 0; i < 4; ++i) {
      r.jacobian(i, 0) = two->jacobian(i, 0);
      r.jacobian(i, 1) = two->jacobian(i, 1);
      r.jacobian(i, 2) = share * two->jacobian(i, 1);
    }
    return r;
  };
  return fit(FunctionProblem({{"a", 10.0}, {"b", -7.0}, {"c", 1.0}}, open));
}

TEST(Fit, KeepsErrorsOfWhatIsDetermined) {
  FitResult r = fit_open_line(0.0);
  EXPECT_EQ(r.status, FitStatus::undetermined) << to_text(r);
  EXPECT_NE(r.message.find("say nothing about 'c'"), std::string::npos) << r.message;
  // as in OfALineIsTheClosedForm
  EXPECT_NEAR(r.of("a").standard_error.value_or(0), std::sqrt(0.7), 1e-12);
  EXPECT_NEAR(r.of("b").standard_error.value_or(0), std::sqrt(0.2), 1e-12);
  EXPECT_FALSE(r.of("c").standard_error);
  r = fit_open_line(0.5);
  EXPECT_EQ(r.status, FitStatus::undetermined) << to_text(r);
  EXPECT_NEAR(r.of("a").standard_error.value_or(0), std::sqrt(0.7), 1e-12);
  EXPECT_FALSE(r.of("b").standard_error);
  EXPECT_FALSE(r.of("c").standard_error);
  EXPECT_EQ(r.covariance(0, 1), 0.0);
}

TEST(Fit, WarnsOfResidualsThatAreNotAsGiven) {
  // sum of squares 2.7 of 2 degrees of freedom for sigma 1
  const auto with_sigma = [](double sigma) {
    return fit(FunctionProblem({{"a", 10.0}, {"b", -7.0}}, [sigma](std::span<const double> p) {
      auto r = line_residuals(p);
      for (double& v : r->residuals) v /= sigma;
      for (double& v : r->jacobian.values) v /= sigma;
      return r;
    }));
  };
  EXPECT_TRUE(with_sigma(1.0).warnings.empty());
  FitResult r = with_sigma(0.1);
  ASSERT_EQ(r.warnings.size(), 1U);
  EXPECT_TRUE(r.ok());
  EXPECT_NE(r.warnings[0].find("12 times as large"), std::string::npos) << r.warnings[0];
  EXPECT_NE(to_text(r).find("warning: residuals are"), std::string::npos);
  // 30 values that differ by a hundredth of their deviations
  r = fit(FunctionProblem({{"a", 10.0}}, [](std::span<const double> p) -> Result<ResidualValues> {
    ResidualValues small{{}, Matrix(30, 1)};
    for (std::size_t i = 0; i < 30; ++i) {
      small.residuals.push_back(p[0] + (i % 2 == 0 ? 0.01 : -0.01));
      small.jacobian(i, 0) = 1.0;
    }
    return small;
  }));
  ASSERT_EQ(r.warnings.size(), 1U);
  EXPECT_NE(r.warnings[0].find("deviations are too large"), std::string::npos) << r.warnings[0];
}

TEST(Fit, IsWrittenWithTheDigitsThatItsErrorsLeave) {
  FitResult r;
  r.parameters = {{"a", 8.001009707631336, 0.056101349402814325},
                  {"b", 1.23456789e-9, 4.56e-11},
                  {"c", 12345.678, 2345.6},
                  {"d", 0.123456789, std::nullopt, true}};
  r.sum_of_squares = 135.52917230637937;
  EXPECT_EQ(to_text(r),
            "converged after 0 iterations, 0 runs\n"
            "  a = 8.001 +- 0.056\n"
            "  b = 1.235e-09 +- 4.6e-11\n"
            "  c = 12346 +- 2346\n"
            "  d = 0.123457, on its bound\n"
            "  sum of squares 135.529 of 0 residuals\n");
}

TEST(Fit, SaysWhatWasRefused) {
  // residuals exist for p < 2 only; the root is 1, and a full step from -2 leads to 6
  const auto cubic = [](std::span<const double> p) -> Result<ResidualValues> {
    if (p[0] >= 2) return Failure{FailureCode::not_certified, "no derivative beyond 2"};
    ResidualValues r{{std::exp(-p[0]) - std::exp(-1.0)}, Matrix(1, 1)};
    r.jacobian(0, 0) = -std::exp(-p[0]);
    return r;
  };
  FitResult r = fit(FunctionProblem({{"p", 3.0}}, cubic));
  EXPECT_EQ(r.status, FitStatus::no_start);
  EXPECT_EQ(r.message, "no derivative beyond 2");
  const auto root = [&](std::span<const double> p) -> Result<ResidualValues> {
    if (p[0] >= 2) return Failure{FailureCode::not_certified, "no derivative beyond 2"};
    ResidualValues q{{std::atan(p[0] - 1)}, Matrix(1, 1)};
    q.jacobian(0, 0) = 1 / (1 + (p[0] - 1) * (p[0] - 1));
    return q;
  };
  r = fit(FunctionProblem({{"p", -1.0}}, root), {.within = 1e-8});
  ASSERT_TRUE(r.ok()) << to_text(r);
  EXPECT_NEAR(r.of("p").value, 1.0, 1e-8);
  ASSERT_FALSE(r.refused.empty());
  EXPECT_EQ(r.refused[0].why, "no derivative beyond 2");
  EXPECT_GE(r.refused[0].values[0], 2.0);
}

TEST(FitTwin, WrongDerivativesLowerNothing) {
  const auto wrong = [](std::span<const double> p) {
    auto r = line_residuals(p);
    for (double& v : r->jacobian.values) v = -v;
    return r;
  };
  const FitResult r = fit(FunctionProblem({{"a", 10.0}, {"b", -7.0}}, wrong));
  EXPECT_EQ(r.status, FitStatus::no_decrease) << to_text(r);
}

// ---- models ---------------------------------------------------------------------------------------------

Model& write_decay(Model& m) {
  const Expr x = m.state("x", 2.0), rate = m.parameter("rate", 0.5);
  m.equation(der(x) == -rate * x);
  m.output("square", x * x);
  return m;
}

TEST(FitProblem, GivesResidualsAndDerivativesToAnyOptimiser) {
  Model m("decay");
  write_decay(m);
  const FitProblem problem(m, {{"rate", 0.4}, {"x", 1.5}},
                           {{"x", {0.0, 1.0, 2.0}, {2.0, 1.2, 0.8}, {0.1}},
                            {"square", {1.0, 2.0}, {1.5, 0.5}, {0.1, 0.2}}},
                           {.rtol = 1e-9, .atol = 1e-9});
  const std::vector<double> p = {0.5, 2.0};
  const auto r = problem.evaluate(p);
  ASSERT_TRUE(r) << r.failure().message;
  ASSERT_EQ(r->residuals.size(), 5U);
  const double few = 1e-6;
  EXPECT_NEAR(r->residuals[1], (2 * std::exp(-0.5) - 1.2) / 0.1, few);
  EXPECT_NEAR(r->residuals[4], (4 * std::exp(-2.0) - 0.5) / 0.2, few);
  EXPECT_NEAR(r->jacobian(1, 0), -2 * std::exp(-0.5) / 0.1, few);
  EXPECT_NEAR(r->jacobian(1, 1), std::exp(-0.5) / 0.1, few);
  EXPECT_NEAR(r->jacobian(4, 0), -16 * std::exp(-2.0) / 0.2, few);
  EXPECT_NEAR(r->jacobian(0, 1), 1 / 0.1, few);
}

TEST(FitProblem, RefusesDataThatDoNotFit) {
  Model m("decay");
  write_decay(m);
  const auto why = [&](std::vector<FitParameter> p, std::vector<Measurement> d) -> std::string {
    try {
      const FitProblem problem(m, std::move(p), std::move(d));
      (void)problem.evaluate(std::vector<double>{0.4});
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  const Measurement good{"x", {1.0, 2.0}, {1.0, 0.5}, {0.1}};
  EXPECT_EQ(why({{"rate", 0.4}}, {good}), "");
  EXPECT_NE(why({{"rat", 0.4}}, {good}).find("the nearest is 'rate'"), std::string::npos);
  EXPECT_NE(why({{"rate", 0.4}, {"rate", 0.5}}, {good}).find("is named twice"), std::string::npos);
  EXPECT_NE(why({{"rate", 0.4, 0.5, 1.0}}, {good}).find("is not within [0.5, 1]"),
            std::string::npos);
  EXPECT_NE(why({{"rate", 0.4}}, {{"x", {1.0}, {1.0, 2.0}, {}}}).find("1 times and 2 values"),
            std::string::npos);
  EXPECT_NE(why({{"rate", 0.4}}, {{"x", {-1.0}, {1.0}, {}}}).find("before the begin of the run"),
            std::string::npos);
  EXPECT_NE(why({{"rate", 0.4}}, {{"x", {1.0}, {1.0}, {0.0}}}).find("standard deviation 0"),
            std::string::npos);
  EXPECT_NE(why({{"rate", 0.4}}, {good, {"x", {1.0}, {1.0}, {}}}).find("for all measurements"),
            std::string::npos);
  EXPECT_NE(why({{"rate", 0.4}}, {{"sqare", {1.0}, {1.0}, {}}}).find("square"), std::string::npos);
}

TEST(FitProblem, StaysInTheRangeOfTheModel) {
  // data that grow, and a rate that cannot be negative
  Model m("decay");
  const Expr x = m.state("x", 1.0), rate = m.parameter("rate", 0.5, {.min = 0.0});
  m.equation(der(x) == -rate * x);
  const FitProblem problem(m, {{"rate", 0.4}}, {{"x", {1.0, 2.0}, {1.2, 1.5}, {0.1}}});
  const FitResult r = fit(problem);
  ASSERT_TRUE(r.ok()) << to_text(r);
  EXPECT_EQ(r.of("rate").value, 0.0);
  EXPECT_TRUE(r.of("rate").at_bound);
  EXPECT_THROW((void)fit(problem, {.within = -1.0}), OptionError);
}

TEST(FitProblem, FailsWhereWhatFollowsFromParametersLeavesItsRange) {
  Model m("decay");
  const Expr x = m.state("x", 1.0), k = m.parameter("k", 1.0);
  m.value_range("rate", 2.0 * k, 0.0, 3.0);
  m.equation(der(x) == -2.0 * k * x);
  const FitProblem problem(m, {{"k", 1.0}}, {{"x", {1.0}, {0.1}}});
  EXPECT_TRUE(problem.evaluate(std::vector{1.4}).has_value());
  const auto refused = problem.evaluate(std::vector{1.6});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.failure().message.find("'rate' cannot be 3.2"), std::string::npos)
      << refused.failure().message;
}

TEST(FitProblem, SaysWhereDerivativesEnd) {
  Model m("oscillator");
  const Expr x = m.state("x", 0.0), v = m.state("v", 1.0), c = m.parameter("c", 5.0);
  m.equation(der(x) == v);
  m.equation(der(v) == -x - where(x > 1.0, c * (x - 1.0), Expr(0.0)));
  const FitProblem problem(m, {{"v", 1.0}}, {{"x", {1.0, 3.0}, {0.8, 0.1}, {0.1}}},
                           {.rtol = 1e-8, .atol = 1e-8, .engine = EngineKind::radau});
  const FitResult r = fit(problem);
  EXPECT_EQ(r.status, FitStatus::no_start);
  EXPECT_NE(r.message.find("x > 1"), std::string::npos) << r.message;
}

// ---- the belt -------------------------------------------------------------------------------------------

void expect_recovered(unsigned seed, int start) {
  const FitResult r = fit(BeltFit::problem(seed, start));
  EXPECT_TRUE(BeltFit::recovers(r))
      << "seed " << seed << " start " << start << ": " << BeltFit::distance(r) << "\n"
      << to_text(r);
  // 75 residuals and 2 parameters: 73 +- 12
  EXPECT_NEAR(r.sum_of_squares, 73.0, 4 * 12.0);
}

void expect_missed(unsigned seed, int start) {
  const FitResult r = fit(BeltFitWithoutJumps(seed, start));
  EXPECT_FALSE(BeltFit::recovers(r)) << to_text(r);
  EXPECT_GT(BeltFit::distance(r), 3.0);
  EXPECT_GT(r.sum_of_squares, 1000.0) << to_text(r);
}

TEST(FitOfTheBelt, RecoversFrictionThroughItsEvents) { expect_recovered(1, 0); }
TEST(FitOfTheBeltTwin, WithoutJumpsItFails) { expect_missed(1, 0); }

TEST(SlowFitOfTheBelt, RecoversFrictionFromAllStarts) {
  for (const unsigned seed : {1U, 2U, 3U, 4U})
    for (int start = 0; start < 4; ++start) expect_recovered(seed, start);
}
TEST(SlowFitOfTheBelt, WithoutJumpsItFailsFromAllStarts) {
  for (const unsigned seed : {1U, 2U, 3U, 4U})
    for (int start = 0; start < 4; ++start) expect_missed(seed, start);
}

}  // namespace
}  // namespace saltus
