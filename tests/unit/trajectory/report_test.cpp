#include <algorithm>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include <saltus/trajectory.hpp>

namespace saltus {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

RunReport two_modes() {
  RunReport report;
  report.model = "tank";
  report.outcome = Outcome::finished;
  report.t_requested = report.t_reached = 10;
  report.wall_time_s = 0.0123456;
  report.options = {{"rtol", "1e-09", "1e-06", true}, {"max_step", "inf", "inf", false}};
  report.choices = {{"engine", "automatic", "radau", "the system is stiff"},
                    {"output.points", "", "100", ""}};
  WorkCounts a, b;
  a.n_steps = 12;
  a.n_evaluations = 340;
  a.last_step = 0.123456;
  a.last_order = 5;
  b.n_steps = 30;
  b.n_error_failures = 2;
  b.next_step = 0.25;
  b.next_order = 4;
  report.work = {{"f\xc3\xbcllen", "radau", "dense", 3, a}, {"overflow", "ida", "", 2, b}};
  return report;
}

TEST(Report, SumsWorkOverModes) {
  const WorkCounts total = two_modes().total_work();
  EXPECT_EQ(total.n_steps, 42U);
  EXPECT_EQ(total.n_evaluations, 340U);
  EXPECT_EQ(total.n_error_failures, 2U);
  EXPECT_EQ(total.next_order, 4);  // of the later work
  EXPECT_EQ(RunReport{}.total_work().n_steps, 0U);
}

TEST(Report, EveryOutcomeHasAName) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(Outcome::undecided); ++i)
    names.insert(name(static_cast<Outcome>(i)));
  EXPECT_EQ(names.size(), 10U);
  EXPECT_FALSE(names.contains("unknown"));
  EXPECT_TRUE(two_modes().ok());
  EXPECT_FALSE(RunReport{}.ok());
}

TEST(Report, TheFirstSentenceIsTheOutcome) {
  auto first_line = [](const RunReport& report) {
    const std::string text = to_text(report);
    return text.substr(0, text.find('\n'));
  };
  RunReport report = two_modes();
  EXPECT_EQ(first_line(report), "The run of 'tank' finished: from t = 0 to t = 10.");
  report.t_reached = 2.5;
  report.outcome = Outcome::stopped;
  EXPECT_EQ(first_line(report),
            "The run of 'tank' was stopped on request at t = 2.5, before t = 10.");
  report.outcome = Outcome::step_limit;
  EXPECT_EQ(first_line(report),
            "The run of 'tank' ended at t = 2.5, before t = 10: as many steps as limits.max_steps "
            "allows.");
  report.outcome = Outcome::failed;
  report.failure = FailureCode::step_too_small;
  report.message = "equation 'flow' is out of its domain.";
  EXPECT_EQ(
      first_line(report),
      "The run of 'tank' failed at t = 2.5, before t = 10 (step_too_small): equation 'flow' is "
      "out of its domain.");
  report = {};
  EXPECT_EQ(first_line(report), "The run did not start at t = 0.");
}

TEST(Report, ShowsChoicesAndOnlyThoseOptionsThatDiffer) {
  const std::string text = to_text(two_modes());
  EXPECT_TRUE(contains(text, "\nWall time 0.0123 s.\n"));
  EXPECT_TRUE(contains(text, "  engine: radau (given automatic), the system is stiff\n"));
  EXPECT_TRUE(contains(text, "  output.points: 100\n"));
  EXPECT_TRUE(contains(text, "  rtol = 1e-09 (default 1e-06)\n"));
  EXPECT_FALSE(contains(text, "max_step"));
  RunReport plain = two_modes();
  plain.options[0].changed = false;
  plain.choices.clear();
  plain.warnings = {"two start values were changed"};
  EXPECT_FALSE(contains(to_text(plain), "rtol"));
  EXPECT_FALSE(contains(to_text(plain), "Options"));
  EXPECT_FALSE(contains(to_text(plain), "Chosen"));
  EXPECT_TRUE(contains(to_text(plain), "\nWarning: two start values were changed\n"));
}

/// The table after "Work:".
std::string table_of(const RunReport& report) {
  const std::string text = to_text(report);
  return text.substr(text.find("Work:\n") + 6);
}

TEST(Report, TheTableOfWorkHasAColumnPerModeAndATotal) {
  // The second byte of an umlaut takes no room on the screen.
  EXPECT_EQ(table_of(two_modes()),
            "  mode                  f\xc3\xbcllen  overflow  total\n"
            "  engine                 radau       ida\n"
            "  linear solver          dense         -\n"
            "  unknowns                   3         2\n"
            "  steps                     12        30     42\n"
            "  error-test failures        0         2      2\n"
            "  convergence failures       0         0      0\n"
            "  evaluations              340         0    340\n"
            "  Jacobians                  0         0      0\n"
            "  factorisations             0         0      0\n"
            "  Newton iterations          0         0      0\n"
            "  starts                     0         0      0\n"
            "  last step              0.123         0\n"
            "  next step                  0      0.25\n"
            "  last order                 5         0\n"
            "  next order                 0         4\n");
  RunReport single = two_modes();
  single.work.resize(1);
  EXPECT_FALSE(contains(table_of(single), "total"));  // no total of one
}

TEST(Report, ManyModesContinueBelow) {
  RunReport report = two_modes();
  for (int i = 0; i < 10; ++i) report.work.push_back(report.work[0]);
  const std::string table = table_of(report);
  std::size_t longest = 0, blocks = 0;
  for (std::size_t at = 0; at < table.size();) {
    const std::size_t end = table.find('\n', at);
    longest = std::max(longest, end - at);
    blocks += table.compare(at, 6, "  mode") == 0;
    at = end + 1;
  }
  EXPECT_EQ(blocks, 3U);  // 12 modes and the total, six beside each other
  EXPECT_LT(longest, 80U);
}

TEST(Report, RareCountsGetALineOnlyIfThereAreAny) {
  RunReport report = two_modes();
  EXPECT_FALSE(contains(table_of(report), "refused points"));
  EXPECT_FALSE(contains(table_of(report), "set to zero"));
  report.work[1].work.n_refused_points = 3;
  report.work[0].work.n_corrections = 1;
  EXPECT_TRUE(contains(table_of(report), "refused points"));
  EXPECT_TRUE(contains(table_of(report), "set to zero"));
}

}  // namespace
}  // namespace saltus
