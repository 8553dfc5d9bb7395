#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <ios>
#include <limits>
#include <random>
#include <sstream>

#include <gtest/gtest.h>

#include <saltus/io.hpp>
#include "unit/io/readers.hpp"
#include "unit/io/sample.hpp"

namespace saltus {
namespace {

using test::bits_of;
using test::difficult_trajectory;
using test::ForeignLocale;
using test::Json;
using test::JsonReader;

RunReport json_report() {
  RunReport report;
  report.model = "pendulum \"on\" a\tcart";
  report.outcome = Outcome::failed;
  report.failure = FailureCode::step_too_small;
  report.message = "at t = 0.2: line one\nline two";
  report.t_requested = std::numeric_limits<double>::infinity();
  report.t_reached = 0.2;
  report.options = {{"max_step", "inf", "inf", false}, {"rtol", "1e-09", "1e-06", true}};
  report.choices = {{"engine", "automatic", "radau", "the system is stiff"}};
  report.work = {{"swing", "radau", "dense", 4, {}}, {"rest", "ida", "sparse", 2, {}}};
  report.work[0].work.n_steps = 18446744073709551615U;
  report.work[1].work.n_jacobians = 7;
  report.work[1].work.last_step = 0.1;
  report.work[1].work.last_order = 3;
  report.invariants = {{"energy", "J", 1.5, 1.25, -0.5, 0.125}};
  report.warnings = {"one", "not UTF-8: \xff\xc0\xaf\xed\xa0\x80 \xe2\x82", "control \x01\x1f"};
  return report;
}

/// Numbers that do not read back to what the trajectory holds, with absent values as null.
int json_differences(const Json& json, const Trajectory& t) {
  int differences = json["times"].elements.size() != t.n_rows();
  for (std::uint32_t r = 0; r < t.n_rows(); ++r)
    differences += bits_of(json["times"][r].number) != bits_of(t.times()[r]);
  for (std::uint32_t i = 0; i < t.variables().size(); ++i) {
    const Json& values = json["values"][t.variables()[i].name];
    differences += values.elements.size() != t.n_rows();
    for (std::uint32_t r = 0; r < t.n_rows(); ++r) {
      if (t.present_in_row(i, r)) {
        differences += values[r].kind != Json::Kind::number ||
                       bits_of(values[r].number) != bits_of(t.row(r)[i]);
      } else {
        differences += values[r].kind != Json::Kind::null;
      }
    }
  }
  return differences;
}

TEST(Json, NumbersReadBackBitForBitInBothDirectionsOfTime) {
  for (bool backward : {false, true}) {
    const Trajectory t = difficult_trajectory(backward);
    const std::string text = to_json(t, json_report());
    EXPECT_EQ(json_differences(JsonReader::read(text)["trajectory"], t), 0);
    EXPECT_GT(
        json_differences(JsonReader::read(text)["trajectory"], difficult_trajectory(!backward)), 0);
    std::string changed = text;
    changed.replace(changed.rfind("1e+22"), 5, "1e+21");
    EXPECT_EQ(json_differences(JsonReader::read(changed)["trajectory"], t), 1);
  }
}

TEST(Json, VariablesAndSegmentsAreDescribed) {
  const Json json = JsonReader::read(to_json(difficult_trajectory(), json_report()))["trajectory"];
  const auto& names = test::difficult_names();
  ASSERT_EQ(json["variables"].elements.size(), names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(json["variables"][i]["name"].text, names[i]);
    EXPECT_EQ(json["variables"][i]["unit"].text, i == 0 ? "" : "m/s");
    EXPECT_EQ(json["variables"][i]["description"].text, "about \"" + names[i] + "\"");
  }
  ASSERT_EQ(json["segments"].elements.size(), 2U);
  const Json& second = json["segments"][1];
  EXPECT_EQ(second["mode"].text, "second, \"other\"");
  EXPECT_EQ(second["t_begin"].number, 0.3);
  EXPECT_EQ(second["t_end"].number, 1.0 / 3.0);
  EXPECT_EQ(second["first_row"].number, 3);
  EXPECT_EQ(second["n_rows"].number, 2);
  ASSERT_EQ(second["absent"].elements.size(), 1U);
  EXPECT_EQ(second["absent"][0].text, names[1]);
  EXPECT_TRUE(json["segments"][0]["absent"].elements.empty());
}

TEST(Json, AReportIsComplete) {
  const RunReport report = json_report();
  const Json json = JsonReader::read(to_json(report));
  EXPECT_EQ(json["model"].text, report.model);
  EXPECT_EQ(json["outcome"].text, "failed");
  EXPECT_EQ(json["failure"].text, "step_too_small");
  EXPECT_EQ(json["message"].text, report.message);
  EXPECT_EQ(json["t_begin"].number, 0);
  EXPECT_EQ(json["t_requested"].text, "inf");  // JSON has no such number
  EXPECT_EQ(json["t_reached"].number, 0.2);
  EXPECT_EQ(json["options"][0]["given"].text, "inf");
  EXPECT_FALSE(json["options"][0]["changed"].truth);
  EXPECT_EQ(json["options"][1]["name"].text, "rtol");
  EXPECT_EQ(json["options"][1]["default"].text, "1e-06");
  EXPECT_TRUE(json["options"][1]["changed"].truth);
  EXPECT_EQ(json["choices"][0]["used"].text, "radau");
  EXPECT_EQ(json["choices"][0]["reason"].text, "the system is stiff");
  EXPECT_EQ(json["work"][0]["linear_solver"].text, "dense");
  EXPECT_EQ(json["work"][1]["n_unknowns"].number, 2);
  EXPECT_EQ(json["work"][1]["counts"]["n_jacobians"].number, 7);
  EXPECT_EQ(json["invariants"][0]["name"].text, "energy");
  EXPECT_EQ(json["invariants"][0]["unit"].text, "J");
  EXPECT_EQ(json["invariants"][0]["initial"].number, 1.5);
  EXPECT_EQ(json["invariants"][0]["last"].number, 1.25);
  EXPECT_EQ(json["invariants"][0]["largest_deviation"].number, -0.5);
  EXPECT_EQ(json["invariants"][0]["t_largest"].number, 0.125);
  EXPECT_EQ(json["total_work"]["last_step"].number, 0.1);
  EXPECT_EQ(json["total_work"]["last_order"].number, 3);
  EXPECT_NE(to_json(report).find("\"n_steps\": 18446744073709551615"), std::string::npos);
  EXPECT_EQ(JsonReader::read(to_json(RunReport{}))["failure"].kind, Json::Kind::null);
}

TEST(Json, BytesThatAreNotUtf8AreReplacedOneByOne) {
  const Json json = JsonReader::read(to_json(json_report()));
  std::string expected = "not UTF-8: ";
  for (int i = 0; i < 6; ++i) expected += "\xef\xbf\xbd";
  expected += " \xef\xbf\xbd\xef\xbf\xbd";
  EXPECT_EQ(json["warnings"][1].text, expected);
  EXPECT_EQ(json["warnings"][2].text, "control \x01\x1f");
  // One step beyond each bound: longer than needed, a surrogate, above U+10FFFF, a lone continuation.
  for (const std::string wrong : {"\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf",
                                  "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\x80"}) {
    RunReport report;
    report.model = wrong;
    EXPECT_EQ(JsonReader::read(to_json(report))["model"].text.size(), 3 * wrong.size());
  }
  RunReport report;  // well formed: one, two, three and four bytes, each at its bounds
  report.model =
      "\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xed\x9f\xbf\xef\xbf\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf";
  EXPECT_EQ(JsonReader::read(to_json(report))["model"].text, report.model);
}

TEST(Json, TheReaderOfTheseTestsIsStrict) {
  for (const char* wrong :
       {"[1,]", "{\"a\":1,}", "[01]", "[.5]", "[1.]", "[nan]", "[inf]", "[-]", "\"\n\"", "[1] 2",
        "{\"a\":1,\"a\":2}", "[1", "\"a", "{a:1}", "", "[1e]"})
    EXPECT_THROW(JsonReader::read(wrong), std::runtime_error) << wrong;
  EXPECT_EQ(JsonReader::read(" [1, -0.5e+1, {\"a\": null}, true] ").elements.size(), 4U);
}

TEST(Json, NeitherLocaleNorFormatOfTheStreamMatters) {
  const Trajectory t = difficult_trajectory();
  const std::string plain = to_json(t, json_report());
  const ForeignLocale foreign;
  std::ostringstream out;
  out.imbue(ForeignLocale::locale());
  out << std::boolalpha << true << 1234.5;
  ASSERT_EQ(out.str(), "wahr1'234,5");  // the locale is in force
  out.str("");
  out << std::hex << std::scientific << std::showpos;
  out.precision(2);
  out.width(40);
  EXPECT_TRUE(write_json(t, json_report(), out));
  EXPECT_EQ(out.str(), plain);
  EXPECT_EQ(to_json(t, json_report()), plain);
}

TEST(Json, AFailedStreamIsReported) {
  std::ostringstream out;
  EXPECT_TRUE(write_json(difficult_trajectory(), json_report(), out));
  out.setstate(std::ios::badbit);
  EXPECT_FALSE(write_json(difficult_trajectory(), json_report(), out));
}

TEST(Json, AnEmptyTrajectoryIsWrittenToo) {
  const Json json = JsonReader::read(to_json(Trajectory(), RunReport{}));
  EXPECT_EQ(json["report"]["outcome"].text, "not_started");
  EXPECT_TRUE(json["trajectory"]["times"].elements.empty());
  EXPECT_TRUE(json["trajectory"]["values"].members.empty());
}

TEST(Json, LongTrajectoriesArriveWhole) {
  TrajectoryRecorder recorder({{"x", "", ""}});
  recorder.begin_segment("", 0);
  for (int k = 0; k < 40000; ++k) recorder.add_row(k / 3.0, std::vector<double>{k / 7.0});
  const Trajectory t = recorder.take();
  const std::string text = to_json(t, RunReport{});
  EXPECT_GT(text.size(), std::size_t{1} << 20);  // many pieces
  EXPECT_EQ(json_differences(JsonReader::read(text)["trajectory"], t), 0);
}

// A reader that is not ours. Python accepts NaN and Infinity unless told not to.
TEST(Json, PythonReadsIt) {
  const auto file = (std::filesystem::temp_directory_path() /
                     ("saltus_json_test_" + std::to_string(std::random_device()())))
                        .string();
  const std::string command =
      "python3 -c \"import json, sys; json.load(open(sys.argv[1], encoding='utf-8'), "
      "parse_constant=lambda name: sys.exit(3))\" " +
      file + " 2>/dev/null";
  auto accepted = [&](const std::string& text) {
    std::ofstream(file, std::ios::binary) << text;
    return std::system(command.c_str()) == 0;
  };
  EXPECT_TRUE(accepted(to_json(difficult_trajectory(), json_report())));
  EXPECT_FALSE(accepted("{\"x\": [1,]}"));
  EXPECT_FALSE(accepted("{\"x\": NaN}"));
  std::remove(file.c_str());
}

}  // namespace
}  // namespace saltus
