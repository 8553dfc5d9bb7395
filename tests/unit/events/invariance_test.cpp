// What must not matter: the direction and the origin of time, the order of the functions.
#include <saltus/events.hpp>

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "problems/detection_study.hpp"

namespace saltus {
namespace {

using problems::DetectionFunctions;
using problems::DetectionStudy;
using test::OwnedStep;

constexpr std::uint32_t n_states = 4;

/// Autonomous: time enters through the step alone.
std::vector<Expr> autonomous_functions(const Expr&, const std::vector<Expr>& x) {
  return {x[0] - 0.5 * x[1],          x[0] * x[1] + 0.2 * x[2],
          sin(2.0 * x[0]) - x[2],     exp(x[0]) - 1.3 + x[1],
          x[0] / (1.0 + sqr(x[1])),   sqrt(1.0 + sqr(x[0])) - log(2.0 + sqr(x[1])) - 0.3,
          pow(x[0], 3.0) - tanh(x[1])};
}

struct Zero {
  std::uint32_t which = 0;
  double s = 0.0;
};

/// All zeros of all functions in order, each function going on from the other side.
std::vector<Zero> all_zeros(DetectionFunctions& functions, const StepPolynomial& step) {
  DepartureSearch search(functions.functions(), functions.enclosure());
  std::vector<std::int8_t> side(functions.count());
  std::vector<double> x(step.n), g(functions.count());
  step.state_at(step.t_left, x);
  EXPECT_TRUE(functions.functions().evaluate(step.t_left, x, x, g));
  for (std::size_t k = 0; k < g.size(); ++k) side[k] = g[k] < 0 ? -1 : 1;
  std::vector<Zero> zeros;
  double from = 0.0;
  for (int i = 0; i < 100; ++i) {
    const auto found = search.first(step, from, {side, {}, {}});
    if (found.empty()) return zeros;
    for (const Departure& d : found) {
      zeros.push_back({d.which, d.s_after});
      side[d.which] = static_cast<std::int8_t>(-side[d.which]);
      from = std::max(from, d.s_after);
    }
  }
  ADD_FAILURE() << "there is no end of zeros";
  return zeros;
}

/// The same zeros, up to the resolution of time and the rounding of functions with slopes that are not
/// small; nearly simultaneous ones may change places.
void expect_same_zeros(std::vector<Zero> a, std::vector<Zero> b, double tolerance) {
  const auto order = [](const Zero& p, const Zero& q) {
    return p.which != q.which ? p.which < q.which : p.s < q.s;
  };
  std::sort(a.begin(), a.end(), order);
  std::sort(b.begin(), b.end(), order);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].which, b[i].which);
    EXPECT_NEAR(a[i].s, b[i].s, tolerance);
  }
}

OwnedStep moved(OwnedStep step, double t_left, double t_right) {
  step.t0 = t_left;
  step.t1 = t_right;
  return step;
}

/// p(1 - s).
OwnedStep mirrored(const OwnedStep& step) {
  OwnedStep m = step;
  for (std::uint32_t i = 0; i < step.n; ++i) {
    for (int k = 0; k <= step.degree; ++k) {
      double sum = 0.0;
      for (int j = k; j <= step.degree; ++j) {
        double binomial = 1.0;
        for (int l = 0; l < k; ++l) binomial = binomial * (j - l) / (l + 1);
        sum += binomial * step.step().coefficient(j, i);
      }
      m.coefficients[static_cast<std::size_t>(k) * step.n + i] = k % 2 == 0 ? sum : -sum;
    }
  }
  return m;
}

class EventInvariance : public testing::Test {
 protected:
  /// Calls visit(step, its zeros) for wild steps of length one whose zeros are far from double ones:
  /// every function has a slope of at least 1e-3 where it vanishes.
  template <class Visit>
  void for_wild_steps(const Visit& visit) {
    DetectionStudy source(5);
    int n_visited = 0;
    std::size_t n_zeros = 0;
    for (int n = 0; n < 100; ++n) {
      const OwnedStep step = moved(source.random_step(n_states, 1.2), 0.0, 1.0);
      const std::vector<Zero> zeros = all_zeros(functions, step.step());
      bool is_steep = true;
      for (const Zero& z : zeros) {
        problems::ExactFunction g(functions.exact(), z.which);
        const double slope =
            (g.plain(step.step(), z.s + 1e-6) - g.plain(step.step(), z.s - 1e-6)) / 2e-6;
        is_steep = is_steep && std::abs(slope) > 1e-3 && z.s > 1e-4 && z.s < 1 - 1e-4;
      }
      if (!is_steep) continue;
      ++n_visited;
      n_zeros += zeros.size();
      visit(step, zeros);
    }
    EXPECT_GT(n_visited, 50);
    EXPECT_GT(n_zeros, 125U);
  }

  // Values of a few tens, a few roundings each, over the slope.
  static constexpr double rounding = 1000 * 0x1p-53 / 1e-3;

  DetectionFunctions functions{n_states, autonomous_functions};
};

TEST_F(EventInvariance, DirectionOfTime) {
  for_wild_steps([&](const OwnedStep& step, const std::vector<Zero>& zeros) {
    expect_same_zeros(all_zeros(functions, moved(step, 3.0, 2.0).step()), zeros, rounding);
  });
}

TEST_F(EventInvariance, APathThatRunsBackwardHasTheSameZeros) {
  for_wild_steps([&](const OwnedStep& step, const std::vector<Zero>& zeros) {
    std::vector<Zero> back = all_zeros(functions, mirrored(step).step());
    for (Zero& z : back) z.s = 1.0 - z.s;
    expect_same_zeros(back, zeros, 100 * rounding);  // coefficients of p(1 - s) are rounded, too
  });
}

TEST_F(EventInvariance, OriginOfTime) {
  for_wild_steps([&](const OwnedStep& step, const std::vector<Zero>& zeros) {
    // An ulp of 1e9 is 1.2e-7 of this step, and a bracket has up to four.
    for (std::size_t i = 1; i < zeros.size(); ++i) {
      if (zeros[i].s - zeros[i - 1].s < 4e-6) return;
    }
    expect_same_zeros(all_zeros(functions, moved(step, 1e9, 1e9 + 1).step()), zeros,
                      4 * 0x1p-23 + rounding);
  });
}

TEST_F(EventInvariance, OrderOfTheFunctions) {
  DetectionFunctions other(n_states, [](const Expr& t, const std::vector<Expr>& x) {
    std::vector<Expr> f = autonomous_functions(t, x);
    std::reverse(f.begin(), f.end());
    return f;
  });
  for_wild_steps([&](const OwnedStep& step, const std::vector<Zero>& zeros) {
    std::vector<Zero> reversed = all_zeros(other, step.step());
    ASSERT_EQ(reversed.size(), zeros.size());
    for (std::size_t i = 0; i < zeros.size(); ++i) {
      // To the last bit.
      EXPECT_EQ(reversed[i].s, zeros[i].s);
      EXPECT_EQ(functions.count() - 1 - reversed[i].which, zeros[i].which);
    }
  });
}

}  // namespace
}  // namespace saltus
