// The hash of a run sees a single rounding (tools/same_runs).
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include <saltus/simulate.hpp>

#include "hybrid/run/run_recorder.hpp"

namespace saltus {

namespace detail {
std::unique_ptr<RunRecord> hash_of_run(Observer& observer, RunFollower* follower);
}

namespace {

Solution bouncing_ball() {
  Model m("ball");
  const Expr h = m.state("h", 1.0), v = m.state("v", 0.0);
  m.equation(der(h) == v);
  m.equation(der(v) == -9.81);
  m.when("bounce", h < 0.0, {reinit(v, -0.8 * pre(v))});
  RunOptions options;
  options.t_end = 2.0;
  return simulate(m, options);
}

/// The line that the run appends to the file.
std::string line_of(
    const Solution& solution, const std::function<void(Observer&)>& during = [](Observer&) {}) {
  const auto file = std::filesystem::path(testing::TempDir()) /
                    ("hashes_" + std::to_string(::testing::UnitTest::GetInstance()->random_seed()) +
                     "_" + testing::UnitTest::GetInstance()->current_test_info()->name());
  std::filesystem::remove(file);
  ::setenv("SALTUS_RUN_HASHES", file.c_str(), 1);
  auto record = detail::hash_of_run(null_observer(), nullptr);
  ::unsetenv("SALTUS_RUN_HASHES");
  if (record == nullptr) return "";
  during(record->observer());
  record->ends(solution);
  std::string line;
  std::getline(std::ifstream(file), line);
  std::filesystem::remove(file);
  return line;
}

TEST(HashOfRuns, TheSameRunHasTheSameHash) {
  const std::string line = line_of(bouncing_ball());
  EXPECT_EQ(line, line_of(bouncing_ball()));
  EXPECT_TRUE(line.starts_with("ball\tfinished\t")) << line;
}

TEST(HashOfRuns, OneRoundingInOneEventIsNoticed) {
  const Solution solution = bouncing_ball();
  const std::string line = line_of(solution);
  ASSERT_GE(solution.instants().size(), 2U);
  auto& instant = const_cast<EventInstant&>(solution.instants()[1]);
  for (double* number : {&instant.t, &instant.x_minus[0], &instant.x_plus[1]}) {
    const double before = *number;
    *number = std::nextafter(before, 10.0);
    EXPECT_NE(line_of(solution), line);
    *number = before;
  }
  EXPECT_EQ(line_of(solution), line);
}

TEST(HashOfRuns, MessagesAndWarningsAreNoticed) {
  Solution solution = bouncing_ball();
  const std::string line = line_of(solution);
  EXPECT_NE(
      line_of(solution, [](Observer& observer) { observer.message(Severity::info, "a", "b"); }),
      line);
  solution.report.wall_time_s += 1.0;
  EXPECT_EQ(line_of(solution), line);
  solution.report.warnings.emplace_back("one more");
  EXPECT_NE(line_of(solution), line);
}

}  // namespace
}  // namespace saltus
