#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <saltus/core/error.hpp>
#include <saltus/core/text.hpp>
#include <saltus/model.hpp>

namespace saltus {
namespace {

std::shared_ptr<const ModelDefinition> model_with_numbers() {
  Model m("numbers");
  const Expr x = m.state("x", 1.0), k = m.parameter("k", 2.0, {.min = 0.0});
  const std::vector<double> three = {1.0, 2.0, 3.0};
  const Expr p = m.parameters("p", three), y = m.algebraic("y");
  const Expr d = m.discrete("d", 4.0);
  m.equation(der(x) == -k * x + d);
  m.equation(y == p[1] * x);
  return m.build();
}

std::string why_not(const std::string& name, double value) {
  const Named<double> wanted[] = {{name, value}};
  try {
    (void)with_values(model_with_numbers(), wanted);
  } catch (const ModelError& e) {
    return e.what();
  }
  return "";
}

TEST(WithValues, ParametersAndStartsAreOthers) {
  const auto old = model_with_numbers();
  const Named<double> wanted[] = {{"x", 5.0}, {"k", 6.0}, {"p[1]", 7.0}, {"d", 8.0}};
  const auto made = with_values(old, wanted);
  EXPECT_EQ(made->initial_values(InputKind::parameter), (std::vector<double>{6, 1, 7, 3}));
  EXPECT_EQ(made->initial_values(InputKind::discrete), (std::vector<double>{8}));
  EXPECT_EQ(made->find("x")->start_of(0), 5.0);
  // the old one is as it was, and equations are shared
  EXPECT_EQ(old->initial_values(InputKind::parameter), (std::vector<double>{2, 1, 2, 3}));
  EXPECT_EQ(&old->graph(), &made->graph());
}

TEST(WithValues, AreRefusedByName) {
  EXPECT_NE(why_not("kk", 1.0).find("the nearest is 'k'"), std::string::npos);
  EXPECT_NE(why_not("p", 1.0).find("'p[0]' to 'p[2]'"), std::string::npos);
  EXPECT_NE(why_not("y", 1.0).find("no start value of its own"), std::string::npos);
  EXPECT_NE(why_not("k", -1.0).find("its range is [0, inf]"), std::string::npos)
      << why_not("k", -1.0);
  EXPECT_NE(why_not("k", std::numeric_limits<double>::quiet_NaN()).find("cannot be"),
            std::string::npos);
}

TEST(WithValues, WhatFollowsFromThemStaysInItsRange) {
  Model m("follows");
  const Expr x = m.state("x", 1.0), a = m.parameter("a", 1.0), c = m.parameter("c", 1.0);
  m.value_range("b", a * c, -1.0, 2.0);
  m.equation(der(x) == -a * c * x);
  const auto model = m.build();
  EXPECT_NO_THROW((void)with_values(model, {{"a", 2.0}}));
  // The last values count, also where those between would not be in it.
  EXPECT_NO_THROW((void)with_values(model, {{"a", 4.0}, {"c", 0.5}}));
  EXPECT_NO_THROW((void)with_values(with_values(model, {{"c", 0.5}}), {{"a", 4.0}}));
  for (const double wrong : {std::nextafter(2.0, 3.0), 3.0, -1.5}) {
    try {
      (void)with_values(model, {{"a", wrong}});
      FAIL() << "a = " << wrong;
    } catch (const ModelError& e) {
      EXPECT_EQ(std::string(e.what()),
                "model 'follows': 'b' cannot be " + to_text(wrong) + ": its range is [-1, 2]");
    }
  }
  // Derivatives by a are those of a model without the range.
  EXPECT_EQ(
      with_parameters_as_states(model, std::vector<std::string>{"a"}).model->value_ranges().size(),
      0U);
}

TEST(WithValues, WhatFollowsIsANumber) {
  Model m("follows");
  const Expr x = m.state("x", 1.0), a = m.parameter("a", 1.0);
  m.value_range("b", sqrt(a), -HUGE_VAL, 5.0);
  m.equation(der(x) == -a * x);
  const auto model = m.build();
  EXPECT_NO_THROW((void)with_values(model, {{"a", 4.0}}));
  try {
    (void)with_values(model, {{"a", -1.0}});
    FAIL();
  } catch (const ModelError& e) {
    EXPECT_EQ(std::string(e.what()), "model 'follows': 'b' cannot be nan");
  }
}

TEST(Integral, IsAStateThatStartsFromZero) {
  Model m("integral");
  const Expr x = m.state("x", 1.0);
  m.equation(der(x) == -x);
  (void)m.integral("sum", x * x);
  const auto built = m.build();
  EXPECT_EQ(built->find("sum")->start_of(0), 0.0);
  EXPECT_EQ(built->find("sum")->kind, InputKind::state);
  EXPECT_THROW((void)m.integral("x", x), ModelError);
}

}  // namespace
}  // namespace saltus
