// Sweeps on threads: runs, their journal and its table are those of one thread.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include <saltus/saltus.hpp>

#include "threads/tally.hpp"

namespace saltus::test {
namespace {

namespace fs = std::filesystem;

std::shared_ptr<const ModelDefinition> ball(double e) {
  Model m("ball");
  const Expr h = m.state("h", 1.0), v = m.state("v", 0.0), restitution = m.parameter("e", e);
  m.equation("h", der(h) == v);
  m.equation("v", der(v) == -9.81);
  m.when("ground", h < 0.0, {{v, -restitution * pre(v)}});
  return m.build();
}

SweepPlan bounces() {
  SweepPlan sweep{
      ball(0.8),
      {},
      Design({}, Samples{40, 5, Sampler::random, {{"e", DistributionKind::uniform, 0.5, 0.9}}}),
      {},
      "bounces"};
  sweep.options.t_end = 1.0;
  sweep.kept.end = {"h"};
  sweep.kept.counts = {"ground"};
  return sweep;
}

std::string table_of(const SweepPlan& sweep, std::uint32_t n_threads) {
  const fs::path folder = folder_of_this_process("sweep");
  fs::create_directories(folder);
  const SweepReport report = run_sweep(sweep, folder, {.n_threads = n_threads});
  EXPECT_TRUE(report.complete());
  const SweepTable table(sweep, folder);
  std::string bits;
  for (std::uint64_t run = 0; run < table.n_runs(); ++run) {
    const auto row = table.row(run);
    bits.append(reinterpret_cast<const char*>(row.data()), row.size_bytes());
  }
  fs::remove_all(folder);
  return bits;
}

TEST(ThreadedSweeps, ShareOneCompiledModel) {
  EXPECT_EQ(table_of(bounces(), 4), table_of(bounces(), 1));
}

TEST(ThreadedSweeps, MakeAModelPerRun) {
  SweepPlan sweep = bounces();
  Tally made;
  sweep.remake = [&](std::span<const Named<double>> values) {
    made.count();
    return ball(values[0].value);
  };
  EXPECT_EQ(table_of(sweep, 4), table_of(bounces(), 1));
  EXPECT_GE(made.total(), 40);
}

}  // namespace
}  // namespace saltus::test
