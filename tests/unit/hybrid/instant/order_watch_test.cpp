// Events whose order the tolerances do not decide.
#include "hybrid/instant/order_watch.hpp"

#include "../scene.hpp"

namespace saltus::hybrid_test {
namespace {

using SetP = void (*)(std::span<const double> x, std::span<double> after);
// Of p and q, which stand after a and b.
constexpr SetP double_and_one = [](auto x, auto after) { after[2] = 2 * x[2] + 1; };
constexpr SetP three_times = [](auto x, auto after) { after[2] = 3 * x[2]; };
constexpr SetP set_q = [](auto, auto after) { after[3] = 5.0; };
constexpr SetP send_b_back = [](auto, auto after) { after[1] = -1.0; };

/// a and b rise with speed 1; where they pass zero actions A and B set something. p begins with 1. Further relations
/// are those of b.
SystemFunctions in_no_order(SetP of_a, SetP of_b, std::size_t n_of_b = 1) {
  SystemFunctions f;
  f.unknowns = {{"a", -0.5}, {"b", -0.5}, {"p", 1.0}, {"q", 0.0}};
  f.derivative = [](double, auto, auto xdot) {
    xdot[0] = xdot[1] = 1.0;
    xdot[2] = xdot[3] = 0.0;
  };
  f.switching = [](double, auto x, auto g) {
    for (std::size_t k = 0; k < g.size(); ++k) g[k] = x[k > 0 ? 1 : 0];
  };
  for (std::size_t k = 0; k <= n_of_b; ++k) {
    const std::string end = k > 1 ? std::to_string(k) : "";
    const std::string name = (k > 0 ? "b > 0" : "a > 0") + end;
    const SetP set = k > 0 ? of_b : of_a;
    f.switches.push_back({name, false});
    f.actions.push_back({.name = (k > 0 ? "B" : "A") + end, .trigger = name});
    f.actions.back().set = [set](double, auto x, auto after) { set(x, after); };
  }
  return f;
}

struct OrderScene : Scene {
  explicit OrderScene(SystemFunctions f, RunOptions options = Scene::in_one_second())
      : Scene(std::move(f), options) {
    here()->natural_step = 1.0;
  }
  OrderScene(SetP of_a, SetP of_b) : OrderScene(in_no_order(of_a, of_b)) {}
  /// At t = 1/2, where a crosses and b will do so after some time. Both tolerances are 1e-6.
  detail::OrderWatch::Found look(double after = 0.5e-6, double speed_of_b = 1.0) {
    const detail::EventPoint point{0.5, {0.0, -after, 1.0, 0.0}, {1.0, speed_of_b, 0.0, 0.0}};
    (void)here()->kit->locator.margins(point, {});
    return watch.look(*here(), point, crossings, 1.0, {});
  }
  bool is_marked(std::uint32_t which, double t) {
    std::vector<detail::Crossing> some{{which, 1}};
    watch.mark(*here(), t, some);
    return some[0].guarantee == Guarantee::marginal;
  }
  detail::OrderWatch watch;
  std::vector<detail::Crossing> crossings{{0, 1}};
};

TEST(OrderWatch, OrdersThatLeadToOtherValuesAreWarnedOf) {
  OrderScene s(double_and_one, three_times);  // 3 (2 + 1), 2 * 3 + 1
  const auto found = s.look();
  ASSERT_EQ(found.warnings.size(), 1U);
  EXPECT_EQ(found.warnings[0],
            "at t = 0.5 'A' (a > 0) came 5e-07 before 'B' (b > 0), but the time between them is "
            "known to 2e-06 only: their order is not known at these tolerances, and the result may "
            "depend on it. Smaller tolerances may decide it; write conditions that are meant as "
            "one instant with the same expression");
  EXPECT_FALSE(found.is_open);  // both come
  EXPECT_GE(found.n_evaluations, 4U);
  // What follows is marginal for as long as it may come.
  EXPECT_TRUE(s.is_marked(1, 0.5 + 2.4e-6));
  EXPECT_FALSE(s.is_marked(1, 0.5 + 2.6e-6));
  EXPECT_FALSE(s.is_marked(0, 0.5));
}

TEST(OrderWatch, OrdersThatLeadToTheSameAreNoMatter) {
  OrderScene s(double_and_one, set_q);
  const auto found = s.look();
  EXPECT_TRUE(found.warnings.empty());
  EXPECT_FALSE(found.is_open);
  EXPECT_FALSE(s.is_marked(1, 0.5));
}

TEST(OrderWatch, AHundredTolerancesAreTheSame) {
  // 1.5 p + d or 1.5 (p + d), where 1.5 has a tolerance of 2.5e-6.
  const SetP grow = [](auto x, auto after) { after[2] = 1.5 * x[2]; };
  OrderScene same(grow, [](auto x, auto after) { after[2] = x[2] + 4.9e-4; });
  OrderScene differ(grow, [](auto x, auto after) { after[2] = x[2] + 5.1e-4; });
  EXPECT_TRUE(same.look().warnings.empty());
  EXPECT_EQ(differ.look().warnings.size(), 1U);
}

TEST(OrderWatch, WhatMayNotComeAtAllIsOpen) {
  OrderScene first(send_b_back, set_q);
  EXPECT_TRUE(first.look().is_open);
  // Twice the error of the time is still on its way.
  OrderScene near([](auto, auto after) { after[1] = -3.9e-6; }, set_q);
  EXPECT_FALSE(near.look().is_open);
  OrderScene away([](auto, auto after) { after[1] = -4.1e-6; }, set_q);
  EXPECT_TRUE(away.look().is_open);
}

TEST(OrderWatch, WhatEndsTheRunIsNotTried) {
  SystemFunctions f = in_no_order(set_q, set_q);
  f.actions[1].set = nullptr;
  f.actions[1].terminal = true;
  OrderScene s(f);
  const auto found = s.look();
  EXPECT_TRUE(found.is_open);
  EXPECT_EQ(found.warnings.size(), 1U);
  EXPECT_EQ(found.n_evaluations, 0U);
}

TEST(OrderWatch, OnlyWhatComesWithinTheErrorsOfBothFollows) {
  EXPECT_EQ(OrderScene(double_and_one, three_times).look(1.9e-6).warnings.size(), 1U);
  EXPECT_TRUE(OrderScene(double_and_one, three_times).look(2.1e-6).warnings.empty());
  EXPECT_TRUE(OrderScene(double_and_one, three_times).look(0.5e-6, -1.0).warnings.empty());
  // It crosses as well.
  OrderScene together(double_and_one, three_times);
  together.crossings.push_back({1, 1});
  EXPECT_TRUE(together.look().warnings.empty());
  // It rests on its surface, as far as anybody knows.
  OrderScene rests(double_and_one, three_times);
  rests.board().excuse(1, 1e-6);
  EXPECT_TRUE(rests.look().warnings.empty());
}

TEST(OrderWatch, WhatIsSlowIsMarginalByItself) {
  for (const double natural_step : {1.1e-5, 0.9e-5}) {
    OrderScene s(double_and_one, three_times);
    s.here()->natural_step = natural_step;
    EXPECT_EQ(s.look().warnings.size(), natural_step > 1e-5 ? 1U : 0U);
  }
  // b alone.
  OrderScene s(double_and_one, three_times);
  s.here()->natural_step = 1.5e-5;
  EXPECT_TRUE(s.look(0.5e-6, 0.5).warnings.empty());
}

TEST(OrderWatch, WithoutCrossingsOrActionsThereIsNoOrder) {
  OrderScene none(double_and_one, three_times);
  none.crossings.clear();
  EXPECT_TRUE(none.look().warnings.empty());
  // Without an action of its own neither is kept from anything.
  SystemFunctions f = in_no_order(set_q, [](auto, auto after) { after[0] = -1.0; });
  f.actions.erase(f.actions.begin());
  EXPECT_TRUE(OrderScene(f).look().warnings.empty());
  f = in_no_order(send_b_back, set_q);
  f.actions.pop_back();
  EXPECT_TRUE(OrderScene(f).look().warnings.empty());
  f = in_no_order(double_and_one, three_times);
  f.actions.clear();
  EXPECT_TRUE(OrderScene(f).look().warnings.empty());
}

TEST(OrderWatch, APairIsNamedOnceAndOfManyTheFirstTen) {
  OrderScene once(send_b_back, set_q);
  EXPECT_EQ(once.look().warnings.size(), 1U);
  const auto again = once.look();
  EXPECT_TRUE(again.warnings.empty());
  EXPECT_TRUE(again.is_open);
  OrderScene many(in_no_order(double_and_one, three_times, 12));
  const auto found = many.look();
  ASSERT_EQ(found.warnings.size(), 11U);
  EXPECT_NE(found.warnings[9].find("'B10' (b > 010)"), std::string::npos) << found.warnings[9];
  EXPECT_EQ(found.warnings[10],
            "the order of more pairs of events is not known at these tolerances; they are "
            "marginal");
  EXPECT_TRUE(many.is_marked(12, 0.5));
}

}  // namespace
}  // namespace saltus::hybrid_test
