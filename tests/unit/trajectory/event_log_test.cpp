#include <set>
#include <string>

#include <gtest/gtest.h>

#include <saltus/trajectory.hpp>

#include "support/allocation_counter.hpp"

namespace saltus {
namespace {

Event crossing(std::string name, double t, EventKind kind = EventKind::state) {
  Event event;
  event.name = std::move(name);
  event.t = t;
  event.kind = kind;
  return event;
}

EventInstant instant_at(double t, bool restarted = true) {
  EventInstant instant;
  instant.t = t;
  instant.restarted = restarted;
  return instant;
}

TEST(EventLog, KeepsEventsWithTheirInstants) {
  EventLog log;
  log.add(instant_at(1), {crossing("a", 1), crossing("b", 1)}, true);
  log.add(instant_at(2), {crossing("c", 2)}, true);
  ASSERT_EQ(log.events().size(), 3U);
  ASSERT_EQ(log.instants().size(), 2U);
  EXPECT_EQ(log.instants()[1].first_event, 2U);
  EXPECT_EQ(log.instants()[1].n_events, 1U);
  for (const Event& event : log.events()) EXPECT_EQ(log.instant_of(event).t, event.t) << event.name;
  EXPECT_EQ(log.events_of(log.instants()[0])[1].name, "b");
}

TEST(EventLog, CountsTheSameWhetherEventsAreKeptOrNot) {
  EventLog kept, counted, fewer;
  for (int k = 0; k < 20; ++k) {
    EventInstant instant = instant_at(k, k % 3 == 0 && k % 4 != 0);
    instant.n_micro_steps = 2;
    instant.n_iterations = 3;
    std::vector<Event> events{crossing("a", k), crossing("b", k, EventKind::lock)};
    if (k % 4 == 0) events[0].kind = EventKind::lock;  // such an instant interrupts nothing
    if (k % 5 == 0) events.push_back(crossing("d", k));
    events[1].guarantee = k == 7 ? Guarantee::marginal : Guarantee::heuristic;
    kept.add(instant, events, true);
    counted.add(instant, events, false);
    if (k > 0) fewer.add(instant, events, false);
  }
  EXPECT_EQ(kept.counts(), counted.counts());
  EXPECT_NE(kept.counts(), fewer.counts());
  const EventCounts& counts = counted.counts();
  EXPECT_EQ(counts.of(EventKind::state), 19U);
  EXPECT_EQ(counts.of(EventKind::lock), 25U);
  EXPECT_EQ(counts.total(), 44U);
  EXPECT_EQ(counts.n_instants, 20U);
  EXPECT_EQ(counts.n_interruptions, 16U);  // not 4, 8, 12, 16; 0 has a crossing besides
  EXPECT_EQ(counts.n_restarts, 5U);
  EXPECT_EQ(counts.n_micro_steps, 40U);
  EXPECT_EQ(counts.n_iterations, 60U);
  EXPECT_EQ(counts.n_marginal, 1U);
  EXPECT_EQ(counts.n_heuristic, 19U);
  EXPECT_EQ(counts.n_simultaneous, 3U);  // 5, 10, 15; at 0 one of the two only flips its lock
  EXPECT_EQ(kept.n_not_kept(), 0U);
  EXPECT_EQ(counted.n_not_kept(), 44U);
  EXPECT_TRUE(counted.events().empty());
  EXPECT_TRUE(counted.instants().empty());
}

TEST(EventLog, WhatGoesOnAsItWasIsNoInterruption) {
  const auto interrupts = [](bool restarted, std::vector<Event> events) {
    EventLog log;
    log.add(instant_at(1, restarted), std::move(events), true);
    return log.counts().n_interruptions == 1;
  };
  EXPECT_TRUE(interrupts(false, {crossing("a", 1)}));
  EXPECT_TRUE(interrupts(false, {}));  // values jump with an input
  EXPECT_FALSE(interrupts(false, {crossing("a", 1, EventKind::lock)}));
  EXPECT_FALSE(interrupts(false, {crossing("a", 1, EventKind::limit)}));
  EXPECT_TRUE(interrupts(true, {crossing("a", 1, EventKind::limit)}));
  EXPECT_TRUE(interrupts(false, {crossing("a", 1, EventKind::lock), crossing("b", 1)}));
}

TEST(EventLog, AMillionEventsThatAreNotKeptTakeNoMemory) {
  if (!test::counts_allocations()) GTEST_SKIP() << "allocations are not counted here";
  const auto allocations_of = [](int n, bool keep) {
    EventLog log;
    const auto before = test::allocations();
    for (int k = 0; k < n; ++k) {
      std::vector<Event> events;  // a name that needs no memory of its own: only the log is seen
      events.push_back(crossing("a", k));
      log.add(instant_at(k), std::move(events), keep);
    }
    EXPECT_EQ(log.n_events(), static_cast<std::uint64_t>(n));
    return test::allocations() - before;
  };
  // One per event for the vector made here, and none by the log.
  EXPECT_EQ(allocations_of(1'000'000, false), 1'000'000);
  EXPECT_GT(allocations_of(1'000, true), 1'000);
}

TEST(EventLog, EveryKindGuaranteeAndCauseHasAName) {
  std::set<std::string_view> names;
  for (std::size_t k = 0; k < n_event_kinds; ++k) names.insert(name(static_cast<EventKind>(k)));
  EXPECT_EQ(names.size(), n_event_kinds);
  for (int k = 0; k < 3; ++k) names.insert(name(static_cast<Guarantee>(k)));
  for (int k = 1; k < 6; ++k) names.insert(name(static_cast<JumpCause>(k)));
  EXPECT_EQ(names.size(), n_event_kinds + 8);
  EXPECT_EQ(name(JumpCause::action), "action");
  EXPECT_FALSE(names.contains("unknown"));
  EXPECT_EQ(name(static_cast<EventKind>(n_event_kinds)), "unknown");
}

TEST(EventLog, ASolutionKnowsWhenNamedEventsHappened) {
  Solution solution;
  solution.event_log.add(instant_at(1), {crossing("x < 0", 1)}, true);
  solution.event_log.add(instant_at(2), {crossing("hit", 2), crossing("x < 0", 2)}, true);
  solution.report.switches = {{.name = "y > limit"}};
  EXPECT_EQ(solution.event_times("x < 0"), (std::vector<double>{1, 2}));
  EXPECT_EQ(solution.event_times("hit"), (std::vector<double>{2}));
  EXPECT_TRUE(solution.event_times("y > limit").empty());  // watched, never crossed
  EXPECT_EQ(solution.events().size(), 3U);
  EXPECT_EQ(solution.instants().size(), 2U);
  try {
    solution.event_times("y > limt");
    FAIL() << "an unknown name is refused";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean 'y > limit'?"), std::string::npos)
        << error.what();
  }
  solution.event_log.add(instant_at(3), {crossing("y > limit", 3)}, false);
  EXPECT_THROW(solution.event_times("y > limit"), Error);  // happened or not: it is not known
}

}  // namespace
}  // namespace saltus
