// Runs that stay on surfaces, in files.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <saltus/io.hpp>
#include "unit/io/readers.hpp"
#include "unit/trajectory/slide_log.hpp"

namespace saltus {
namespace {

using test::Json;
using test::JsonReader;
using test::read_csv;

/// Slides from 1 to 2 on one surface, and on two from 3 on.
Solution run_on_surfaces(std::vector<std::string> second = {"a > 0", "b > 0"}) {
  Solution solution;
  TrajectoryRecorder recorder(std::vector<VariableInfo>(1, VariableInfo{"v1", "", ""}));
  recorder.begin_segment("", 0);
  recorder.add_row(0.5, std::vector{5.0});
  recorder.begin_segment("", 1, {}, {"v1 > v2"});
  recorder.add_row(1.5, std::vector{6.0});
  recorder.begin_segment("", 2);
  recorder.add_row(2.5, std::vector{7.0});
  recorder.begin_segment("", 3, {}, std::move(second));
  recorder.add_row(3.5, std::vector{8.0});
  solution.trajectory = recorder.take();
  solution.event_log = test::slide_log();
  solution.report.outcome = Outcome::undecided;
  solution.report.events.counts = solution.event_log.counts();
  ModeVisit free, held;
  held.n_stays = 1;
  held.sliding = {"v1 > v2"};
  held.form = "mixed";
  solution.report.modes = {free, held};
  ModeWork work;
  work.sliding = held.sliding;
  solution.report.work = {ModeWork{}, work};
  return solution;
}

int text_differences(const Json& json, const std::vector<std::string>& texts) {
  int differences = json.elements.size() != texts.size();
  for (std::size_t k = 0; differences == 0 && k < texts.size(); ++k)
    differences += json[k].text != texts[k];
  return differences;
}

/// Fields of surfaces that do not read back to what the log holds.
int surface_differences(const Json& json, const EventInstant& instant) {
  int differences = text_differences(json["sliding_before"], instant.sliding_before) +
                    text_differences(json["sliding_after"], instant.sliding_after);
  const auto& ways = instant.surface_candidates;
  if (json["surface_candidates"].elements.size() != ways.size()) return 1000;
  for (std::size_t k = 0; k < ways.size(); ++k) {
    const Json& read = json["surface_candidates"][k];
    differences += read["text"].text != ways[k].text || read["verdict"].text != ways[k].verdict;
    differences += read["taken"].truth != ways[k].taken;
    differences += read["consistent"].truth != ways[k].consistent;
    if (read["motions"].elements.size() != ways[k].motions.size()) return 1000;
    for (std::size_t m = 0; m < ways[k].motions.size(); ++m) {
      const SurfaceMotion& motion = ways[k].motions[m];
      const Json& there = read["motions"][m];
      differences += there["relation"].text != motion.relation;
      differences += (there["truth"].kind == Json::Kind::null) == motion.truth.has_value();
      if (motion.truth) differences += there["truth"].truth != *motion.truth;
      differences += there["rate"].number != motion.rate;
      differences += there["multiplier"].number != motion.multiplier;
    }
  }
  return differences;
}

TEST(SlidingJson, InstantsReadBack) {
  const Solution solution = run_on_surfaces();
  const Json json = JsonReader::read(to_json(solution));
  for (std::size_t k = 0; k < 3; ++k)
    EXPECT_EQ(surface_differences(json["instants"][k], solution.instants()[k]), 0) << k;
  EventInstant other = solution.instants()[0];
  other.surface_candidates[2].motions[0].truth = true;
  other.surface_candidates[1].motions[0].rate = -other.surface_candidates[1].motions[0].rate;
  other.sliding_after = {"v2 > v1"};
  other.surface_candidates[0].consistent = true;
  // What is null has no truth either.
  EXPECT_EQ(surface_differences(json["instants"][0], other), 5);
  EXPECT_EQ(json["events"][0]["kind"].text, "enter_sliding");
  EXPECT_EQ(json["events"][1]["kind"].text, "exit_sliding");
}

TEST(SlidingJson, SegmentsAndReportKnowTheSurfaces) {
  const Solution solution = run_on_surfaces();
  const Json json = JsonReader::read(to_json(solution));
  const Json& segments = json["trajectory"]["segments"];
  for (std::size_t k = 0; k < 4; ++k)
    EXPECT_EQ(text_differences(segments[k]["sliding"], solution.trajectory.segments()[k].sliding),
              0);
  EXPECT_GT(text_differences(segments[1]["sliding"], {}), 0);
  const Json& report = json["report"];
  EXPECT_EQ(report["outcome"].text, "undecided");
  EXPECT_EQ(report["modes"][1]["sliding"][0].text, "v1 > v2");
  EXPECT_EQ(report["modes"][1]["form"].text, "mixed");
  EXPECT_EQ(text_differences(report["work"][1]["sliding"], {"v1 > v2"}), 0);
  EXPECT_TRUE(report["work"][0]["sliding"].elements.empty());
  EXPECT_TRUE(report["modes"][0]["sliding"].elements.empty());
  EXPECT_EQ(report["events"]["of_kind"]["enter_sliding"].number, 2);
  EXPECT_EQ(report["events"]["of_kind"]["exit_sliding"].number, 1);
}

TEST(SlidingCsv, ASpreadsheetCanFilterBySurfaces) {
  const auto rows = read_csv(to_csv(run_on_surfaces()));
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_EQ(rows[0], (std::vector<std::string>{"time", "v1", "sliding"}));
  EXPECT_EQ(rows[1][2], "");
  EXPECT_EQ(rows[2][2], "v1 > v2");
  EXPECT_EQ(rows[3][2], "");
  EXPECT_EQ(rows[4][2], "a > 0; b > 0");
  // Not one that is empty throughout.
  Solution never;
  TrajectoryRecorder recorder(std::vector<VariableInfo>(1, VariableInfo{"v1", "", ""}));
  recorder.begin_segment("", 0);
  recorder.add_row(0, std::vector{1.0});
  never.trajectory = recorder.take();
  EXPECT_EQ(read_csv(to_csv(never))[0], (std::vector<std::string>{"time", "v1"}));
}

TEST(SlidingCsv, EventsHaveSurfacesAndTheWaysToGoOn) {
  const auto rows = read_csv(events_to_csv(run_on_surfaces()));
  ASSERT_EQ(rows.size(), 4U);
  const auto cell = [&](std::size_t row, const std::string& title) {
    for (std::size_t c = 0; c < rows[0].size(); ++c)
      if (rows[0][c] == title) return rows[row][c];
    return std::string("no such column");
  };
  EXPECT_EQ(cell(1, "kind"), "enter_sliding");
  EXPECT_EQ(cell(1, "sliding before"), "");
  EXPECT_EQ(cell(1, "sliding after"), "v1 > v2");
  EXPECT_EQ(cell(1, "ways to go on"),
            "sliding on v1 > v2: taken; v1 > v2 true: v1 > v2 does not stay true: it moves at "
            "-0.3; v1 > v2 false: v1 > v2 does not stay false: it moves at 0.5");
  EXPECT_EQ(cell(2, "sliding before"), "v1 > v2");
  EXPECT_EQ(cell(2, "what changed"), "now true");
  EXPECT_EQ(cell(3, "sliding after"), "a > 0; b > 0");
}

}  // namespace
}  // namespace saltus
