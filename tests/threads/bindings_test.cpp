// What the Python package does while it has let go of the interpreter, from threads at once: runs of one
// compiled source, stepped runs, analyses, fits, and workers of one sweep with a segment each.
#include <gtest/gtest.h>

#include <filesystem>
#include <utility>
#include <vector>

#include <saltus/saltus.hpp>

#include "support/same_bits.hpp"
#include "threads/tally.hpp"

namespace saltus::test {
namespace {

using HybridRun = ::saltus::Run;  // GoogleTest has a Run of its own

std::shared_ptr<const ModelDefinition> thermostat() {
  Model m("thermostat");
  const Expr T = m.state("T", 20.0), on = m.discrete("on", 0.0), power = m.parameter("power", 5.0);
  m.equation("T", der(T) == power * on - 0.2 * (T - 15.0));
  m.when("cold", T < 19.0, {{on, 1.0}});
  m.when("warm", T > 21.0, {{on, 0.0}});
  return m.build();
}

TEST(PythonCalls, RunsOfOneSource) {
  const auto model = thermostat();
  const auto source = compile_model(model);
  const RunOptions options{.t_end = 10.0};
  StepTally steps;
  std::vector<Solution> found(n_test_threads);
  on_threads([&](std::size_t k) {
    HybridRun run(model->name(), source, options, steps);
    while (run.advance()) {
    }
    found[k] = run.finish();
  });
  const Solution alone = simulate(model, options);
  for (const Solution& one : found) EXPECT_EQ(difference(one, alone), "");
  EXPECT_GT(steps.total(), long{n_test_threads});
}

TEST(PythonCalls, AnalysesAndFits) {
  const auto model = thermostat();
  const std::string alone = to_text(analyze(model, {}));
  std::vector<std::string> analyses(n_test_threads);
  std::vector<FitResult> fits(n_test_threads);
  on_threads([&](std::size_t k) {
    analyses[k] = to_text(analyze(model, {}));
    fits[k] =
        fit(FitProblem(model, {{.name = "power", .start = 5.0}},
                       {{.variable = "T", .times = {1.5, 2.0, 2.5}, .values = {19.6, 20.4, 21.0}}}),
            {});
  });
  for (const std::string& one : analyses) EXPECT_EQ(one, alone);
  for (const FitResult& one : fits) EXPECT_EQ(one.parameters[0].value, fits[0].parameters[0].value);
}

/// Runs that were given, once.
class GivenRuns final : public SweepQueue {
 public:
  explicit GivenRuns(std::vector<std::uint64_t> runs) : runs_(std::move(runs)) {}
  std::vector<std::uint64_t> take() override { return std::exchange(runs_, {}); }
  void done(std::uint64_t, bool) override { ++n_done_; }
  bool is_over() const override { return false; }
  void give_up(const Failure& failure) override { ADD_FAILURE() << failure.message; }
  std::uint64_t n_done() const { return n_done_; }

 private:
  std::vector<std::uint64_t> runs_;
  std::uint64_t n_done_ = 0;
};

TEST(PythonCalls, WorkersOfOneSweep) {
  SweepPlan sweep{
      thermostat(),
      {},
      Design({}, Samples{40, 7, Sampler::random, {{"power", DistributionKind::uniform, 3.0, 8.0}}}),
      {},
      "workers"};
  sweep.options.t_end = 3.0;
  sweep.kept.end = {"T"};
  const SweepRunner runner(sweep);
  const auto folder = folder_of_this_process("workers");
  std::filesystem::create_directories(folder);
  on_threads([&](std::size_t k) {
    auto writer = JournalWriter::create(folder, sweep.fingerprint());
    ASSERT_TRUE(writer);
    std::vector<std::uint64_t> mine;
    for (std::uint64_t run = k; run < 40; run += n_test_threads) mine.push_back(run);
    GivenRuns given(mine);
    work(runner, *writer, given);
    EXPECT_EQ(given.n_done(), mine.size());
  });
  const SweepTable table(sweep, folder);
  for (std::uint64_t run = 0; run < 40; ++run)
    EXPECT_EQ(table.row(run)[0], runner(run).values[0]) << run;
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace saltus::test
