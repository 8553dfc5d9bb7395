// Sweeps: the same bits whoever does the runs, and again after everything that may happen to them.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <saltus/core/error.hpp>
#include <saltus/ensemble/sweep_rows.hpp>
#include <saltus/ensemble/sweep_table.hpp>
#include <saltus/ensemble/worker.hpp>
#include <saltus/model/model.hpp>

namespace saltus {
namespace {

/// x' = -k x; stops at 0.1. For k < 0 the logarithm of k has no value: those runs fail.
SweepPlan decay_sweep(std::uint64_t count = 60) {
  Model m("decay");
  const Expr x = m.state("x", 1.0), k = m.parameter("k", 1.0);
  m.equation(der(x) == -k * x);
  m.output("log k", log(k));
  m.terminate_when("low", x < 0.1);
  SweepPlan sweep{
      m.build(),
      {},
      Design({{{"x"}, {{1.0}, {2.0}}}},
             Samples{count / 2, 5, Sampler::random, {{"k", DistributionKind::uniform, -0.2, 2.0}}}),
      {},
      "decay"};
  sweep.options.t_end = 2.0;
  sweep.kept.end = {"x"};
  sweep.kept.counts = {"low"};
  sweep.kept.first = {"low"};
  return sweep;
}

class SweepRuns : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = std::filesystem::temp_directory_path() /
            ("saltus_sweep_" +
             std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::remove_all(root_);
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  std::filesystem::path folder(const std::string& name) {
    std::filesystem::create_directories(root_ / name);
    return root_ / name;
  }
  std::filesystem::path root_;
};

/// All bits of a table.
std::string bits_of(const SweepPlan& sweep, const std::filesystem::path& folder) {
  const SweepTable table(sweep, folder);
  std::string bits;
  for (std::uint64_t run = 0; run < table.n_runs(); ++run) {
    const auto row = table.row(run);
    bits.append(reinterpret_cast<const char*>(row.data()), row.size_bytes());
    bits += table.is_known(run) ? '+' : '-';
  }
  for (const auto& f : table.failures()) bits += std::to_string(f.run) + f.reason;
  return bits;
}

TEST_F(SweepRuns, GiveWhatSingleRunsGive) {
  const SweepPlan sweep = decay_sweep();
  const auto here = folder("one");
  const SweepReport report = run_sweep(sweep, here);
  EXPECT_TRUE(report.complete());
  EXPECT_EQ(report.progress.n_done, 60u);
  const SweepTable table(sweep, here);
  EXPECT_EQ(table.n_known(), 60u);
  std::uint64_t n_low = 0, n_failed = 0;
  for (std::uint64_t run = 0; run < 60; ++run) {
    const auto v = sweep.design.values(run);
    const auto row = table.row(run);
    if (v[1] <= 0) {
      EXPECT_TRUE(row.empty());
      ++n_failed;
      continue;
    }
    ASSERT_EQ(row.size(), 3u);
    const double t_low = std::log(v[0] / 0.1) / v[1];
    // a hundred tolerances
    const double near = 100 * sweep.options.rtol;
    EXPECT_EQ(row[1], t_low < 2.0 ? 1.0 : 0.0);
    if (t_low < 2.0) {
      EXPECT_NEAR(row[2], t_low, near * t_low);
      EXPECT_NEAR(row[0], 0.1, near);
      ++n_low;
    } else {
      EXPECT_TRUE(is_absent(row[2]));
      EXPECT_NEAR(row[0], v[0] * std::exp(-2 * v[1]), near);
    }
  }
  EXPECT_EQ(table.n_failed(), n_failed);
  EXPECT_GT(n_failed, 0u);
  EXPECT_GT(n_low, 0u);
  EXPECT_NE(table.failures()[0].reason.find("log k"), std::string::npos)
      << table.failures()[0].reason;
}

TEST_F(SweepRuns, AreTheSameByThreadsAndByShares) {
  const SweepPlan sweep = decay_sweep();
  (void)run_sweep(sweep, folder("one"));
  (void)run_sweep(sweep, folder("threads"), {.n_threads = 3});
  for (std::uint64_t k = 0; k < 4; ++k)
    EXPECT_TRUE(run_sweep(sweep, folder("shares"), {.shard = k, .n_shards = 4}).complete());
  const std::string one = bits_of(sweep, folder("one"));
  EXPECT_EQ(bits_of(sweep, folder("threads")), one);
  EXPECT_EQ(bits_of(sweep, folder("shares")), one);
  EXPECT_NE(bits_of(decay_sweep(58), folder("none")), one);
}

TEST_F(SweepRuns, GoOnWhereTheyWereStopped) {
  const SweepPlan sweep = decay_sweep();
  (void)run_sweep(sweep, folder("whole"));
  const auto here = folder("parts");
  std::uint64_t done = 0;
  int n_starts = 0;
  while (true) {
    int n_calls = 0;
    SweepOptions options;
    options.progress = [&](const SweepProgress&) { return ++n_calls < 1; };
    const SweepReport report = run_sweep(sweep, here, options);
    EXPECT_EQ(report.progress.n_before, done);
    done += report.progress.n_done;
    ++n_starts;
    if (report.complete()) break;
    ASSERT_TRUE(report.stopped);
    ASSERT_LT(n_starts, 100);
  }
  EXPECT_GT(n_starts, 1);
  EXPECT_EQ(bits_of(sweep, here), bits_of(sweep, folder("whole")));
  // all is there: nothing is done again
  EXPECT_EQ(run_sweep(sweep, here).progress.n_done, 0u);
}

TEST_F(SweepRuns, ThatWereOutOfTimeAreDoneAgain) {
  // Where the drive is slow a run has no time for its limit of 0.02 s.
  static std::atomic<bool> is_busy;
  SweepPlan sweep = decay_sweep();
  Model m("driven");
  const Expr x = m.state("x", 1.0), k = m.parameter("k", 1.0);
  const Expr drive = m.input("drive", callback([](double t) {
                               if (is_busy)
                                 std::this_thread::sleep_for(std::chrono::milliseconds(5));
                               return t;
                             }));
  m.equation(der(x) == -k * x * drive);
  m.output("log k", log(k));
  m.terminate_when("low", x < 0.1);
  sweep.model = m.build();
  const auto here = folder("busy"), undisturbed = folder("idle");
  is_busy = false;
  sweep.options.limits.max_wall_time_s = 1e3;
  (void)run_sweep(sweep, undisturbed);
  const std::uint64_t n_wrong = SweepTable(sweep, undisturbed).n_failed();
  ASSERT_GT(n_wrong, 0U);
  ASSERT_LT(n_wrong, 60U);

  is_busy = true;
  sweep.options.limits.max_wall_time_s = 0.02;
  EXPECT_TRUE(run_sweep(sweep, here).complete());
  const SweepRows before(sweep, here);
  EXPECT_EQ(before.n_known(), 60U);
  EXPECT_EQ(before.n_failed(), 60U);
  EXPECT_EQ(before.n_out_of_time(), 60U - n_wrong);
  EXPECT_EQ(SweepTable(sweep, here).n_failed(), 60U);

  // What the model decides is final.
  is_busy = false;
  sweep.options.limits.max_wall_time_s = 1e3;
  const SweepReport again = run_sweep(sweep, here);
  EXPECT_EQ(again.progress.n_before, n_wrong);
  EXPECT_EQ(again.progress.n_done, 60U - n_wrong);
  EXPECT_EQ(again.progress.n_failed, n_wrong);
  EXPECT_EQ(bits_of(sweep, here), bits_of(sweep, undisturbed));
  const SweepRows after(sweep, here);
  EXPECT_EQ(after.n_known(), 60U);
  EXPECT_EQ(after.n_failed(), n_wrong);
  EXPECT_EQ(after.n_out_of_time(), 0U);
  EXPECT_EQ(run_sweep(sweep, here).progress.n_done, 0U);
}

TEST_F(SweepRuns, OfDamagedSegmentsAreDoneAgain) {
  const SweepPlan sweep = decay_sweep();
  const auto here = folder("damaged");
  (void)run_sweep(sweep, here);
  const std::string whole = bits_of(sweep, here);
  const auto segment = journal_segments(here).front();
  std::filesystem::resize_file(segment, std::filesystem::file_size(segment) - 100);
  const SweepReport report = run_sweep(sweep, here);
  EXPECT_GT(report.progress.n_done, 0u);
  EXPECT_LT(report.progress.n_done, 10u);
  ASSERT_EQ(report.broken.size(), 1u);
  EXPECT_NE(report.broken[0].problem.find("not complete"), std::string::npos);
  EXPECT_EQ(bits_of(sweep, here), whole);
}

TEST_F(SweepRuns, KeepSlopesOfEventsToo) {
  Model m("fall");
  const Expr h = m.state("h", 1.0), v = m.state("v", 0.0), g = m.parameter("g", 9.81);
  m.equation(der(h) == v);
  m.equation(der(v) == -g);
  m.when("bounce", h < 0.0, {reinit(v, -0.5 * pre(v))});
  SweepPlan sweep{m.build(), {}, Design({{{"g"}, {{1.0}, {5.0}, {9.81}}}}), {}, "fall"};
  sweep.options.t_end = 1.0;
  sweep.options.sensitivities = {"g"};
  sweep.kept.first = {"bounce"};
  sweep.kept.slopes = {{"first(bounce)", "g"}, {"h", "g"}};
  (void)run_sweep(sweep, folder("slopes"));
  const SweepTable table(sweep, folder("slopes"));
  EXPECT_EQ(sweep.kept.columns()[1], "d(first(bounce))/d(g)");
  // it has not come down before t = 1
  EXPECT_TRUE(is_absent(table.row(0)[1]));
  const double near = 100 * sweep.options.rtol;
  EXPECT_NEAR(table.row(0)[2], -0.5, near);
  for (const std::uint64_t run : {1u, 2u}) {
    const double g_of_run = sweep.design.values(run)[0];
    const double t = std::sqrt(2 / g_of_run);
    EXPECT_NEAR(table.row(run)[0], t, near);
    EXPECT_NEAR(table.row(run)[1], -t / (2 * g_of_run), near);
  }
  sweep.kept.slopes = {{"first(bonce)", "g"}};
  EXPECT_THROW((void)run_sweep(sweep, folder("wrong")), Error);
}

TEST_F(SweepRuns, WithAWrongNameDoNotBegin) {
  SweepPlan sweep = decay_sweep();
  sweep.design = Design({{{"q"}, {{1.0}}}});
  EXPECT_THROW((void)run_sweep(sweep, folder("wrong")), Error);
  EXPECT_THROW((void)run_sweep(decay_sweep(), folder("wrong"), {.shard = 4, .n_shards = 4}), Error);
}

}  // namespace
}  // namespace saltus
