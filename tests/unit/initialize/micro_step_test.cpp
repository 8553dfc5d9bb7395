// One implicit Euler step in quad precision, solved or refused by name.
#include "initialize/micro_step.hpp"

#include <gtest/gtest.h>

#include "unit/initialize/started_models.hpp"

namespace saltus {
namespace {

using testing_support::Started;

TEST(MicroStep, AStepSolvesImplicitEuler) {
  Model m("decay");
  Expr x = m.state("x", 3.0), y = m.algebraic("y", {.guess = 1.0});
  m.equation("rate", der(x) == -y);
  m.equation("cube", y * y * y == x);
  Started s(m);
  detail::MicroStepper stepper(*s.system, *s.workspace);
  const std::vector<Quad> before(s.start.x.begin(), s.start.x.end());
  std::vector<Quad> after;
  const double h = 2.0;
  const auto done = stepper.step(0.0, h, before, after);
  ASSERT_TRUE(done.has_value()) << done.failure().message;
  // y^3 + 2 y = 3 has the root 1, and so x = 1. Steps end below 1e-26, which is nothing to a double.
  EXPECT_EQ(static_cast<double>(after[s.index_of("x")]), 1.0);
  EXPECT_EQ(static_cast<double>(after[s.index_of("y")]), 1.0);
}

TEST(MicroStep, TheEquationThatIsLeftIsTheWorstOne) {
  for (const int place : {0, 1, 2}) {
    Model m("no root");
    Expr x = m.state("x", 1.0), z = m.state("z", 1.0), y = m.algebraic("y", {.guess = 0.5});
    for (int k = 0; k < 3; ++k) {
      if (k == place) m.equation("no root", y * y + 1.0 == 0.0);
      if (k == 0) m.equation("first", der(x) == -x);
      if (k == 1) m.equation("second", der(z) == -z * z);
    }
    Started s(m);
    detail::MicroStepper stepper(*s.system, *s.workspace);
    std::vector<Quad> before(s.start.x.begin(), s.start.x.end()), after;
    before[s.index_of("y")] = Quad(0.5);
    const auto done = stepper.step(0.25, 0.125, before, after);
    ASSERT_FALSE(done.has_value());
    EXPECT_EQ(done.failure().code, FailureCode::not_converged);
    const std::string& why = done.failure().message;
    EXPECT_NE(why.find("impulses at t = 0.25"), std::string::npos) << why;
    EXPECT_NE(why.find("equation 'no root' is left at "), std::string::npos) << why;
  }
}

}  // namespace
}  // namespace saltus
