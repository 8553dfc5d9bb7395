// Blocks of runs: what a table in memory has, whatever the order in which workers wrote.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <saltus/ensemble/sweep_rows.hpp>
#include <saltus/ensemble/sweep_table.hpp>
#include <saltus/model/model.hpp>

namespace saltus {
namespace {

constexpr std::uint64_t n_block_runs = 20000;

SweepPlan rows_plan() {
  Model m("decay");
  const Expr x = m.state("x", 1.0), k = m.parameter("k", 1.0);
  m.equation(der(x) == -k * x);
  SweepPlan plan{
      m.build(),
      {},
      Design({},
             Samples{n_block_runs, 5, Sampler::random, {{"k", DistributionKind::uniform, 1, 2}}}),
      {},
      "rows"};
  plan.kept.end = {"x"};
  plan.kept.at = {{"x", 0.5}};
  return plan;
}

class RowsOfASweep : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("saltus_rows_" +
               std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directory(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  /// Segments with these runs each; every hundredth run fails. Values tell who wrote them.
  void write(const std::vector<std::vector<std::uint64_t>>& segments) {
    double writer_number = 0;
    for (const auto& runs : segments) {
      auto writer = JournalWriter::create(folder_, plan_.fingerprint());
      ASSERT_TRUE(writer);
      for (const std::uint64_t run : runs) {
        const std::vector<double> values = {static_cast<double>(run), writer_number};
        if (run % 100 == 7)
          ASSERT_TRUE(
              writer->add({run, RunOutcome::failed, {}, "broke at t = 0." + std::to_string(run)}));
        else
          ASSERT_TRUE(writer->add({run, RunOutcome::complete, values, {}}));
      }
      ++writer_number;
    }
  }

  /// All bits, by blocks of so many runs.
  std::string bits_of_blocks(std::uint64_t n) const {
    const SweepRows rows(plan_, folder_);
    std::string bits;
    std::uint64_t next = 0;
    rows.each_block(n, [&](const RunBlock& block) {
      EXPECT_EQ(block.first_run(), next);
      EXPECT_LE(block.n_runs(), n);
      next += block.n_runs();
      add_bits(block, bits);
      for (const FailedRun& f : block.failures()) bits += std::to_string(f.run) + f.reason;
    });
    EXPECT_EQ(next, n_block_runs);
    return bits;
  }
  static void add_bits(const RunBlock& block, std::string& bits) {
    for (std::uint64_t run = block.first_run(); run < block.first_run() + block.n_runs(); ++run) {
      const auto row = block.row(run);
      bits.append(reinterpret_cast<const char*>(row.data()), row.size_bytes());
      bits += block.state(run) == RunState::missing ? '-' : '+';
    }
  }
  std::string bits_of_table() const {
    const SweepTable table(plan_, folder_);
    std::string bits;
    for (std::uint64_t run = 0; run < table.n_runs(); ++run) {
      const auto row = table.row(run);
      bits.append(reinterpret_cast<const char*>(row.data()), row.size_bytes());
      bits += table.is_known(run) ? '+' : '-';
    }
    for (const FailedRun& f : table.failures()) bits += std::to_string(f.run) + f.reason;
    return bits;
  }

  SweepPlan plan_ = rows_plan();
  std::filesystem::path folder_;
};

TEST_F(RowsOfASweep, OfRunsThatWereOutOfTimeAreThoseOfALaterTry) {
  // In whatever order segments are found; run 1 twice, run 3 for good.
  const auto try_of = [&](const std::vector<std::uint64_t>& runs, std::uint64_t number) {
    auto writer = JournalWriter::create(folder_, plan_.fingerprint());
    ASSERT_TRUE(writer);
    for (const std::uint64_t run : runs)
      ASSERT_TRUE(writer->add({run, RunOutcome::out_of_time, {}, "try " + std::to_string(number)}));
  };
  try_of({1, 3, 107, 2}, 1);
  try_of({1, 3}, 2);
  write({{1, 107, 0}});
  try_of({2, 1, 107, 0}, 3);
  const SweepTable table(plan_, folder_);
  EXPECT_EQ(table.n_known(), 5U);
  EXPECT_FALSE(table.row(0).empty());
  EXPECT_FALSE(table.row(1).empty());
  ASSERT_EQ(table.failures().size(), 3U);
  EXPECT_EQ(table.failures()[0].run, 2U);
  EXPECT_EQ(table.failures()[1].run, 3U);
  EXPECT_EQ(table.failures()[1].reason, "try 1");
  EXPECT_EQ(table.failures()[2].reason, "broke at t = 0.107");
  const SweepRows rows(plan_, folder_);
  EXPECT_EQ(rows.n_known(), 5U);
  EXPECT_EQ(rows.n_failed(), 3U);
  EXPECT_EQ(rows.n_out_of_time(), 2U);
  EXPECT_TRUE(bits_of_blocks(n_block_runs) == bits_of_table());
  rows.each_block(50, [&](const RunBlock& block) {
    for (std::uint64_t run = block.first_run(); run < block.first_run() + block.n_runs(); ++run)
      EXPECT_EQ(block.state(run), run <= 1               ? RunState::complete
                                  : run == 2 || run == 3 ? RunState::out_of_time
                                  : run == 107           ? RunState::failed
                                                         : RunState::missing);
    EXPECT_EQ(block.failures().size(), block.first_run() == 0     ? 2U
                                       : block.first_run() == 100 ? 1U
                                                                  : 0U);
  });
}

TEST_F(RowsOfASweep, AreThoseOfTheTable) {
  std::vector<std::uint64_t> all(n_block_runs), odd, shuffled;
  std::iota(all.begin(), all.end(), 0);
  for (const std::uint64_t run : all)
    if (run % 2 == 1 && run % 7 != 0) odd.push_back(run);
  shuffled = all;
  std::mt19937_64 chance(3);
  std::ranges::shuffle(shuffled, chance);
  shuffled.resize(n_block_runs / 2);
  write({odd, shuffled, odd});
  EXPECT_TRUE(bits_of_blocks(n_block_runs) == bits_of_table());  // too long to be printed
  const SweepRows rows(plan_, folder_);
  const SweepTable table(plan_, folder_);
  EXPECT_EQ(rows.n_known(), table.n_known());
  EXPECT_EQ(rows.n_failed(), table.n_failed());
  EXPECT_LT(rows.n_known(), n_block_runs);
  // Failures come with their block: compare rows alone for others.
  std::string whole, by_blocks;
  rows.each_block(n_block_runs, [&](const RunBlock& b) { add_bits(b, whole); });
  for (const std::uint64_t n : {1013u, 65536u}) {
    by_blocks.clear();
    rows.each_block(n, [&](const RunBlock& b) { add_bits(b, by_blocks); });
    EXPECT_TRUE(by_blocks == whole) << n;
  }
}

TEST_F(RowsOfASweep, OfTwoRecordsTheFirstCounts) {
  std::vector<std::uint64_t> all(n_block_runs);
  std::iota(all.begin(), all.end(), 0);
  write({all, all});
  const auto writer_of = [&](std::uint64_t run) {
    double found = -1;
    SweepRows(plan_, folder_).each_block(1000, [&](const RunBlock& block) {
      if (run >= block.first_run() && run < block.first_run() + block.n_runs())
        found = block.row(run)[1];
    });
    return found;
  };
  EXPECT_EQ(writer_of(12345), 0.0);
  std::filesystem::remove(journal_segments(folder_).front());
  EXPECT_EQ(writer_of(12345), 1.0);
}

TEST_F(RowsOfASweep, DamageIsLeftOut) {
  std::vector<std::uint64_t> all(n_block_runs);
  std::iota(all.begin(), all.end(), 0);
  write({all});
  const auto path = journal_segments(folder_).front();
  {
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(300001);
    file.put('!');
  }
  const SweepRows rows(plan_, folder_);
  EXPECT_EQ(rows.n_known(), n_block_runs - 1);
  ASSERT_EQ(rows.broken().size(), 1u);
  std::uint64_t n_known = 0;
  rows.each_block(777, [&](const RunBlock& b) { n_known += b.n_known(); });
  EXPECT_EQ(n_known, n_block_runs - 1);
  // What goes away while it is read is missing, and nothing else happens.
  std::filesystem::resize_file(path, 500000);
  n_known = 0;
  rows.each_block(777, [&](const RunBlock& b) { n_known += b.n_known(); });
  EXPECT_LT(n_known, n_block_runs - 1);
  EXPECT_GT(n_known, 1000u);
}

TEST_F(RowsOfASweep, ReasonsAreToldWithoutTheirNumbers) {
  std::vector<std::uint64_t> all(n_block_runs);
  std::iota(all.begin(), all.end(), 0);
  std::ranges::reverse(all);
  write({all});
  const SweepRows rows(plan_, folder_);
  ASSERT_EQ(rows.failures().size(), 1u);
  EXPECT_EQ(rows.failures()[0].text, "broke at t = #");
  EXPECT_EQ(rows.failures()[0].n_runs, n_block_runs / 100);
  EXPECT_EQ(rows.failures()[0].example_run, 7u);
  EXPECT_EQ(rows.failures()[0].example, "broke at t = 0.7");
  EXPECT_EQ(rows.longest_reason(), std::string("broke at t = 0.19907").size());
}

}  // namespace
}  // namespace saltus
