// Clauses that set each other off at one instant. The rule: all that are due read their values, then all are written;
// this is repeated until none is due. Only a state of this repetition that comes back is a cycle. A clause that writes
// what is there already changes nothing and ends nothing.
#include <cmath>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <saltus/saltus.hpp>

namespace saltus {
namespace {

RunOptions chain_options() {
  RunOptions o;
  o.t_end = 2.0;
  return o;
}

TEST(ChainsOfClauses, AClauseMayWriteTheValueThatIsThere) {
  Model m("alarm");
  const Expr x = m.state("x", 0.0), alarm = m.discrete("alarm", 0.0),
             valve = m.discrete("valve", 0.0), n = m.discrete("n", 0.0);
  m.equation(der(x) == 1.0);
  m.when("alarm on", x >= 1.0, {{alarm, 1.0}});
  m.when("close valve", alarm > 0.5, {{valve, 0.0}});
  m.when("count", alarm > 0.5, {{n, pre(n) + 1.0}});
  const Solution s = simulate(m, chain_options());
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_EQ(s.final("valve"), 0.0);
  EXPECT_EQ(s.final("n"), 1.0);
}

TEST(ChainsOfClauses, AResetMayWriteTheStateThatIsThere) {
  Model m("rest");
  const Expr h = m.state("h", 1.0), v = m.state("v", 0.0), k = m.discrete("k", 0.0);
  m.equation(der(h) == 0.0 * k);
  m.equation(der(v) == 0.0 * k);
  m.when("down", m.time() >= 1.0, {{h, 0.0}});
  m.when("hit", h <= 0.0, {{v, -0.5 * pre(v)}});
  const Solution s = simulate(m, chain_options());
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_EQ(s.final("h"), 0.0);
  EXPECT_EQ(s.final("v"), 0.0);
}

TEST(ChainsOfClauses, MayBeAsLongAsThereAreClauses) {
  constexpr int n = 200;
  Model m("chain");
  const Expr x = m.state("x", 0.0);
  m.equation(der(x) == 1.0);
  std::vector<Expr> d;
  for (int i = 0; i < n; ++i) d.push_back(m.discrete("d" + std::to_string(i), 0.0));
  m.when("first", m.time() >= 1.0, {{d[0], 1.0}});
  for (int i = 1; i < n; ++i)
    m.when("c" + std::to_string(i), d[i - 1] > 0.5, {{d[i], pre(d[i - 1]) + 1.0}});
  const Solution s = simulate(m, chain_options());
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_EQ(s.final("d" + std::to_string(n - 1)), n);
}

TEST(ChainsOfClauses, ThatHaveNoEndAreNamed) {
  Model m("flip");
  const Expr x = m.state("x", 0.0), b = m.discrete("b", 0.0);
  m.equation(der(x) == 1.0);
  m.when("begin", m.time() >= 1.0, {{b, 1.0}});
  m.when("down", b > 0.5, {{b, 0.0}});
  m.when("up", b < 0.5, {{b, 1.0}});
  const Solution s = simulate(m, chain_options());
  EXPECT_EQ(s.report.outcome, Outcome::failed);
  EXPECT_NE(s.report.message.find("without end"), std::string::npos) << s.report.message;
}

// Each clause makes a transition true, after which the other clause is due in the mode that is entered.
TEST(ChainsOfClauses, ThatChangeModesWithoutEndAreNamed) {
  Model m("ring");
  const Expr x = m.state("x", 0.25);
  m.when("low", x < 0.1, {{x, 0.5}});
  m.when("high", x > 0.4, {{x, 0.0}});
  const ModeId one = m.mode("one"), other = m.mode("other");
  m.equation(one, der(x) == 1.0);
  m.equation(other, der(x) == 1.0);
  m.transition("up", one, other, x > 0.3);
  m.transition("down", other, one, x < 0.2);
  const Solution s = simulate(m, chain_options());
  EXPECT_FALSE(s.ok());
  EXPECT_NE(s.report.message.find("time stands still at t = 0.1"), std::string::npos)
      << s.report.message;
  EXPECT_NE(s.report.message.find("'high'"), std::string::npos) << s.report.message;
}

/// `when d[on] > (or <) threshold: d[target] = value, or d[from]`.
struct RandomClause {
  int on = 0;
  bool above = true;
  double threshold = 0.5;
  int target = 0;
  int from = -1;  // -1: `value`
  double value = 0.0;
  bool holds(const std::vector<double>& d) const {
    return above ? d[on] > threshold : d[on] < threshold;
  }
};

struct RandomProgram {
  std::vector<double> start;
  std::vector<RandomClause> clauses;
  double first = 1.0;  // d[0] from t = 1 on
};

RandomProgram random_program(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  RandomProgram p;
  const int n = 2 + below(4), n_clauses = 2 + below(6);
  for (int i = 0; i < n; ++i) p.start.push_back(below(3));
  p.first = below(3);
  for (int k = 0; k < n_clauses; ++k) {
    RandomClause c;
    c.on = below(n);
    c.above = below(2) == 0;
    c.threshold = below(2) + 0.5;
    c.target = below(n);
    c.from = below(2) == 0 ? -1 : below(n);
    c.value = below(3);
    p.clauses.push_back(c);
  }
  return p;
}

/// The rule by itself: values at the end, or nothing where there is a cycle or two clauses disagree.
std::optional<std::vector<double>> carried_out(const RandomProgram& p) {
  std::vector<double> d = p.start;
  std::vector<std::uint8_t> held;
  for (const RandomClause& c : p.clauses) held.push_back(c.holds(d));
  std::set<std::pair<std::vector<double>, std::vector<std::uint8_t>>> seen;
  bool begins = true;
  for (;;) {
    std::vector<std::optional<double>> wanted(d.size());
    bool any = false;
    const auto want = [&](int target, double value) {
      any = true;
      if (wanted[target] && *wanted[target] != value) return false;
      wanted[target] = value;
      return true;
    };
    if (begins && !want(0, p.first)) return std::nullopt;
    begins = false;
    for (std::size_t k = 0; k < p.clauses.size(); ++k) {
      const RandomClause& c = p.clauses[k];
      const bool now = c.holds(d);
      if (now && !held[k] && !want(c.target, c.from < 0 ? c.value : d[c.from])) return std::nullopt;
      held[k] = now;
    }
    if (!any) return d;
    for (std::size_t i = 0; i < d.size(); ++i) d[i] = wanted[i].value_or(d[i]);
    if (!seen.insert({d, held}).second) return std::nullopt;
  }
}

TEST(ChainsOfClauses, RandomOnesEndWithTheValuesOfTheRule) {
  int n_ended = 0, n_refused = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    const RandomProgram p = random_program(seed);
    Model m("program");
    const Expr x = m.state("x", 0.0);
    m.equation(der(x) == 1.0);
    std::vector<Expr> d;
    for (std::size_t i = 0; i < p.start.size(); ++i)
      d.push_back(m.discrete("d" + std::to_string(i), p.start[i]));
    m.when("first", m.time() >= 1.0, {{d[0], p.first}});
    for (std::size_t k = 0; k < p.clauses.size(); ++k) {
      const RandomClause& c = p.clauses[k];
      m.when("c" + std::to_string(k), c.above ? d[c.on] > c.threshold : d[c.on] < c.threshold,
             {{d[c.target], c.from < 0 ? Expr(c.value) : pre(d[c.from])}});
    }
    const auto expected = carried_out(p);
    const Solution s = simulate(m, chain_options());
    ASSERT_EQ(s.ok(), expected.has_value()) << "seed " << seed << ": " << s.report.message;
    ++(expected ? n_ended : n_refused);
    for (std::size_t i = 0; expected && i < p.start.size(); ++i)
      EXPECT_EQ(s.final("d" + std::to_string(i)), (*expected)[i]) << "seed " << seed;
  }
  EXPECT_GT(n_ended, 100);
  EXPECT_GT(n_refused, 20);
}

}  // namespace
}  // namespace saltus
