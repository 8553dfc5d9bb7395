#include <saltus/core/observer.hpp>

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace {

using saltus::Severity;

class Recorder final : public saltus::Observer {
 public:
  void message(Severity severity, std::string_view topic, std::string_view text) override {
    lines.push_back(std::string(name(severity)) + '|' + std::string(topic) + '|' +
                    std::string(text));
  }
  std::vector<std::string> lines;
};

void work(saltus::Observer& observer) {
  observer.message(Severity::warning, "events", "a root was not certified");
}

TEST(Observer, ReceivesSeverityTopicAndText) {
  Recorder recorder;
  work(recorder);
  ASSERT_EQ(recorder.lines.size(), 1u);
  EXPECT_EQ(recorder.lines[0], "warning|events|a root was not certified");
}

TEST(Observer, EverySeverityHasItsName) {
  EXPECT_EQ(name(Severity::debug), "debug");
  EXPECT_EQ(name(Severity::info), "info");
  EXPECT_EQ(name(Severity::warning), "warning");
}

TEST(Observer, NullObserverIsSharedAndSilent) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  work(saltus::null_observer());
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(&saltus::null_observer(), &saltus::null_observer());
}

}  // namespace
