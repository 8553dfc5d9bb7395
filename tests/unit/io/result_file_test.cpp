// Results in files: what is read is what was written.
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include <saltus/io.hpp>
#include "results/models.hpp"
#include "unit/io/sample.hpp"

#ifdef __SANITIZE_ADDRESS__
// libhdf5 1.10 loses memory of its own where it gives up a broken file.
extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5"; }
#endif

namespace saltus {
namespace {

using test::bits_of;

/// A folder of its own per test, removed at its end.
class ResultFiles : public testing::Test {
 protected:
  ResultFiles() {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() /
              (std::string("saltus_") + info->test_suite_name() + "_" + info->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~ResultFiles() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::size_t n_files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder_),
                                                  std::filesystem::directory_iterator{}));
  }
  void write(const std::string& name, const std::string& content) const {
    std::ofstream(path(name), std::ios::binary) << content;
  }
  std::string refusal(const std::string& name) const {
    try {
      load_result(path(name));
    } catch (const FileError& error) {
      return error.what();
    }
    return "";
  }

 private:
  std::filesystem::path folder_;
};

/// Numbers that are not the same bits, or not present in both.
int different_values(const ResultTable& a, const ResultTable& b) {
  if (a.columns.size() != b.columns.size() || a.times.size() != b.times.size()) return -1;
  int n = 0;
  for (std::size_t r = 0; r < a.times.size(); ++r) {
    n += bits_of(a.times[r]) != bits_of(b.times[r]);
    for (std::size_t i = 0; i < a.columns.size(); ++i) {
      const bool there = a.columns[i].exists(r);
      n += there != b.columns[i].exists(r) ||
           (there && bits_of(a.columns[i].values[r]) != bits_of(b.columns[i].values[r]));
    }
  }
  return n;
}

std::vector<std::string> column_names(const ResultTable& table, bool with_units) {
  std::vector<std::string> out;
  for (const ResultColumn& c : table.columns)
    out.push_back(with_units ? c.name + "|" + c.unit : c.name);
  return out;
}

TEST_F(ResultFiles, Hdf5KeepsEverything) {
  for (const Solution& solution : {test::belt_run(), test::rope_run()}) {
    ASSERT_TRUE(solution.ok()) << solution.report.message;
    ResultFile result = result_of(solution);
    result.parameters = {{"k", "N/m", "stiffness", 3.0}, {"b", "", "", -0.0}};
    result.analysis_json = "{}";
    result.analysis_text = "two\nlines";
    save_result(result, path("a.h5"));
    const ResultFile read = load_result(path("a.h5"));
    EXPECT_EQ(read.model, result.model);
    EXPECT_EQ(read.table, result.table);
    EXPECT_EQ(read.parameters, result.parameters);
    EXPECT_EQ(read.instants, result.instants);
    ASSERT_EQ(read.events.size(), result.events.size());
    ASSERT_GT(read.events.size(), 1U);
    for (std::size_t i = 0; i < read.events.size(); ++i) {
      const Event &a = read.events[i].what, &b = result.events[i].what;
      EXPECT_EQ(std::tie(a.t, a.instant, a.micro_step, a.kind, a.name, a.text, a.direction),
                std::tie(b.t, b.instant, b.micro_step, b.kind, b.name, b.text, b.direction));
      EXPECT_EQ(std::tie(a.guarantee, a.cause, a.time_width, a.hysteresis, a.waited, a.terminal),
                std::tie(b.guarantee, b.cause, b.time_width, b.hysteresis, b.waited, b.terminal));
      EXPECT_EQ(read.events[i].explanation, solution.explain(solution.events()[i]));
      EXPECT_EQ(read.events[i].changes, result.events[i].changes);
    }
    EXPECT_EQ(read.derivatives.parameters, result.derivatives.parameters);
    EXPECT_EQ(read.derivatives.table, result.derivatives.table);
    EXPECT_EQ(read.report_json, to_json(solution.report));
    EXPECT_EQ(read.report_text, to_text(solution.report));
    EXPECT_EQ(read.analysis_json + read.analysis_text, "{}two\nlines");
    ASSERT_EQ(read.derivatives.event_times.size(), solution.sensitivities.event_times().size());
    for (std::size_t i = 0; i < read.derivatives.event_times.size(); ++i) {
      const EventTimeDerivative& a = read.derivatives.event_times[i];
      const EventTimeDerivative& b = solution.sensitivities.event_times()[i];
      EXPECT_EQ(std::tie(a.t, a.relation, a.derivatives), std::tie(b.t, b.relation, b.derivatives));
    }
  }
}

TEST_F(ResultFiles, Hdf5KeepsWhereDerivativesEnd) {
  ResultFile result;
  result.derivatives.parameters = {"k"};
  result.derivatives.ends = NoDerivative{1.5, "a surface is touched"};
  save_result(result, path("a.h5"));
  const ResultFile read = load_result(path("a.h5"));
  ASSERT_TRUE(read.derivatives.ends);
  EXPECT_EQ(read.derivatives.ends->t, 1.5);
  EXPECT_EQ(read.derivatives.ends->why, "a surface is touched");
}

TEST_F(ResultFiles, DifficultNamesAndNumbersReadBackFromAllFormats) {
  for (const bool backward : {false, true}) {
    ResultFile result;
    result.table = table_of(test::difficult_trajectory(backward));
    ResultFile other = result;
    other.table.columns[3].values[1] = std::nextafter(other.table.columns[3].values[1], 9.0);
    for (const char* file : {"a.h5", "a.mat", "a.csv"}) {
      save_result(result, path(file));
      const ResultTable read = load_result(path(file)).table;
      EXPECT_EQ(different_values(read, result.table), 0) << file;
      EXPECT_EQ(different_values(read, other.table), 1) << file;  // the comparison can see
      ASSERT_EQ(read.segments.size(), 2U) << file;
      EXPECT_EQ(read.segments[1].mode, "second, \"other\"") << file;
      EXPECT_EQ(read.segments, result.table.segments) << file;
      if (std::string_view(file) == "a.mat") continue;  // cuts spaces at the end of names
      EXPECT_EQ(column_names(read, true), column_names(result.table, true)) << file;
    }
  }
}

TEST_F(ResultFiles, MatKeepsNamesUnitsDescriptionsParametersAndModes) {
  ResultFile result = result_of(test::rope_run());
  result.parameters = {{"g", "m/s2", "gravity", 9.81}, {"n", "", "", 2.0}};
  save_result(result, path("a.mat"));
  const ResultFile read = load_result(path("a.mat"));
  EXPECT_EQ(read.table, result.table);
  EXPECT_EQ(read.parameters, result.parameters);
  EXPECT_EQ(read.table.segments.back().mode, "caught, again");
}

TEST_F(ResultFiles, CsvKeepsSurfacesAndModes) {
  const ResultFile result = result_of(test::belt_run());
  save_result(result, path("a.csv"));
  const ResultTable read = load_result(path("a.csv")).table;
  EXPECT_EQ(different_values(read, with_derivatives(result)), 0);
  EXPECT_EQ(read.columns.size(), result.table.columns.size() + 4);  // d(x, v)/d(k, belt)
  // Where there is one mode only, it is not named.
  std::vector<ResultSegment> nameless = result.table.segments;
  int n_sliding = 0;
  for (ResultSegment& segment : nameless) {
    segment.mode.clear();
    n_sliding += !segment.sliding.empty();
  }
  EXPECT_EQ(read.segments, nameless);
  EXPECT_GT(n_sliding, 0);
}

TEST_F(ResultFiles, BothLimitsAreThereWhenRowsWereAskedForOnAGrid) {
  const Solution solution =
      test::rope_run({.output = {.points = OutputPoints::grid, .interval = 0.25}});
  ASSERT_TRUE(solution.ok());
  const ResultTable asked = table_of(solution.trajectory), whole = result_of(solution).table;
  EXPECT_EQ(asked.times.size(), 13U);
  EXPECT_EQ(whole.times.size(), 13U + 4U);  // two events, two limits each
  ASSERT_EQ(whole.segments.size(), 3U);
  for (std::size_t s = 0; s + 1 < whole.segments.size(); ++s) {
    const ResultSegment& before = whole.segments[s];
    const std::size_t left = before.first_row + before.n_rows - 1;
    const EventInstant& instant = solution.instants()[s];
    EXPECT_EQ(whole.times[left], instant.t);
    EXPECT_EQ(whole.times[left + 1], instant.t);
    for (std::size_t i = 0; i < whole.columns.size(); ++i) {
      EXPECT_EQ(whole.columns[i].exists(left), instant.exists_before(i));
      if (instant.exists_before(i)) {
        EXPECT_EQ(whole.columns[i].values[left], instant.x_minus[i]);
      }
      EXPECT_EQ(whole.columns[i].exists(left + 1), instant.exists_after(i));
      if (instant.exists_after(i)) {
        EXPECT_EQ(whole.columns[i].values[left + 1], instant.x_plus[i]);
      }
    }
  }
  // Where rows are at every step nothing is added.
  const Solution steps = test::rope_run();
  EXPECT_EQ(result_of(steps).table, table_of(steps.trajectory));
}

TEST_F(ResultFiles, RowsFarApartGetOthersBetweenThem) {
  const Solution solution = test::rope_run();
  const ResultTable asked = result_of(solution).table, more = result_of(solution, 400).table;
  ASSERT_GE(more.times.size(), 400U);
  ASSERT_EQ(more.segments.size(), asked.segments.size());
  std::size_t next = 0;  // rows asked for are there as they were, in order
  for (std::size_t r = 0; r < more.times.size(); ++r) {
    if (next < asked.times.size() && more.times[r] == asked.times[next] &&
        more.columns[0].values[r] == asked.columns[0].values[next]) {
      ++next;
    } else {
      EXPECT_EQ(more.columns[0].values[r], solution.at("x", more.times[r]));
    }
    if (r > 0) {
      EXPECT_LE(more.times[r] - more.times[r - 1], 3.0 / 400 * (1 + 1e-12));
    }
  }
  EXPECT_EQ(next, asked.times.size());
}

TEST_F(ResultFiles, MatFilesOfOthersAreRead) {
  // Written as Dymola does after "save as": rows and columns exchanged, texts as doubles, an alias with a
  // minus sign, single precision, an angle with a unit to show.
  std::string bytes;
  const auto number = [&](auto value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  const auto header = [&](std::uint32_t type, std::uint32_t rows, std::uint32_t columns,
                          const std::string& name) {
    for (const std::uint32_t n :
         {type, rows, columns, 0U, static_cast<std::uint32_t>(name.size() + 1)})
      number(n);
    bytes += name + '\0';
  };
  const auto texts = [&](const std::string& name, const std::vector<std::string>& rows) {
    header(1, static_cast<std::uint32_t>(rows.size()), 11, name);
    for (std::size_t c = 0; c < 11; ++c)
      for (const std::string& row : rows)
        number(static_cast<double>(c < row.size() ? row[c] : ' '));
  };
  texts("Aclass", {"Atrajectory", "1.1", "", "binNormal"});
  texts("name", {"Time", "phi", "minus", "p"});
  texts("description", {"[s]", "a [rad|deg]", "", ""});
  header(20, 4, 4, "dataInfo");
  for (const std::int32_t n : {0, 2, 2, 1, 1, 2, -2, 2, 0, 0, 0, 0, -1, -1, -1, 0}) number(n);
  header(10, 2, 2, "data_1");
  for (const float n : {0.F, 1.F, 7.F, 7.F}) number(n);
  header(10, 3, 2, "data_2");
  for (const float n : {0.F, 0.5F, 1.F, 2.F, 3.F, 4.F}) number(n);
  write("a.mat", bytes);
  const ResultFile read = load_result(path("a.mat"));
  ASSERT_EQ(read.table.columns.size(), 2U);
  EXPECT_EQ(read.table.times, (std::vector<double>{0, 0.5, 1}));
  EXPECT_EQ(read.table.columns[0].unit, "rad");
  EXPECT_EQ(read.table.columns[0].description, "a");
  EXPECT_EQ(read.table.columns[1].name, "minus");
  EXPECT_EQ(read.table.columns[1].values, (std::vector<double>{-2, -3, -4}));
  EXPECT_EQ(read.parameters, (std::vector<ResultParameter>{{"p", "", "", 7.0}}));
}

TEST_F(ResultFiles, WhatCannotBeReadIsRefusedByName) {
  EXPECT_EQ(refusal("none.h5").find("'" + path("none.h5") + "': cannot be opened: No such file"),
            0U);
  write("a.csv", "time,x\r\n0,1\r\n1,one\r\n");
  EXPECT_EQ(refusal("a.csv"),
            "'" + path("a.csv") + "': line 3: 'one' in column 'x' is not a number");
  write("b.csv", "time,x\n0,1\n1\n");
  EXPECT_EQ(refusal("b.csv"),
            "'" + path("b.csv") + "': line 3: 1 fields, but the first line has 2");
  write("c.csv", "x,y\n0,1\n");
  EXPECT_NE(refusal("c.csv").find("the first column must be called time, not 'x'"),
            std::string::npos);
  write("d.csv", "");
  EXPECT_EQ(refusal("d.csv"), "'" + path("d.csv") + "': is empty");
}

TEST_F(ResultFiles, TornAndChangedFilesAreRefusedOrRead) {
  ResultFile result = result_of(test::rope_run());
  int n_refused = 0;
  for (const std::string file : {"a.h5", "a.mat"}) {
    save_result(result, path(file));
    std::ifstream in(path(file), std::ios::binary);
    std::stringstream content;
    content << in.rdbuf();
    const std::string whole = content.str();
    for (std::size_t cut = 1; cut < 40; ++cut) {
      write("cut" + file, whole.substr(0, whole.size() * cut / 40));
      EXPECT_NE(refusal("cut" + file), "") << file << cut;
    }
    // One byte changed at places all over the file: an answer, not a crash.
    for (std::size_t k = 0; k < 200; ++k) {
      std::string changed = whole;
      changed[(whole.size() * k / 200 + 7 * k) % whole.size()] ^= static_cast<char>(1 << (k % 8));
      write("changed" + file, changed);
      n_refused += !refusal("changed" + file).empty();
    }
  }
  EXPECT_GT(n_refused, 0);
}

TEST_F(ResultFiles, AFileIsWholeOrTheOldOne) {
  const ResultFile result = result_of(test::rope_run());
  save_result(result, path("a.h5"));
  EXPECT_EQ(n_files(), 1U);  // nothing is left beside it
  const auto size = std::filesystem::file_size(path("a.h5"));
  // A folder in the way of the file beside: nothing can be written, the old file stays.
  std::filesystem::create_directory(path("a.h5.part"));
  EXPECT_THROW(save_result(result, path("a.h5")), FileError);
  EXPECT_EQ(std::filesystem::file_size(path("a.h5")), size);
  EXPECT_THROW(save_result(result, path("no/such/folder.mat")), FileError);
  EXPECT_THROW(save_result(result, path("a.txt")), FileError);
  EXPECT_THROW(save_result(result, "/dev/full", ResultFormat::csv), FileError);
  EXPECT_THROW(save_result(result, "/dev/full", ResultFormat::mat), FileError);
  EXPECT_THROW(save_result(result, "/dev/null", ResultFormat::hdf5), FileError);
  save_result(result, "/dev/null", ResultFormat::csv);
}

TEST(ResultFormats, AreToldByTheEndOfAName) {
  EXPECT_EQ(format_of("a/b.H5"), ResultFormat::hdf5);
  EXPECT_EQ(format_of("b.hdf5"), ResultFormat::hdf5);
  EXPECT_EQ(format_of("b.mat"), ResultFormat::mat);
  EXPECT_EQ(format_of("b.mat.csv"), ResultFormat::csv);
  EXPECT_EQ(format_of("h5"), std::nullopt);
}

}  // namespace
}  // namespace saltus
