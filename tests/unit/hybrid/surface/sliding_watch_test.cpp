// What was judged where motion on surfaces began is judged again along it.
#include <algorithm>
#include <cmath>

#include "../scene.hpp"

namespace saltus::hybrid_test {
namespace {

/// (1 + c) v' = -1 and q' = -2 where v > 0, v' = 1 and q' = 2 elsewhere, with c = slope (t - from), from then on. On v = 0
/// Filippov's motion is q' = -2 c / (2 + c). Mixed equations have q' = 0, whatever c is.
struct HeavierAbove : Scene {
  HeavierAbove(double slope, double from, RunOptions options)
      : Scene(functions(slope, from), options) {}
  static SystemFunctions functions(double slope, double from) {
    SystemFunctions f;
    f.unknowns = {{"v", 0.0}, {"q", 0.0}};
    f.locked_residual = [=](double t, auto, auto xdot, auto locks, auto r) {
      const double c = locks[0] ? slope * std::max(t - from, 0.0) : 0.0;
      r[0] = (1 + c) * xdot[0] + (locks[0] ? 1 : -1);
      r[1] = xdot[1] + (locks[0] ? 2 : -2);
    };
    add_relation(
        f, "v > 0", [](double, double v) { return v; }, true);
    return f;
  }
  static RunOptions with(SlidingField field = SlidingField::filippov, double max_step = 0.125) {
    RunOptions options;
    options.engine = EngineKind::radau;
    options.rtol = options.atol = 1e-8;
    options.max_step = max_step;
    options.events.sliding_field = field;
    return options;
  }
  SlidingForm form_at_end() {
    run();
    EXPECT_EQ(report().outcome, Outcome::finished) << report().message;
    EXPECT_TRUE(here()->on_surfaces.has_value());
    return here()->on_surfaces ? here()->on_surfaces->options.form : SlidingForm::blended;
  }
  /// What is said of another form; empty: nothing.
  std::string change() {
    for (const DecisionRecord& choice : ground.ledger.report().choices) {
      if (choice.name != "form of the motion on 'v > 0'") continue;
      EXPECT_EQ(choice.given, "mixed");
      EXPECT_EQ(choice.used, "copies");
      return choice.reason;
    }
    return "";
  }
  std::string warning(const std::string& part) {
    for (const std::string& text : ground.ledger.report().warnings)
      if (text.find(part) != std::string::npos) return text;
    return "";
  }
};

/// The integral of -2 c / (2 + c) over c from 0.
double filippovs_way(double slope, double duration) {
  const double c = slope * duration;
  return (-2 * c + 4 * std::log(1 + c / 2)) / slope;
}

TEST(SlidingWatch, MixedEquationsAreKeptWhileTheyAreFilippovsMotion) {
  HeavierAbove s(0.0, 0.0, HeavierAbove::with());
  EXPECT_EQ(s.form_at_end(), SlidingForm::mixed);
  EXPECT_EQ(s.change(), "");
  EXPECT_NEAR(s.here().x()[1], 0.0, 1e-9);
}

TEST(SlidingWatch, WhereTheyCeaseToBeTheMotionGoesOnWithCopies) {
  HeavierAbove s(1.0, 0.3, HeavierAbove::with());
  EXPECT_EQ(s.form_at_end(), SlidingForm::copies);
  EXPECT_NEAR(s.here().x()[1], filippovs_way(1.0, 0.7), 1e-6);
  EXPECT_NE(
      s.change().find("is no longer mixing their motions (events.sliding_field), from t = 0.3"),
      std::string::npos)
      << s.change();
  EXPECT_EQ(s.change().find("not certain in between"), std::string::npos);
  EXPECT_EQ(s.warning("no longer Filippov's motion"), "");
  EXPECT_EQ(s.here()->visit.sliding, std::vector<std::string>{"v > 0"});
}

TEST(SlidingWatch, WhatWasAskedForIsLeftAlone) {
  HeavierAbove s(1.0, 0.3, HeavierAbove::with(SlidingField::equivalent_control));
  EXPECT_EQ(s.form_at_end(), SlidingForm::mixed);
  EXPECT_NEAR(s.here().x()[1], 0.0, 1e-9);
}

// The rate of q is off by c, which may be about 1e-8 in a run of one second.
TEST(SlidingWatch, ADifferenceWithinTolerancesDoesNotMatter) {
  HeavierAbove small(1e-10, 0.0, HeavierAbove::with()), large(1e-5, 0.0, HeavierAbove::with());
  EXPECT_EQ(small.form_at_end(), SlidingForm::mixed);
  EXPECT_EQ(large.form_at_end(), SlidingForm::copies);
}

// Of many short steps every fourth is looked at. Of four changes, one step after the other, one is within such a step.
TEST(SlidingWatch, AChangeBetweenTwoLooksIsWarnedOf) {
  int n_late = 0;
  for (const double from : {0.5005, 0.5015, 0.5025, 0.5035}) {
    HeavierAbove s(1e3, from, HeavierAbove::with(SlidingField::filippov, 1e-3));
    EXPECT_EQ(s.form_at_end(), SlidingForm::copies);
    const std::string said = s.warning("no longer Filippov's motion");
    const bool is_late = !said.empty();
    n_late += is_late ? 1 : 0;
    EXPECT_EQ(s.change().find("; looked at before at t = ") != std::string::npos, is_late);
    if (is_late) {
      EXPECT_TRUE(said.starts_with("the motion on the surface of 'v > 0' between t = 0.")) << said;
    } else {
      EXPECT_NEAR(s.here().x()[1], filippovs_way(1e3, 1 - from), 1e-6);
    }
  }
  EXPECT_EQ(n_late, 3);
}

// ---- the rule ------------------------------------------------------------------------------------------

/// x' = -s + c s r and y' = -r + c s r, with the sides s and r of x = 0 and y = 0, and c = t / 4.
struct GrowTogether : Scene {
  explicit GrowTogether(SlidingRule rule, double growth = 0.25)
      : Scene(functions(growth), with(rule)) {}
  static SystemFunctions functions(double growth) {
    SystemFunctions f;
    f.unknowns = {{"x", 0.0}, {"y", 0.0}};
    f.locked_derivative = [growth](double t, auto, auto locks, auto xdot) {
      const double s = locks[0] ? 1 : -1, r = locks[1] ? 1 : -1;
      xdot[0] = -s + growth * t * s * r;
      xdot[1] = -r + growth * t * s * r;
    };
    f.switches = {{"x > 0"}, {"y > 0"}};
    f.switching = [](double, auto x, auto g) { std::copy(x.begin(), x.end(), g.begin()); };
    return f;
  }
  static RunOptions with(SlidingRule rule) {
    RunOptions options = in_one_second();
    options.events.sliding_rule = rule;
    return options;
  }
  std::ptrdiff_t n_warnings() {
    return std::ranges::count_if(ground.ledger.report().warnings, [](const std::string& text) {
      return text.find("events.sliding_rule") != std::string::npos;
    });
  }
};

TEST(SlidingWatch, AMotionThatComesToDependOnTheRuleIsWarnedOfOnce) {
  GrowTogether s(SlidingRule::bilinear), other(SlidingRule::bilinear, 0.0);
  s.run();
  EXPECT_EQ(s.report().outcome, Outcome::finished) << s.report().message;
  EXPECT_EQ(s.n_warnings(), 1);
  other.run();
  EXPECT_EQ(other.here()->visit.sliding.size(), 2u);
  EXPECT_EQ(other.n_warnings(), 0);
}

TEST(SlidingWatch, WhereNoRuleIsToBeTakenTheRunEnds) {
  GrowTogether s(SlidingRule::reject), other(SlidingRule::reject, 0.0);
  s.run();
  EXPECT_EQ(s.report().outcome, Outcome::failed);
  const std::string& said = s.report().message;
  EXPECT_TRUE(said.starts_with("at t = ")) << said;
  EXPECT_NE(
      said.find(", on the surface of 'x > 0', 'y > 0': the motion on them depends on how their "
                "sides are mixed, and events.sliding_rule = reject"),
      std::string::npos)
      << said;
  EXPECT_LT(s.report().t_reached, 1.0);
  other.run();
  EXPECT_EQ(other.report().outcome, Outcome::finished) << other.report().message;
}

}  // namespace
}  // namespace saltus::hybrid_test
