#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <saltus/trajectory.hpp>
#include "support/allocation_counter.hpp"
#include "unit/trajectory/steps.hpp"

namespace saltus {
namespace {

using test::bits;
using test::polynomial;

struct PlainStep {
  std::size_t segment;
  double t_left, t_right;
  std::vector<double> c;
};

/// The specification, step by step: of the steps that contain t the first or the last in the order
/// of the run, then on to the later one where two of a segment meet.
double by_linear_search(const std::vector<PlainStep>& steps, bool backward, double t, Side side) {
  std::optional<std::size_t> found;
  for (std::size_t k = 0; k < steps.size(); ++k) {
    if (t < std::min(steps[k].t_left, steps[k].t_right)) continue;
    if (t > std::max(steps[k].t_left, steps[k].t_right)) continue;
    if (!found || (side == Side::right) != backward || steps[k].segment == steps[*found].segment)
      found = k;
  }
  const PlainStep& s = steps[found.value()];
  if (t == s.t_left) return s.c[0];
  const double at = (t - s.t_left) / (s.t_right - s.t_left);
  double sum = s.c.back();
  for (std::size_t k = s.c.size() - 1; k-- > 0;) sum = sum * at + s.c[k];
  return sum;
}

TEST(TrajectoryLookup, RandomLookupsAgreeWithALinearSearchBitForBit) {
  const unsigned seed = 20260715;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> value(-1, 1);
  auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  int compared = 0, sides_differ = 0;
  for (int run = 0; run < 60; ++run) {
    const bool backward = run % 2 == 1;
    TrajectoryRecorder recorder({{"x", "", ""}});
    std::vector<PlainStep> steps;
    std::vector<double> times;
    double t = value(random);
    recorder.begin_segment("", t);
    for (int segment = 0; segment < 1 + below(8); ++segment) {
      if (segment > 0) recorder.begin_segment("", t);
      if (below(3) == 0) {
        steps.push_back({recorder.trajectory().segments().size(), t, t, {value(random)}});
        recorder.add_point(steps.back().c);
      }
      for (int n = below(6); n > 0; --n) {
        const double next = t + (backward ? -1 : 1) * (0.01 + std::abs(value(random)));
        std::vector<double> c(static_cast<std::size_t>(1 + below(5)));
        for (double& k : c) k = value(random);
        recorder.add_step(polynomial(t, next, c));
        steps.push_back({recorder.trajectory().segments().size(), t, next, c});
        for (double s : {0.0, 0.1, 0.7, 1.0}) times.push_back(s == 1.0 ? next : t + s * (next - t));
        t = next;
      }
    }
    const Trajectory trajectory = recorder.take();
    for (double at : times) {
      double found[2];
      for (Side side : {Side::left, Side::right}) {
        found[side == Side::left] = trajectory.at("x", at, side);
        ASSERT_EQ(bits(found[side == Side::left]),
                  bits(by_linear_search(steps, backward, at, side)))
            << "run " << run << ", t = " << at;
        ++compared;
      }
      sides_differ += found[0] != found[1];
    }
  }
  EXPECT_GT(compared, 1000);
  EXPECT_GT(sides_differ, 50);  // the search was asked where it matters
}

// ---- cost ------------------------------------------------------------------------------------------

Trajectory long_run(std::uint32_t n_variables, int degree, int n_steps) {
  std::vector<VariableInfo> variables;
  for (std::uint32_t i = 0; i < n_variables; ++i) variables.push_back({std::to_string(i), "", ""});
  const std::vector<double> c((static_cast<std::size_t>(degree) + 1) * n_variables, 1.0);
  TrajectoryRecorder recorder(variables);
  recorder.begin_segment("", 0);
  for (int k = 0; k < n_steps; ++k) recorder.add_step(polynomial(k, k + 1, c, n_variables));
  return recorder.take();
}

TEST(TrajectoryLookup, AStepTakesItsCoefficientsAndThreeNumbers) {
  for (std::uint32_t n : {1U, 7U}) {
    for (int degree : {0, 3}) {
      const std::size_t per_step = 8 * ((static_cast<std::size_t>(degree) + 1) * n + 3);
      const std::size_t few = long_run(n, degree, 1000).memory();
      EXPECT_EQ(long_run(n, degree, 3000).memory() - few, 2000 * per_step);
      EXPECT_EQ(long_run(n, degree, 2000).memory() - few, 1000 * per_step);
    }
  }
  EXPECT_NE(long_run(1, 4, 100).memory(), long_run(1, 3, 100).memory());
}

TEST(TrajectoryLookup, RecordingAllocatesRarelyAndAskingNever) {
  if (!test::counts_allocations()) GTEST_SKIP() << "the sanitizer has its own allocator";
  const long before = test::allocations();
  const Trajectory t = long_run(3, 3, 100000);
  // Doubling: log2(100000) = 17 allocations for each of two arrays, and a few for the rest.
  EXPECT_LT(test::allocations() - before, 100);
  const long asked = test::allocations();
  double sum = 0;
  std::vector<double> all(3);
  const long after_vector = test::allocations();
  for (int k = 0; k < 1000; ++k) {
    sum += t.at("1", 99.5 * k) + *t.derivative_at(2, 99.5 * k);
    t.at(k, all);
  }
  EXPECT_EQ(test::allocations(), after_vector);
  EXPECT_GT(after_vector, asked);  // the counter counts
  EXPECT_GT(sum, 0);
}

}  // namespace
}  // namespace saltus
