// A run ends once, whatever else would end it at the same instant.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include <saltus/simulate.hpp>

namespace saltus {
namespace {

using HybridRun = Run;  // GoogleTest has one of its own

/// x rises to 1; a map takes it to 3, out of its range [-2, 2].
void leave_range(Model& m) {
  const Expr x = m.state("x", 0.0, {.min = -2.0, .max = 2.0});
  const ModeId up = m.mode("up"), down = m.mode("down");
  m.equation(up, der(x) == 1.0);
  m.equation(down, der(x) == -1.0);
  m.transition("top", up, down, x > 1.0, {.maps = {{x, 3.0}}});
}

RunOptions with_limit(int max_events, RangePolicy range) {
  RunOptions options;
  options.t_end = 2.0;
  options.limits.max_events = max_events;
  options.events.range = range;
  return options;
}

TEST(Controller, ARangeThatIsLeftComesBeforeTheLimitOfEventsThatIsUsedUp) {
  Model m("out of range");
  leave_range(m);
  for (const int max_events : {0, 1}) {
    const Solution s = simulate(m, with_limit(max_events, RangePolicy::stop));
    EXPECT_EQ(s.report.outcome, Outcome::terminal_event) << s.report.message;
    EXPECT_NE(s.report.message.find("events.range = stop"), std::string::npos) << s.report.message;
    std::vector<std::string> choices;
    for (const DecisionRecord& choice : s.report.choices)
      choices.push_back(choice.name + ": " + choice.reason);
    for (const std::string& choice : choices)
      EXPECT_EQ(std::ranges::count(choices, choice), 1) << choice;
    for (const std::string& warning : s.report.warnings)
      EXPECT_EQ(std::ranges::count(s.report.warnings, warning), 1) << warning;
  }
}

TEST(Controller, WithoutARangeThatStopsTheLimitOfEventsCounts) {
  Model m("out of range");
  leave_range(m);
  const Solution s = simulate(m, with_limit(1, RangePolicy::ignore));
  EXPECT_EQ(s.report.outcome, Outcome::event_limit) << s.report.message;
}

/// Actions of the last instant are carried out once each, also if one of them sets off a clause that ends the run.
TEST(Controller, ActionsOfTheLastInstantAreCarriedOutOnce) {
  Model m("last actions");
  const Expr x = m.state("x", 0.0);
  const Expr n = m.discrete("n", 0.0), total = m.discrete("total", 0.0);
  m.equation(der(x) == 1.0);
  m.at_end("first", {{n, pre(n) + 1.0}});
  m.at_end("second", {{total, pre(total) + 1.0}});
  m.terminate_when("enough", n > 0.5);
  RunOptions options;
  options.t_end = 1.0;
  const Solution s = simulate(m, options);
  EXPECT_EQ(s.report.outcome, Outcome::terminal_event) << s.report.message;
  EXPECT_EQ(s.final("n"), 1.0);
  EXPECT_EQ(s.final("total"), 1.0);
}

/// A mode is made when it is first entered. If it cannot have the engine that was asked for, the run ends there, with what
/// was computed before.
TEST(Controller, AnEngineThatALaterModeCannotHaveEndsTheRun) {
  Model m("later");
  const Expr x = m.state("x", 0.0), y = m.algebraic("y");
  const ModeId up = m.mode("up"), held = m.mode("held");
  m.equation(y == x * x);
  m.equation(up, der(x) == 1.0);
  m.equation(held, 0.5 * x + y == 1.5);
  m.transition("top", up, held, x > 1.0);
  RunOptions options;
  options.t_end = 2.0;
  options.mode_engine = {{"held", EngineKind::dopri5}};
  HybridRun run = start_run(m, options);
  while (run.advance()) {
  }
  const Solution s = run.finish();
  EXPECT_EQ(s.report.outcome, Outcome::failed);
  EXPECT_NE(s.report.message.find("option 'engine'"), std::string::npos) << s.report.message;
  EXPECT_NEAR(s.trajectory.t_end(), 1.0, 1e-6);
}

}  // namespace
}  // namespace saltus
