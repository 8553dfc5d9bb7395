#include <ios>
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

/// Fields that do not read back to what the trajectory holds, with absent values as empty fields.
int csv_differences(const std::string& csv, const Trajectory& t) {
  const auto records = test::read_csv(csv);
  if (records.size() != t.n_rows() + 1) return -1;
  int differences = 0;
  for (std::uint32_t r = 0; r < t.n_rows(); ++r) {
    const auto& record = records[r + 1];
    if (record.size() != t.variables().size() + 2) return -1;
    differences += record.back() != t.segments()[t.segment_of_row(r)].mode;
    for (std::uint32_t i = 0; i + 1 < record.size(); ++i) {
      const bool present = i == 0 || t.present_in_row(i - 1, r);
      const double expected = i == 0 ? t.times()[r] : t.row(r)[i - 1];
      const auto read = read_double(record[i]);
      differences += present ? !read || bits_of(*read) != bits_of(expected) : !record[i].empty();
    }
  }
  return differences;
}

TEST(Csv, LooksLikeThis) {
  TrajectoryRecorder recorder({{"x", "m", ""}, {"on", "", ""}});
  recorder.begin_segment("a", 0);
  recorder.add_row(0, std::vector<double>{0.1, 1});
  recorder.begin_segment("b", 1, {1, 0});
  recorder.add_row(1, std::vector<double>{-2.5e-9, 7});
  EXPECT_EQ(to_csv(recorder.take()), "time,x [m],on,mode\r\n0,0.1,1,a\r\n1,-2.5e-09,,b\r\n");
}

TEST(Csv, NumbersReadBackBitForBitInBothDirectionsOfTime) {
  for (bool backward : {false, true}) {
    const Trajectory t = difficult_trajectory(backward);
    const std::string csv = to_csv(t);
    EXPECT_EQ(csv_differences(csv, t), 0);
    // The check can see: another trajectory, and one digit.
    EXPECT_GT(csv_differences(csv, difficult_trajectory(!backward)), 0);
    std::string changed = csv;
    changed.replace(changed.find("0.3333333333333333"), 18, "0.3333333333333334");
    EXPECT_EQ(csv_differences(changed, t), 1);
  }
}

TEST(Csv, AnEventIsTwoRowsOfOneTime) {
  const auto records = test::read_csv(to_csv(difficult_trajectory()));
  EXPECT_EQ(records[3][0], "0.3");
  EXPECT_EQ(records[4][0], "0.3");
  EXPECT_NE(records[3], records[4]);
  EXPECT_FALSE(records[3][2].empty());
  EXPECT_TRUE(records[4][2].empty());  // absent from here on
}

TEST(Csv, HeadersHaveUnitsAndAreQuotedWhereTheyMustBe) {
  const std::string csv = to_csv(difficult_trajectory());
  const auto header = test::read_csv(csv).front();
  const auto& names = test::difficult_names();
  ASSERT_EQ(header.size(), names.size() + 2);  // with the time and the mode
  EXPECT_EQ(header[0], "time");
  EXPECT_EQ(header[1], names[0]);  // no unit, no brackets
  for (std::size_t i = 1; i < names.size(); ++i) EXPECT_EQ(header[i + 1], names[i] + " [m/s]");
  EXPECT_EQ(csv.find("time,plain,\"a,b [m/s]\",\"say \"\"hi\"\" [m/s]\",\"two\nlines [m/s]\","),
            0U);
  EXPECT_THROW(test::read_csv("a,\"b\n"), std::runtime_error);  // the reader is strict
  EXPECT_THROW(test::read_csv("a,b\n"), std::runtime_error);
}

TEST(Csv, NeitherLocaleNorFormatOfTheStreamMatters) {
  const Trajectory t = difficult_trajectory();
  const std::string plain = to_csv(t);
  const ForeignLocale foreign;
  std::ostringstream out;
  out.imbue(ForeignLocale::locale());
  out << 1234.5;
  ASSERT_EQ(out.str(), "1'234,5");  // the locale is in force
  out.str("");
  out << std::hex << std::scientific << std::showpos;
  out.precision(2);
  out.width(40);
  out.fill('*');
  EXPECT_TRUE(write_csv(t, out));
  EXPECT_EQ(out.str(), plain);
  EXPECT_EQ(to_csv(t), plain);
}

TEST(Csv, AFailedStreamIsReported) {
  std::ostringstream out;
  EXPECT_TRUE(write_csv(difficult_trajectory(), out));
  out.setstate(std::ios::badbit);
  EXPECT_FALSE(write_csv(difficult_trajectory(), out));
}

TEST(Csv, AnEmptyTrajectoryHasNoLinesButItsHeader) {
  EXPECT_EQ(to_csv(TrajectoryRecorder({{"x", "", ""}}).take()), "time,x\r\n");
}

}  // namespace
}  // namespace saltus
