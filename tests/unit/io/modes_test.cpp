// Runs through several modes in files: transitions, and variables that some modes do not have.
#include <algorithm>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include <saltus/io.hpp>
#include "unit/io/readers.hpp"
#include "unit/trajectory/transition_log.hpp"

namespace saltus {
namespace {

using test::Json;
using test::JsonReader;
using test::read_csv;

constexpr double not_there = std::numeric_limits<double>::quiet_NaN();

/// The run of transition_log(): iD exists until 0.25, uD from then on. Places of absent variables hold
/// what must never be seen.
Solution run_through_modes() {
  Solution solution;
  TrajectoryRecorder recorder({{"i", "A", ""}, {"iD", "A", ""}, {"uD", "V", ""}, {"phi", "", ""}});
  recorder.begin_segment("conducting, open", 0, {1, 1, 0, 1});
  recorder.add_row(0, std::vector<double>{1, 2, not_there, 4});
  recorder.add_row(0.25, std::vector<double>{1, 2, not_there, 5});
  recorder.begin_segment("blocking, closed", 0.25, {1, 0, 1, 1});
  recorder.add_row(0.25, std::vector<double>{1, not_there, 3, 5});
  solution.trajectory = recorder.take();
  solution.event_log.set_variables({"i", "iD", "uD", "phi"});
  test::BounceParts closing = test::closing_parts();
  closing.instant.x_minus[2] = closing.instant.x_plus[1] = not_there;
  solution.event_log.add(closing.instant, closing.events, true);
  EventInstant unflagged;
  unflagged.t = 0.5;
  unflagged.x_minus = {1, not_there, 3, 5};
  unflagged.x_plus = {not_there, 2, 3, 5};
  solution.event_log.add(unflagged, {test::made_event("x > 0", EventKind::state, 0.5, 1)}, true);
  solution.report.events.counts = test::transition_log().counts();
  solution.report.event_names = {"close", "reopen"};
  solution.report.modes = {{"conducting, open", 2, 1, 0.25, 1, 3, "(1, 1, 6, 0, 0)"},
                           {"blocking, closed", 1, 0, 0.75, 0, 0, ""}};
  return solution;
}

int impulse_differences(const Json& json, const std::vector<ImpulseRecord>& impulses) {
  int differences = json.elements.size() != impulses.size();
  for (std::size_t k = 0; differences == 0 && k < impulses.size(); ++k) {
    differences += json[k]["variable"].text != impulses[k].variable;
    differences += json[k]["unit"].text != impulses[k].unit;
    differences += json[k]["order"].number != impulses[k].order;
    differences += json[k]["strength"].number != impulses[k].strength;
  }
  return differences;
}

/// Fields of a transition that do not read back to what the log holds.
int transition_differences(const Json& json, const EventInstant& instant) {
  if (json["candidates"].elements.size() != instant.candidates.size()) return 1000;
  if (json["conserved"].elements.size() != instant.conserved.size()) return 1000;
  int differences = impulse_differences(json["impulses"], instant.impulses);
  for (std::size_t k = 0; k < instant.candidates.size(); ++k) {
    const CandidateRecord& c = instant.candidates[k];
    const Json& read = json["candidates"][k];
    differences += read["mode"].text != c.mode || read["transition"].text != c.transition;
    differences += read["micro_step"].number != c.micro_step;
    differences += read["taken"].truth != c.taken || read["passed"].truth != c.passed;
    differences += read["verdict"].text != c.verdict;
    differences += impulse_differences(read["impulses"], c.impulses);
  }
  for (std::size_t k = 0; k < instant.conserved.size(); ++k) {
    const ConservedRecord& c = instant.conserved[k];
    const Json& read = json["conserved"][k];
    differences += read["name"].text != c.name || read["unit"].text != c.unit;
    differences += read["before"].number != c.before || read["after"].number != c.after;
    differences += read["kept"].truth != c.kept;
  }
  return differences;
}

TEST(ModesJson, TransitionsReadBack) {
  const Solution solution = run_through_modes();
  const std::string text = to_json(solution);
  const EventInstant& instant = solution.instants()[0];
  EXPECT_EQ(transition_differences(JsonReader::read(text)["instants"][0], instant), 0);
  std::string changed = text;
  changed.replace(changed.find("\"verdict\": \"it"), 14, "\"verdict\": \"so");
  EXPECT_EQ(transition_differences(JsonReader::read(changed)["instants"][0], instant), 1);
  EventInstant other = instant;
  other.impulses[0].order = 1;
  other.candidates[1].passed = true;
  other.conserved[1].kept = true;
  EXPECT_EQ(transition_differences(JsonReader::read(text)["instants"][0], other), 3);
}

TEST(ModesJson, TheReportHasItsModesNamesAndCounts) {
  const Json report = JsonReader::read(to_json(run_through_modes().report));
  const Json& mode = report["modes"][0];
  EXPECT_EQ(mode["mode"].text, "conducting, open");
  EXPECT_EQ(mode["n_stays"].number, 2);
  EXPECT_EQ(mode["n_tentative"].number, 1);
  EXPECT_EQ(mode["duration"].number, 0.25);
  EXPECT_EQ(mode["n_analyses"].number, 1);
  EXPECT_EQ(mode["n_reductions"].number, 3);
  EXPECT_EQ(mode["values"].text, "(1, 1, 6, 0, 0)");
  EXPECT_EQ(report["modes"].elements.size(), 2U);
  EXPECT_EQ(report["event_names"][1].text, "reopen");
  EXPECT_EQ(report["events"]["n_rejected"].number, 2);
  EXPECT_EQ(report["events"]["n_passed"].number, 1);
  EXPECT_EQ(report["events"]["n_impulses"].number, 1);
  EXPECT_EQ(report["events"]["n_not_conserved"].number, 1);
}

/// Presence of every recorded value and limit, as JSON has it.
int mask_differences(const Json& json, const Solution& solution) {
  const auto is_null = [](const Json& value) { return value.kind == Json::Kind::null; };
  const Trajectory& t = solution.trajectory;
  int differences = 0;
  for (std::uint32_t v = 0; v < t.variables().size(); ++v) {
    const std::string& name = t.variables()[v].name;
    const MaskedColumn column = t.masked_column(name);
    for (std::uint32_t r = 0; r < t.n_rows(); ++r) {
      const Json& value = json["trajectory"]["values"][name][r];
      differences += is_null(value) == (column.present[r] != 0);
      differences += !is_null(value) && value.number != column.values[r];
    }
    for (std::size_t k = 0; k < solution.instants().size(); ++k) {
      const EventInstant& instant = solution.instants()[k];
      differences += is_null(json["instants"][k]["x_minus"][name]) == instant.exists_before(v);
      differences += is_null(json["instants"][k]["x_plus"][name]) == instant.exists_after(v);
    }
  }
  return differences;
}

TEST(ModesJson, MasksReadBack) {
  const Solution solution = run_through_modes();
  const std::string text = to_json(solution);
  EXPECT_EQ(mask_differences(JsonReader::read(text), solution), 0);
  EXPECT_EQ(JsonReader::read(text)["trajectory"]["segments"][1]["absent"][0].text, "iD");
  std::string changed = text;  // the first row of uD
  changed.replace(changed.find("[null, null, 3]"), 15, "[0.0, null, 3]");
  EXPECT_EQ(mask_differences(JsonReader::read(changed), solution), 1);
}

TEST(ModesCsv, AbsentValuesAreEmptyFields) {
  const Solution solution = run_through_modes();
  const auto rows = read_csv(to_csv(solution));
  EXPECT_EQ(rows[1], (std::vector<std::string>{"0", "1", "2", "", "4", "conducting, open"}));
  EXPECT_EQ(rows[3], (std::vector<std::string>{"0.25", "1", "", "3", "5", "blocking, closed"}));
  const auto table = read_csv(events_to_csv(solution));
  const auto cell = [&](std::size_t row, const std::string& column) {
    const auto at = std::ranges::find(table[0], column);
    EXPECT_NE(at, table[0].end()) << column;
    return table[row].at(static_cast<std::size_t>(at - table[0].begin()));
  };
  EXPECT_EQ(cell(2, "iD before [A]"), "2");
  EXPECT_EQ(cell(2, "iD after [A]"), "");
  EXPECT_EQ(cell(2, "uD before [V]"), "");
  EXPECT_EQ(cell(2, "uD after [V]"), "3");
  EXPECT_EQ(cell(3, "iD before [A]"), "");
  EXPECT_EQ(cell(3, "i after [A]"), "");
  EXPECT_EQ(cell(2, "impulses"), "uL: -0.2453 (order 0)");
  EXPECT_EQ(
      cell(2, "modes tried"),
      "conducting, closed: rejected, it requires iD >= 0, but iD gets an impulse of -0.2453 A "
      "s; blocking, closed: taken");
  EXPECT_EQ(cell(2, "conserved"), "charge: 1.5 -> 1.5; momentum: 3 -> 2.5 (not kept)");
  for (const auto& record : table) EXPECT_EQ(record.size(), table[0].size());
}

/// "nan", whatever case and wherever it stands; no word of the run has these letters in it.
bool has_nan(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
  return text.find("nan") != std::string::npos;
}

TEST(Modes, NoFormatKnowsANumberThatIsNone) {
  const Solution solution = run_through_modes();
  std::vector<std::string> texts{to_json(solution),        to_csv(solution),
                                 events_to_csv(solution),  to_json(solution.report),
                                 to_text(solution.report), to_text(solution.event_log)};
  for (const Event& event : solution.events()) texts.push_back(solution.explain(event));
  for (const std::string& text : texts) EXPECT_FALSE(has_nan(text)) << text;
  // Twin: one value of a variable that does exist.
  TrajectoryRecorder recorder({{"i", "A", ""}});
  recorder.begin_segment("", 0);
  recorder.add_row(0, std::vector<double>{not_there});
  const Trajectory broken = recorder.take();
  EXPECT_TRUE(has_nan(to_csv(broken)));
  EXPECT_TRUE(has_nan(to_json(broken, RunReport{})));
}

}  // namespace
}  // namespace saltus
