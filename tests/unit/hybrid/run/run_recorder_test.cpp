// The seam at which two builds are compared: a run of a program is not recorded.
#include <cstdlib>

#include "../scene.hpp"
#include "hybrid/run/run_recorder.hpp"

namespace saltus::hybrid_test {
namespace {

struct HearsOneRun final : Observer {
  void message(Severity, std::string_view, std::string_view text) override { heard += text; }
  std::string heard;
};

/// Where builds are compared (tools/same_runs) these runs are compared as well.
bool runs_are_compared() { return std::getenv("SALTUS_RUN_HASHES") != nullptr; }

TEST(RunRecorder, WhereNobodyComparesThereIsNoRecord) {
  if (runs_are_compared()) GTEST_SKIP();
  EXPECT_EQ(detail::record_of(null_observer(), nullptr), nullptr);
}

TEST(RunRecorder, WithoutARecordTheRunTalksToItsObserver) {
  if (runs_are_compared()) GTEST_SKIP();
  HearsOneRun watcher;
  detail::Ground ground(std::make_shared<SingleConfiguration>(make_system(rising())),
                        Scene::in_one_second(), watcher, nullptr);
  EXPECT_EQ(ground.record, nullptr);
  EXPECT_FALSE(ground.follower.is_there());
  ground.ledger.warn("mind the step");
  EXPECT_NE(watcher.heard.find("mind the step"), std::string::npos) << watcher.heard;
}

}  // namespace
}  // namespace saltus::hybrid_test
