// What a run may use up.
#include <gtest/gtest.h>

#include "books.hpp"

namespace saltus::hybrid_test {
namespace {

TEST(Limits, StepsAreWarnedOfOnceAndThenUsedUp) {
  Books books;
  books.options.limits.max_steps = 10;
  books.options.limits.warn_at = 0.5;
  for (int n = 0; n < 10; ++n) {
    EXPECT_FALSE(books.limits.look(0.1 * n)) << n;
    books.ledger.count_step();
  }
  EXPECT_EQ(books.listener.said,
            (std::vector<std::string>{"5 of at most 10 steps are used; t = 0.5 was reached"}));
  const auto ending = books.limits.look(1.0);
  ASSERT_TRUE(ending);
  EXPECT_EQ(ending->outcome, Outcome::step_limit);
  EXPECT_EQ(ending->message,
            "the limit of 10 steps (limits.max_steps) is used up; t = 1 was reached");
}

TEST(Limits, EventsAreUsedUpAndTheLastIsNamed) {
  Books books;
  books.options.limits.max_events = 1;
  EXPECT_FALSE(books.limits.look_at_events(0.0));
  books.ledger.log(event_called("x > 0"));
  const auto ending = books.limits.look_at_events(2.0);
  ASSERT_TRUE(ending);
  EXPECT_EQ(ending->outcome, Outcome::event_limit);
  EXPECT_NE(ending->message.find("the last one was of 'x > 0'"), std::string::npos);
}

TEST(Limits, TheObserverSeesProgressAndMayStop) {
  Books books;
  books.options.t_begin = 1.0;
  books.options.t_end = 3.0;
  EXPECT_FALSE(books.limits.look(2.0));
  books.listener.wants_more = false;
  const auto ending = books.limits.look(2.5);
  ASSERT_TRUE(ending);
  EXPECT_EQ(ending->outcome, Outcome::stopped);
  ASSERT_EQ(books.listener.seen.size(), 2U);
  EXPECT_EQ(books.listener.seen[0].fraction, 0.5);
  EXPECT_EQ(books.listener.seen[1].fraction, 0.75);
}

TEST(Limits, NoSecondIsLeft) {
  Books books;
  books.options.limits.max_wall_time_s = 0.0;
  const auto ending = books.limits.look(1.0);
  ASSERT_TRUE(ending);
  EXPECT_EQ(ending->outcome, Outcome::wall_time_limit);
}

TEST(Limits, TimeThatStandsStillIsRefusedByName) {
  Books books;
  const std::string names[] = {"a > b"};
  std::optional<Failure> failure;
  int n = 0;
  while (!failure && n < 1000) {
    failure = books.limits.stands_still(1.0, names, 1);
    ++n;
  }
  ASSERT_TRUE(failure);
  EXPECT_EQ(n, 101);  // more than a hundred in a row
  EXPECT_NE(failure->message.find("'a > b'"), std::string::npos) << failure->message;
  EXPECT_FALSE(books.limits.stands_still(1.0, {}, 1));
}

}  // namespace
}  // namespace saltus::hybrid_test
