// What a search costs: passes, evaluations, allocations.
#include <saltus/events.hpp>

#include <gtest/gtest.h>

#include "problems/detection_study.hpp"
#include "support/allocation_counter.hpp"

namespace saltus {
namespace {

TEST(DetectionWork, NothingIsAllocatedOnceEachFunctionHasBeenSeen) {
  if (!test::counts_allocations()) GTEST_SKIP();
  problems::DetectionFunctions functions(problems::n_detection_states, problems::detection_kinds);
  problems::DetectionStudy source(9);
  std::vector<test::OwnedStep> steps;
  for (int i = 0; i < 200; ++i) {
    steps.push_back(source.random_step(problems::n_detection_states, 0.9));
  }
  DepartureSearch search(functions.functions(), functions.enclosure());
  DepartureSearch sampled(functions.functions(), nullptr);
  const std::vector<std::int8_t> side(functions.count(), 1);
  std::size_t n_found = 0;
  const auto search_all = [&] {
    for (const test::OwnedStep& step : steps) {
      n_found += search.first(step.step(), 0.0, {side, {}, {}}).size();
      n_found += sampled.first(step.step(), 0.0, {side, {}, {}}).size();
    }
  };
  search_all();
  const long before = test::allocations();
  search_all();
  EXPECT_EQ(test::allocations() - before, 0);
  EXPECT_GT(n_found, 0U);
}

/// 10,000 surfaces x = 0, 1, 2, … of which a step meets two: all are looked at in one pass, and only those
/// that its range meets a second time.
TEST(DetectionWork, ManyFunctionsAreFilteredInOnePass) {
  constexpr std::uint32_t n_surfaces = 10'000;
  Graph graph;
  const Expr x = state(graph, "x");
  std::vector<Expr> surfaces;
  for (std::uint32_t k = 0; k < n_surfaces; ++k) surfaces.push_back(x - static_cast<double>(k));
  test::ExpressionSwitching functions(graph, 1, surfaces);
  DepartureSearch search(functions, &functions);
  const test::OwnedStep step(0.0, 1.0, {{4711.5, 1.0, 0.75}});  // passes 4712 and 4713
  std::vector<std::int8_t> side(n_surfaces);
  for (std::uint32_t k = 0; k < n_surfaces; ++k) side[k] = k <= 4711 ? 1 : -1;
  const auto found = search.first(step.step(), 0.0, {side, {}, {}});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].which, 4712U);
  EXPECT_EQ(functions.n_hulls, 1U);
  EXPECT_LE(functions.n_series, 2 * 3U);  // a slope and two ends each
  EXPECT_LE(functions.n_single_evaluations, 2 * 24U);
  std::uint64_t n_proven = 0;
  for (const DetectionCounts& c : search.counts()) n_proven += c.n_proven;
  EXPECT_EQ(n_proven, n_surfaces);
}

/// Counted work follows the passes: 4 for a range, and more only for functions that come near zero.
TEST(DetectionWork, WorkIsCountedPerFunction) {
  Graph graph;
  const Expr x = state(graph, "x");
  test::ExpressionSwitching functions(graph, 1, {x + 10.0, 0.25 - sqr(x)});
  DepartureSearch search(functions, &functions);
  const test::OwnedStep step(0.0, 1.0, {{-0.3, 1.0}});
  const std::vector<std::int8_t> side = {1, 1};
  for (int i = 0; i < 3; ++i) ASSERT_EQ(search.first(step.step(), 0.0, {side, {}, {}}).size(), 1U);
  EXPECT_EQ(search.counts()[0].n_evaluations, 3 * 4U);
  EXPECT_EQ(search.counts()[0].n_steps, 3U);
  // A model at least, and the evaluations that bracket the zero.
  EXPECT_GT(search.counts()[1].n_evaluations, 3 * 100U);
}

}  // namespace
}  // namespace saltus
