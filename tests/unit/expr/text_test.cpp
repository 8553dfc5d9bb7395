// Expressions as text: read back by the rules of arithmetic they mean the same.
#include <gtest/gtest.h>

#include "support/small_programs.hpp"

namespace saltus {
namespace {

struct TextModel {
  Graph g;
  Expr a = state(g, "a");
  Expr b = state(g, "b");
  Expr c = state(g, "c");
  Expr d = discrete(g, "d");
  std::string text(const Expr& e) const { return to_text(g, e.id()); }
  std::string text(const Cond& e) const { return condition_text(g, e.literal()); }
};

TEST(ExpressionText, SumsAndDifferences) {
  TextModel m;
  EXPECT_EQ(m.text(m.a - (m.b - m.c)), "a - (b - c)");
  EXPECT_EQ(m.text((m.a - m.b) - m.c), "a - b - c");
  EXPECT_EQ(m.text(m.a - (m.b + m.c)), "a - (b + c)");
  EXPECT_EQ(m.text((m.a - m.b) + m.c), "c + a - b");
  EXPECT_EQ(m.text(-(m.a + m.b)), "-(a + b)");
  EXPECT_EQ(m.text(m.a - (-2.0)), "a - (-2)");
  EXPECT_EQ(m.text((-m.a) - m.b), "-a - b");
}

TEST(ExpressionText, ProductsAndQuotients) {
  TextModel m;
  EXPECT_EQ(m.text(m.a / (m.b * m.c)), "a/(b*c)");
  EXPECT_EQ(m.text((m.a / m.b) / m.c), "a/b/c");
  EXPECT_EQ(m.text(m.a / (m.b / m.c)), "a/(b/c)");
  EXPECT_EQ(m.text(m.a * (m.b + m.c)), "a*(b + c)");
  EXPECT_EQ(m.text((m.a + m.b) / (m.a - m.b)), "(a + b)/(a - b)");
  EXPECT_EQ(m.text(-(m.a * m.b)), "-a*b");
  EXPECT_EQ(m.text(m.a / (-m.b)), "a/(-b)");
  EXPECT_EQ(m.text(-2.0 * m.a), "(-2)*a");
  EXPECT_EQ(m.text(m.c - m.a * m.b), "c - a*b");
  EXPECT_EQ(m.text(m.c - (-(m.a / m.b)) * m.c), "c + c*a/b");
}

TEST(ExpressionText, Powers) {
  TextModel m;
  EXPECT_EQ(m.text(sqr(-m.a)), "(-a)^2");
  EXPECT_EQ(m.text(-sqr(m.a)), "-a^2");
  EXPECT_EQ(m.text(pow(m.a, -2)), "a^(-2)");
  EXPECT_EQ(m.text(pow(m.a + m.b, 3)), "(a + b)^3");
  EXPECT_EQ(m.text(sqr(m.a * m.b)), "(a*b)^2");
  EXPECT_EQ(m.text(m.a * sqr(m.b)), "a*b^2");
  EXPECT_EQ(m.text(pow(m.a, m.b + 1.0)), "pow(a, b + 1)");
  EXPECT_EQ(m.text(1.0 / sqr(m.a)), "1/a^2");
}

TEST(ExpressionText, APowerOfAPowerKeepsItsParentheses) {
  // a^3^2 reads as a^9 everywhere; (a^3)^2 is a^6.
  TextModel m;
  EXPECT_EQ(m.text(sqr(pow(m.a, 3))), "(a^3)^2");
  EXPECT_EQ(m.text(pow(sqr(m.a), 3)), "(a^2)^3");
  EXPECT_EQ(m.text(pow(pow(m.a, -3), 5)), "(a^(-3))^5");
}

TEST(ExpressionText, FunctionsAndInputs) {
  TextModel m;
  const Expr u = states(m.g, "u", 3);
  // Operands of * and + are ordered by age, so they are made one by one.
  const Expr sine = sin(m.a);
  const Expr larger = max(m.a, -m.b);
  EXPECT_EQ(m.text(-sine * exp(m.b)), "-sin(a)*exp(b)");
  EXPECT_EQ(m.text(atan2(m.a - m.b, m.c)), "atan2(a - b, c)");
  EXPECT_EQ(m.text(larger + abs(m.c)), "max(a, -b) + abs(c)");
  EXPECT_EQ(m.text(der(m.a) - pre(m.d)), "der(a) - pre(d)");
  EXPECT_EQ(m.text(der(u[2], 2)), "der(u[2], 2)");
  EXPECT_EQ(m.text(time(m.g)), "time");
}

TEST(ExpressionText, Conditionals) {
  TextModel m;
  EXPECT_EQ(m.text(where(m.a > 0, m.b, m.c)), "where(a > 0, b, c)");
  EXPECT_EQ(m.text(where(m.a > 0, where(m.b <= 1, m.c, 2.0), -m.c)),
            "where(a > 0, where(b <= 1, c, 2), -c)");
  EXPECT_EQ(m.text(2.0 * where(m.a >= m.b, m.b, m.c)), "2*where(a >= b, b, c)");
}

TEST(ConditionText, AndOrNot) {
  TextModel m;
  const Cond p = m.a > 0;
  const Cond q = m.b > 0;
  const Cond r = m.c > 0;
  EXPECT_EQ(m.text(p && q), "a > 0 and b > 0");
  EXPECT_EQ(m.text(p || q), "a > 0 or b > 0");
  EXPECT_EQ(m.text(!p), "a <= 0");
  EXPECT_EQ(m.text(!(p && q)), "a <= 0 or b <= 0");
  EXPECT_EQ(m.text(!(p || q)), "a <= 0 and b <= 0");
  const std::string mixed = m.text((p && q) || r);
  EXPECT_TRUE(mixed == "(a > 0 and b > 0) or c > 0" || mixed == "c > 0 or (a > 0 and b > 0)")
      << mixed;
  const std::string other = m.text(p && (q || r));
  EXPECT_TRUE(other == "a > 0 and (b > 0 or c > 0)") << other;
  EXPECT_EQ(m.text(Cond::always(m.g)), "true");
  EXPECT_EQ(m.text(Cond::never(m.g)), "false");
}

TEST(ConditionText, EachComparisonReadsAsWritten) {
  const struct {
    Comparison comparison;
    const char* written;
    const char* opposite;
  } cases[] = {{Comparison::greater, "a > b", "a <= b"},
               {Comparison::greater_equal, "a >= b", "a < b"},
               {Comparison::less, "a < b", "a >= b"},
               {Comparison::less_equal, "a <= b", "a > b"}};
  for (const auto& each : cases) {
    TextModel m;
    const Literal l = m.g.relation(m.a.id(), each.comparison, m.b.id());
    EXPECT_EQ(relation_text(m.g, 0), each.written);
    EXPECT_EQ(condition_text(m.g, l), each.written);
    EXPECT_EQ(condition_text(m.g, negate(l)), each.opposite);
  }
}

TEST(ConditionText, EqualityOfHeldValues) {
  TextModel m;
  const Cond same = m.d == 2.0;
  EXPECT_EQ(m.text(same), "d == 2");
  EXPECT_EQ(m.text(!same), "d != 2");
  EXPECT_EQ(m.text(m.d != 3.0), "d != 3");
}

TEST(ConditionText, AMirroredComparisonSaysTheSameThing) {
  TextModel m;
  static_cast<void>(m.a > m.b);
  EXPECT_EQ(m.text(m.b < m.a), "a > b");
  EXPECT_EQ(m.text(m.b >= m.a), "a <= b");
}

TEST(ArrayText, EachLaneHasItsOwn) {
  Graph g;
  const Expr u = states(g, "u", 4);
  const Expr k = parameter(g, "k");
  const Expr f = k * u - concat({u.slice(1, 3), 0.0});
  EXPECT_EQ(to_text(g, f.id(), {}, 0), "u[0]*k - u[1]");
  EXPECT_EQ(to_text(g, f.id(), {}, 2), "u[2]*k - u[3]");
  EXPECT_EQ(to_text(g, f.id(), {}, 3), "u[3]*k - 0");
  const Cond c = u > 0.5;
  EXPECT_EQ(condition_text(g, c.literal(), 3), "u[3] > 0.5");
  EXPECT_EQ(relation_text(g, 0, 1), "u[1] > 0.5");
}

TEST(ArrayText, ASumSaysThatItIsOne) {
  Graph g;
  const Expr u = states(g, "u", 4);
  const std::string text = to_text(g, sum(sqr(u)).id());
  EXPECT_EQ(text.substr(0, 4), "sum(");
  EXPECT_NE(text, "sum(u[0]^2)") << "one lane is not the whole";
}

TEST(LongText, IsCutAndMarked) {
  TextModel m;
  Expr f = m.a;
  for (int i = 0; i < 100; ++i) f = sin(f) + m.b;
  const std::string text = to_text(m.g, f.id(), {.max_length = 40});
  EXPECT_EQ(text.size(), 43U);
  EXPECT_EQ(text.substr(40), "...");
  EXPECT_EQ(text.substr(0, 3), to_text(m.g, f.id()).substr(0, 3));
  EXPECT_EQ(to_text(m.g, (m.a + m.b).id(), {.max_length = 5}), "a + b");  // exactly fits
}

TEST(LongText, ConditionsAreCutToo) {
  TextModel m;
  Cond all = m.a > 0.0;
  for (int i = 1; i < 100; ++i) all = all && m.a > 0.5 + i;
  const std::string text = condition_text(m.g, all.literal(), 0, {.max_length = 40});
  EXPECT_EQ(text.size(), 43U);
  EXPECT_EQ(text.substr(40), "...");
}

}  // namespace
}  // namespace saltus
