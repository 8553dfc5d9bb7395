// What a run has said and counted.
#include <gtest/gtest.h>

#include "books.hpp"

namespace saltus::hybrid_test {
namespace {

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

}  // namespace
}  // namespace saltus::hybrid_test
