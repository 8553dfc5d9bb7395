// Functions that cannot be enclosed, and those that can be only in part.
#include "events/sampling.hpp"

#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include <saltus/events.hpp>

#include "support/expression_switching.hpp"

namespace saltus {
namespace {

/// One function of t, given by code.
class BlackBox final : public SwitchingFunctions {
 public:
  explicit BlackBox(std::function<double(double)> g, std::uint32_t count = 1)
      : g_(std::move(g)), count_(count) {}

  std::uint32_t count() const override { return count_; }
  const SwitchInfo& info(std::uint32_t) const override { return info_; }
  bool is_active(std::uint32_t) const override { return true; }
  Evaluation evaluate(double t, std::span<const double>, std::span<const double>,
                      std::span<double> g) override {
    ++n_all;
    for (std::uint32_t k = 0; k < count_; ++k) {
      g[k] = g_(t);
      if (!std::isfinite(g[k])) return Evaluation::out_of_domain(k);
    }
    return Evaluation::ok();
  }
  Evaluation evaluate_one(std::uint32_t which, double t, std::span<const double>,
                          std::span<const double>, double& g) override {
    ++n_single;
    g = g_(t);
    return std::isfinite(g) ? Evaluation::ok() : Evaluation::out_of_domain(which);
  }
  Evaluation rates(double, std::span<const double>, std::span<const double>, std::span<double>,
                   std::span<double>) override {
    return Evaluation::failed(0);
  }
  const CscPattern& gradient_pattern() const override { return pattern_; }
  Evaluation gradients(double, std::span<const double>, std::span<const double>,
                       std::span<double>) override {
    return Evaluation::failed(0);
  }
  double next_time(double, double t_end) override { return t_end; }
  bool is_timed(std::uint32_t) const override { return false; }
  bool is_due(std::uint32_t, double) override { return false; }

  int n_all = 0;
  int n_single = 0;

 private:
  std::function<double(double)> g_;
  std::uint32_t count_;
  SwitchInfo info_;
  CscPattern pattern_;
};

const test::OwnedStep unit_step(0.0, 1.0, {{0.0}});

std::vector<Departure> first_of(BlackBox& box, DepartureSearch& search, double s_from = 0.0) {
  const std::vector<std::int8_t> side(box.count(), 1);
  const auto found = search.first(unit_step.step(), s_from, {side, {}, {}});
  return {found.begin(), found.end()};
}

/// (D.5): eight Chebyshev points and two probes represent a sine to a millionth, so a pair of zeros between
/// two of them is found.
TEST(EventSamples, APolynomialThroughThemSeesBetweenThem) {
  BlackBox box([](double t) { return std::sin(3 * t) - 0.99; });
  DepartureSearch search(box, nullptr);
  const auto d = first_of(box, search);
  ASSERT_EQ(d.size(), 1U);
  EXPECT_NEAR(d[0].s_after, 0.0, 0.0);  // it begins on the wrong side
  BlackBox dip(
      [](double t) { return 0.9995 - std::sin(3 * t); });  // below zero for 0.02 of the step
  DepartureSearch dip_search(dip, nullptr);
  const auto found = first_of(dip, dip_search);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NEAR(found[0].s_after, std::asin(0.9995) / 3, 64 * 0x1p-53);
  EXPECT_EQ(found[0].guarantee, Guarantee::heuristic);
  EXPECT_EQ(dip_search.counts()[0].n_heuristic, 1U);
  // The twin: what the points themselves do not show, four of them cannot guess.
  DepartureSearch blind(dip, nullptr, {.enclosures = false});
  EXPECT_TRUE(first_of(dip, blind).empty());
}

TEST(EventSamples, AJumpIsFoundBySigns) {
  BlackBox box([](double t) { return t < 0.6180339887 ? 1.0 : -2.0; });
  DepartureSearch search(box, nullptr);
  const auto d = first_of(box, search);
  ASSERT_EQ(d.size(), 1U);
  EXPECT_LE(d[0].t_before, 0.6180339887);
  EXPECT_NEAR(d[0].t_after, 0.6180339887, 4 * 0x1p-53);
}

TEST(EventSamples, BeyondItsDomainTheStepIsUnknown) {
  BlackBox own([](double t) { return t < 0.7 ? 1.0 + t : std::nan(""); });
  DepartureSearch search(own, nullptr);
  EXPECT_TRUE(first_of(own, search).empty());
  EXPECT_EQ(search.counts()[0].n_heuristic, 1U);
  // A zero before the domain ends is found all the same.
  BlackBox root([](double t) { return t < 0.7 ? std::sqrt(0.7 - t) - 0.5 : std::nan(""); });
  DepartureSearch root_search(root, nullptr);
  const auto d = first_of(root, root_search);
  ASSERT_EQ(d.size(), 1U);
  EXPECT_NEAR(d[0].s_after, 0.45, 8 * 0x1p-53);
}

TEST(EventSamples, ManyFunctionsShareTheirPoints) {
  BlackBox box([](double t) { return 1.0 + t; }, 50);
  DepartureSearch search(box, nullptr, {.samples_per_step = 6});
  EXPECT_TRUE(first_of(box, search).empty());
  EXPECT_EQ(box.n_all, 6 + 2);
  EXPECT_EQ(box.n_single, 0);
  EXPECT_EQ(search.counts()[7].n_evaluations, 8U);
}

TEST(EventSamples, ZeroAtTheBeginAndThenTheWrongSideDepartsAtOnce) {
  BlackBox wrong([](double t) { return -t; });
  DepartureSearch search(wrong, nullptr);
  const auto d = first_of(wrong, search);
  ASSERT_EQ(d.size(), 1U);
  EXPECT_LE(d[0].t_after, 4 * 0x1p-52);
  BlackBox own([](double t) { return t - 1e-18; });
  DepartureSearch own_search(own, nullptr);
  EXPECT_TRUE(first_of(own, own_search).empty());
}

/// |x - 0.3| - 0.1 has a kink at 0.3: away from it everything is proven, at it samples are used.
TEST(EventSamples, AKinkIsShutUpInASmallPart) {
  Graph graph;
  const Expr x = state(graph, "x");
  test::ExpressionSwitching functions(graph, 1, {0.1 - abs(x - 0.3), abs(x - 0.3) + 0.01});
  DepartureSearch search(functions, &functions);
  const test::OwnedStep step(0.0, 1.0, {{0.21, 1.0}});
  const std::vector<std::int8_t> side = {1, 1};
  const auto d = search.first(step.step(), 0.0, {side, {}, {}});
  ASSERT_EQ(d.size(), 1U);
  EXPECT_EQ(d[0].which, 0U);
  EXPECT_NEAR(d[0].s_after, 0.19, 8 * 0x1p-53);
  EXPECT_EQ(d[0].guarantee, Guarantee::heuristic);
  EXPECT_EQ(search.counts()[1].n_proven, 1U);  // its range tells
}

}  // namespace
}  // namespace saltus
