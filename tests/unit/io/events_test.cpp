// Events in files.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include <saltus/io.hpp>
#include "unit/io/readers.hpp"
#include "unit/trajectory/bounce_log.hpp"

namespace saltus {
namespace {

using test::Json;
using test::JsonReader;
using test::read_csv;

/// The ball of bounce_log(): rows at both sides of the impact.
Solution bounce_solution() {
  Solution solution;
  TrajectoryRecorder recorder({{"h", "m", "height"}, {"v, speed", "m/s", ""}});
  recorder.begin_segment("flight", 0);
  recorder.add_row(0, std::vector<double>{1, 0});
  recorder.add_row(0.5, std::vector<double>{1e-12, -4.5});
  recorder.begin_segment("flight", 0.5);
  recorder.add_row(0.5, std::vector<double>{1e-12, 3.6});
  recorder.add_row(2, std::vector<double>{0.5, -1});
  solution.trajectory = recorder.take();
  solution.event_log = test::bounce_log();
  solution.report.outcome = Outcome::terminal_event;
  solution.report.events.counts = solution.event_log.counts();
  solution.report.events.n_located = 2;
  solution.report.events.n_evaluations_locate = 70;
  solution.report.events.n_evaluations_iterate = 12;
  solution.report.events.n_continued = 4;
  solution.report.events.n_evaluations_one_sided = 7;
  solution.report.events.n_one_sided_steps = 1;
  solution.report.switches = {{"h <= 0", 100, 90, 8, 2, 420, 1, 3}};
  solution.report.marginal = {{"h <= 0", 1.25, 1.5, 1.375, 1e-9, 2e-9}};
  return solution;
}

/// Fields of the events that do not read back to what the log holds.
int event_differences(const Json& json, const EventLog& log) {
  const Json& events = json["events"];
  if (events.elements.size() != log.events().size()) return 1000;
  int differences = 0;
  for (std::size_t k = 0; k < log.events().size(); ++k) {
    const Event& e = log.events()[k];
    const Json& j = events[k];
    differences += j["t"].number != e.t;
    differences += j["instant"].number != e.instant;
    differences += j["micro_step"].number != e.micro_step;
    differences += j["kind"].text != name(e.kind);
    differences += j["name"].text != e.name;
    differences += j["text"].text != e.text;
    differences += j["direction"].number != e.direction;
    differences += j["guarantee"].text != guarantee_word(e);
    differences += j["time_width"].number != e.time_width;
    differences += j["hysteresis"].number != e.hysteresis || j["waited"].truth != e.waited;
    differences += j["cause"].text != e.cause;
    differences += j["terminal"].truth != e.terminal;
    differences += j["note"].text != e.note;
  }
  return differences;
}

int instant_differences(const Json& json, const Solution& solution) {
  const auto instants = solution.instants();
  if (json["instants"].elements.size() != instants.size()) return 1000;
  int differences = 0;
  for (std::size_t k = 0; k < instants.size(); ++k) {
    const EventInstant& i = instants[k];
    const Json& j = json["instants"][k];
    differences += j["t"].number != i.t;
    differences += j["mode_before"].text != i.mode_before || j["mode_after"].text != i.mode_after;
    differences += j["first_event"].number != i.first_event || j["n_events"].number != i.n_events;
    differences += j["n_micro_steps"].number != i.n_micro_steps;
    differences += j["n_iterations"].number != i.n_iterations;
    differences += j["restarted"].truth != i.restarted || j["near_side"].truth != i.near_side;
    for (std::size_t l = 0; l < i.locks.size(); ++l) {
      const Json& lock = j["locks"][l];
      differences += lock["relation"].text != i.locks[l].relation ||
                     lock["before"].truth != i.locks[l].before ||
                     lock["after"].truth != i.locks[l].after;
    }
    differences += j["jumps"].elements.size() != i.jumps.size();
    for (std::size_t l = 0; l < i.jumps.size(); ++l) {
      const Jump& jump = i.jumps[l];
      const Json& read = j["jumps"][l];
      differences += read["variable"].text != jump.variable || read["unit"].text != jump.unit;
      differences += read["before"].number != jump.before || read["after"].number != jump.after;
      differences += read["cause"].text != name(jump.cause) || read["by"].text != jump.by;
      differences += read["discrete"].truth != jump.discrete;
      differences += read["micro_step"].number != jump.micro_step;
      differences += read["in_tolerances"].number != jump.in_tolerances;
    }
    for (std::size_t v = 0; v < i.x_minus.size(); ++v) {
      const std::string& variable = solution.trajectory.variables()[v].name;
      differences += j["x_minus"][variable].number != i.x_minus[v];
      differences += j["x_plus"][variable].number != i.x_plus[v];
    }
  }
  return differences;
}

TEST(EventsJson, TheWholeLogReadsBack) {
  const Solution solution = bounce_solution();
  const std::string text = to_json(solution);
  const Json json = JsonReader::read(text);
  EXPECT_EQ(event_differences(json, solution.event_log), 0);
  EXPECT_EQ(instant_differences(json, solution), 0);
  EXPECT_EQ(json["n_events_not_kept"].number, 0);
  std::string changed = text;  // one digit of the right limit of the speed
  changed.replace(changed.rfind("3.6"), 3, "3.5");
  EXPECT_EQ(instant_differences(JsonReader::read(changed), solution), 1);
  changed = text;
  changed.replace(changed.find("\"heuristic\",\n   \"time_width\""), 11, "\"proven\"");
  EXPECT_EQ(event_differences(JsonReader::read(changed), solution.event_log), 1);
}

TEST(EventsJson, TheReportHasCountsPerRelationAndPerKind) {
  const Solution solution = bounce_solution();
  const Json report = JsonReader::read(to_json(solution.report));
  const Json& watched = report["switches"][0];
  EXPECT_EQ(watched["name"].text, "h <= 0");
  EXPECT_EQ(watched["n_steps"].number, 100);
  EXPECT_EQ(watched["n_proven"].number, 90);
  EXPECT_EQ(watched["n_heuristic"].number, 8);
  EXPECT_EQ(watched["n_marginal"].number, 2);
  EXPECT_EQ(watched["n_evaluations"].number, 420);
  EXPECT_EQ(watched["n_events"].number, 1);
  EXPECT_EQ(watched["n_flips"].number, 3);
  const Json& mark = report["marginal"][0];
  EXPECT_EQ(mark["relation"].text, "h <= 0");
  EXPECT_EQ(mark["t_from"].number, 1.25);
  EXPECT_EQ(mark["t_to"].number, 1.5);
  EXPECT_EQ(mark["t"].number, 1.375);
  EXPECT_EQ(mark["distance"].number, 1e-9);
  EXPECT_EQ(mark["error"].number, 2e-9);
  const Json& events = report["events"];
  EXPECT_EQ(events["of_kind"].members.size(), n_event_kinds);
  EXPECT_EQ(events["of_kind"]["action"].number, 3);
  EXPECT_EQ(events["of_kind"]["lock"].number, 1);
  EXPECT_EQ(events["n_instants"].number, 4);
  EXPECT_EQ(events["n_interruptions"].number, 2);
  EXPECT_EQ(events["n_restarts"].number, 2);
  EXPECT_EQ(events["n_micro_steps"].number, 3);
  EXPECT_EQ(events["n_iterations"].number, 3);
  EXPECT_EQ(events["n_heuristic"].number, 1);
  EXPECT_EQ(events["n_marginal"].number, 1);
  EXPECT_EQ(events["n_simultaneous"].number, 0);
  EXPECT_EQ(events["n_located"].number, 2);
  EXPECT_EQ(events["n_evaluations_locate"].number, 70);
  EXPECT_EQ(events["n_evaluations_iterate"].number, 12);
  EXPECT_EQ(events["n_continued"].number, 4);
  EXPECT_EQ(events["n_evaluations_one_sided"].number, 7);
  EXPECT_EQ(events["n_one_sided_steps"].number, 1);
  EXPECT_FALSE(events["off"].truth);
  EXPECT_FALSE(events["all_transitions_smooth"].truth);
  EXPECT_EQ(events["smoothness"].text, smoothness_sentence(solution.report));
  EXPECT_TRUE(JsonReader::read(to_json(RunReport{}))["events"]["all_transitions_smooth"].truth);
}

TEST(EventsJson, WithoutALogEventsAreOpenNotNone) {
  const Solution solution = bounce_solution();
  const Json json = JsonReader::read(to_json(solution.trajectory, solution.report));
  for (const char* key : {"events", "instants", "n_events_not_kept"})
    EXPECT_EQ(json[key].kind, Json::Kind::null) << key;
  Solution counted = bounce_solution();
  counted.event_log = test::bounce_log(false);
  const Json none = JsonReader::read(to_json(counted));
  EXPECT_TRUE(none["events"].elements.empty());
  EXPECT_EQ(none["n_events_not_kept"].number, 7);
}

TEST(EventsCsv, RowsHaveBothLimitsAtAnEvent) {
  const auto rows = read_csv(to_csv(bounce_solution()));
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_EQ(rows[2], (std::vector<std::string>{"0.5", "1e-12", "-4.5"}));
  EXPECT_EQ(rows[3], (std::vector<std::string>{"0.5", "1e-12", "3.6"}));
}

TEST(EventsCsv, OneLinePerEventWithTheLimitsOfItsInstant) {
  const Solution solution = bounce_solution();
  const auto table = read_csv(events_to_csv(solution));
  ASSERT_EQ(table.size(), 1 + solution.events().size());
  const std::vector<std::string>& header = table[0];
  EXPECT_EQ(std::set<std::string>(header.begin(), header.end()).size(), header.size());
  const auto cell = [&](std::size_t row, const std::string& column) {
    const auto at = std::ranges::find(header, column);
    EXPECT_NE(at, header.end()) << column;
    return table[row].at(static_cast<std::size_t>(at - header.begin()));
  };
  for (const auto& record : table) EXPECT_EQ(record.size(), header.size());
  EXPECT_EQ(cell(1, "time"), "0.5");
  EXPECT_EQ(cell(1, "kind"), "state");
  EXPECT_EQ(cell(1, "name"), "h <= 0");
  EXPECT_EQ(cell(1, "direction"), "-1");
  EXPECT_EQ(cell(1, "locks"), "h <= 0: false -> true; v > 0: false -> true");
  EXPECT_EQ(cell(1, "restarted"), "true");
  EXPECT_EQ(cell(2, "cause"), "h <= 0");
  EXPECT_EQ(cell(2, "what changed"), "v: -4.5 -> 3.6 m/s");
  EXPECT_EQ(cell(2, "micro step"), "1");
  EXPECT_EQ(cell(2, "guarantee"), "-");  // it followed: nothing was looked for
  for (std::size_t row : {1, 2, 3}) {
    EXPECT_EQ(cell(row, "instant"), "0");
    EXPECT_EQ(cell(row, "v, speed before [m/s]"), "-4.5");
    EXPECT_EQ(cell(row, "v, speed after [m/s]"), "3.6");
  }
  EXPECT_EQ(cell(4, "guarantee"), "heuristic");
  EXPECT_EQ(cell(4, "instant"), "1");
  EXPECT_EQ(cell(4, "v, speed after [m/s]"), "");  // not recorded
  EXPECT_EQ(cell(7, "terminal"), "true");
  EXPECT_EQ(cell(7, "note"), "long enough");
}

TEST(EventsCsv, AFailedStreamIsReported) {
  std::ostringstream out;
  EXPECT_TRUE(write_events_csv(bounce_solution(), out));
  EXPECT_EQ(out.str(), events_to_csv(bounce_solution()));
  out.setstate(std::ios::badbit);
  EXPECT_FALSE(write_events_csv(bounce_solution(), out));
  EXPECT_FALSE(write_json(bounce_solution(), out));
}

}  // namespace
}  // namespace saltus
