// Segments that were cut or damaged at every byte.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <saltus/ensemble/journal.hpp>

namespace saltus {
namespace {

class Journal : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("saltus_journal_" +
               std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directory(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  /// Runs 0 … 4, of which number 2 failed.
  std::filesystem::path write_five() {
    auto writer = JournalWriter::create(folder_, 42);
    EXPECT_TRUE(writer);
    for (std::uint64_t run = 0; run < 5; ++run) {
      const std::vector<double> values = {0.1 * static_cast<double>(run), -1.0};
      if (run == 2)
        EXPECT_TRUE(writer->add({run, RunOutcome::failed, {}, "it broke"}));
      else
        EXPECT_TRUE(writer->add({run, RunOutcome::complete, values, {}}));
    }
    EXPECT_TRUE(writer->flush());
    return writer->path();
  }

  static std::string bytes_of(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static void write(const std::filesystem::path& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
  }

  struct Found {
    SegmentReport report;
    std::vector<std::uint64_t> runs;
    std::vector<std::vector<double>> values;
    std::vector<std::string> reasons;
  };
  static Found scan(const std::filesystem::path& path, std::uint64_t fingerprint = 42) {
    Found found;
    found.report = scan_segment(path, fingerprint, [&](const JournalRecord& r) {
      found.runs.push_back(r.run);
      found.values.emplace_back(r.values.begin(), r.values.end());
      found.reasons.emplace_back(r.reason);
    });
    return found;
  }

  std::filesystem::path folder_;
};

TEST_F(Journal, GivesBackWhatWasWritten) {
  const Found found = scan(write_five());
  EXPECT_EQ(found.runs, (std::vector<std::uint64_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(found.values[3], (std::vector<double>{0.1 * 3.0, -1.0}));
  EXPECT_EQ(found.reasons[2], "it broke");
  EXPECT_EQ(found.report.problem, "");
  EXPECT_EQ(journal_segments(folder_).size(), 1u);
}

TEST_F(Journal, OfAnotherSweepIsNotBelieved) {
  const Found found = scan(write_five(), 43);
  EXPECT_TRUE(found.runs.empty());
  EXPECT_TRUE(found.report.problem.starts_with("belongs to another sweep"));
}

// Cut after every byte: whole records are there, nothing else is.
TEST_F(Journal, ThatIsCutKeepsItsWholeRecords) {
  const std::string all = bytes_of(write_five());
  const auto torn = folder_ / "torn";
  std::size_t last = 0;
  for (std::size_t size = 20; size <= all.size(); ++size) {
    write(torn, all.substr(0, size));
    const Found found = scan(torn);
    for (std::size_t i = 0; i < found.runs.size(); ++i) ASSERT_EQ(found.runs[i], i);
    ASSERT_GE(found.runs.size(), last);
    last = found.runs.size();
    // a cut between two records is no damage
    const std::size_t rest = size - 20, of_values = 24 + 16, of_reason = 24 + 8;
    const bool between =
        rest == 0 || rest == of_values || rest == 2 * of_values ||
        (rest >= 2 * of_values + of_reason && (rest - 2 * of_values - of_reason) % of_values == 0);
    ASSERT_EQ(found.report.problem.empty(), between) << size;
  }
  EXPECT_EQ(last, 5u);
}

// Any bit that is flipped costs the record it is in, and no other.
TEST_F(Journal, WithAFlippedBitLosesThatRecordAlone) {
  const std::string all = bytes_of(write_five());
  const auto damaged = folder_ / "damaged";
  for (std::size_t at = 20; at < all.size(); ++at) {
    std::string bytes = all;
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << (at % 8)));
    write(damaged, bytes);
    const Found found = scan(damaged);
    ASSERT_EQ(found.runs.size(), 4u) << at;
    ASSERT_FALSE(found.report.problem.empty());
    for (std::size_t i = 0; i < 4; ++i)
      if (found.runs[i] != 2) {
        ASSERT_EQ(found.values[i][0], 0.1 * static_cast<double>(found.runs[i]));
      }
  }
}

TEST_F(Journal, WithADamagedHeadIsNotRead) {
  const std::string all = bytes_of(write_five());
  for (std::size_t at = 0; at < 20; ++at) {
    std::string bytes = all;
    bytes[at] = static_cast<char>(bytes[at] ^ 4);
    write(folder_ / "damaged", bytes);
    EXPECT_TRUE(scan(folder_ / "damaged").runs.empty()) << at;
  }
}

TEST_F(Journal, SegmentsOfWorkersHaveTheirOwnNames) {
  auto a = JournalWriter::create(folder_, 1), b = JournalWriter::create(folder_, 1);
  ASSERT_TRUE(a && b);
  EXPECT_NE(a->path(), b->path());
  EXPECT_FALSE(JournalWriter::create(folder_ / "nowhere", 1));
}

}  // namespace
}  // namespace saltus
