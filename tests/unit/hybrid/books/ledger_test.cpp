// The books of a run: what it has said and counted, and what it may use up.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "hybrid/books/ledger.hpp"
#include "hybrid/books/limits.hpp"

namespace saltus::detail {
namespace {

struct Listener final : Observer {
  std::vector<std::string> said;
  std::vector<Progress> seen;
  bool wants_more = true;
  void message(Severity, std::string_view, std::string_view text) override {
    said.emplace_back(text);
  }
  bool keep_going(const Progress& progress) override {
    seen.push_back(progress);
    return wants_more;
  }
};

struct Books {
  RunOptions options;
  Listener listener;
  Ledger ledger{options, listener};
  Limits limits{options, listener, ledger};
};

JournalEntry event_called(const char* name) {
  JournalEntry entry;
  entry.events.resize(1);
  entry.events.front().name = name;
  entry.events.front().kind = EventKind::state;
  return entry;
}

TEST(Ledger, AWarningReachesTheReportAndTheObserver) {
  Books books;
  books.ledger.warn("one");
  EXPECT_TRUE(books.ledger.warn_once("subject", "two"));
  EXPECT_FALSE(books.ledger.warn_once("subject", "three"));
  EXPECT_TRUE(books.ledger.has_warned_of("subject"));
  EXPECT_EQ(books.ledger.report().warnings, (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(books.listener.said, books.ledger.report().warnings);
}

TEST(Ledger, MarksAreKeptUpToALimit) {
  Books books;
  for (std::size_t k = 0; k < RunReport::most_marginal + 5; ++k) books.ledger.mark({});
  EXPECT_FALSE(books.ledger.has_room_for_marks());
  EXPECT_EQ(books.ledger.report().marginal.size(), RunReport::most_marginal);
}

TEST(Ledger, EventsAreCountedAlsoWhereTheyAreNotKept) {
  Books books;
  books.options.events.keep = false;
  books.ledger.log(event_called("first"));
  books.ledger.log(event_called("second"));
  EXPECT_EQ(books.ledger.last_event(), "second");
  EXPECT_EQ(books.ledger.counts().of(EventKind::state), 2U);
  EXPECT_TRUE(books.ledger.take_log().events().empty());
}

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
}  // namespace saltus::detail
