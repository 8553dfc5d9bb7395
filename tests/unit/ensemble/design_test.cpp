// Which values runs have.
#include <gtest/gtest.h>

#include <boost/random/sobol.hpp>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include <saltus/core/error.hpp>
#include <saltus/ensemble/design.hpp>

#include "ensemble/sobol_points.hpp"

namespace saltus {
namespace {

std::string refusal(std::vector<Table> tables, std::optional<Samples> samples) {
  try {
    const Design design(std::move(tables), std::move(samples));
  } catch (const Error& e) {
    return e.what();
  }
  return "accepted";
}

TEST(Design, IsEveryRowOfEveryTableWithEverySample) {
  Samples samples{2, 1, Sampler::random, {{"u", DistributionKind::uniform, 0.0, 1.0}}};
  const Design design({{{"a"}, {{1}, {2}, {3}}}, {{"b", "c"}, {{10, 100}, {20, 200}}}}, samples);
  ASSERT_EQ(design.n_runs(), 12u);
  EXPECT_EQ(design.names()[3], "u");
  std::set<std::vector<double>> all;
  for (std::uint64_t i = 0; i < 12; ++i) all.insert(design.values(i));
  EXPECT_EQ(all.size(), 12u);
  EXPECT_EQ(design.values(4)[0], 2);  // 4 = 1 + 3 (1 + 2 0)
  EXPECT_EQ(design.values(4)[1], 20);
  EXPECT_EQ(design.values(4)[2], 200);
  EXPECT_EQ(design.values(4)[3], design.values(0)[3]);  // grid points share their samples
  EXPECT_NE(design.values(6)[3], design.values(0)[3]);
}

TEST(Design, OfALatinHypercubeHasOnePointPerCell) {
  constexpr std::uint64_t n = 137;
  const Design design({}, Samples{n,
                                  3,
                                  Sampler::latin_hypercube,
                                  {{"a", DistributionKind::uniform, 0.0, 1.0},
                                   {"b", DistributionKind::uniform, 0.0, 1.0}}});
  const Design random({}, Samples{n,
                                  3,
                                  Sampler::random,
                                  {{"a", DistributionKind::uniform, 0.0, 1.0},
                                   {"b", DistributionKind::uniform, 0.0, 1.0}}});
  for (std::size_t d = 0; d < 2; ++d) {
    std::set<int> cells, by_chance;
    for (std::uint64_t i = 0; i < n; ++i) {
      cells.insert(static_cast<int>(design.values(i)[d] * n));
      by_chance.insert(static_cast<int>(random.values(i)[d] * n));
    }
    EXPECT_EQ(cells.size(), n);
    EXPECT_LT(by_chance.size(), n);  // the twin
  }
}

// Boost gives the sequence from its second point on, here with the shift taken out.
TEST(SobolPoints, AreThoseOfBoostShifted) {
  constexpr std::uint32_t dimensions = 7;
  const CounterRandom random(5);
  const detail::SobolPoints points(dimensions, random);
  boost::random::sobol_engine<std::uint64_t, 52> engine(dimensions);
  const auto bits = [&](std::uint64_t i, std::uint32_t d) {
    return static_cast<std::uint64_t>(points.at(i, d) * 0x1p52);
  };
  for (std::uint64_t i = 1; i < 300; ++i)
    for (std::uint32_t d = 0; d < dimensions; ++d)
      ASSERT_EQ(bits(i, d) ^ bits(0, d), engine()) << i << " " << d;
}

// 2^k points: one in each of 2^k cells of every dimension.
TEST(SobolPoints, AreSpread) {
  const detail::SobolPoints points(5, CounterRandom(9));
  for (std::uint32_t d = 0; d < 5; ++d) {
    std::set<int> cells;
    for (std::uint64_t i = 0; i < 256; ++i) cells.insert(static_cast<int>(points.at(i, d) * 256));
    EXPECT_EQ(cells.size(), 256u);
  }
}

TEST(Distribution, HasItsQuantiles) {
  // Phi(1.959963984540054) = 0.975, Phi(-6) = 9.865876450376946e-10
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-14);
  EXPECT_NEAR(normal_quantile(9.865876450376946e-10), -6.0, 1e-13);
  const Distribution log{"x", DistributionKind::log_uniform, 1e-3, 1e3};
  EXPECT_NEAR(log.quantile(0.5), 1.0, 1e-15);
  const Distribution normal{"x", DistributionKind::normal, 10.0, 2.0};
  EXPECT_EQ(normal.quantile(0.5), 10.0);
}

// Correlation of n pairs has the standard error (1 - r^2) / sqrt(n); five of them.
TEST(Design, HasTheCorrelationAskedFor) {
  Matrix c(2, 2);
  c(0, 0) = c(1, 1) = 1.0;
  c(0, 1) = c(1, 0) = 0.6;
  constexpr std::uint64_t n = 20000;
  const Design design({}, Samples{n,
                                  1,
                                  Sampler::random,
                                  {{"a", DistributionKind::normal, 5.0, 2.0},
                                   {"b", DistributionKind::normal, 0.0, 0.1}},
                                  c});
  double aa = 0, ab = 0, bb = 0;
  for (std::uint64_t i = 0; i < n; ++i) {
    const auto v = design.values(i);
    const double a = (v[0] - 5.0) / 2.0, b = v[1] / 0.1;
    aa += a * a, ab += a * b, bb += b * b;
  }
  EXPECT_NEAR(ab / std::sqrt(aa * bb), 0.6, 5 * (1 - 0.36) / std::sqrt(double{n}));
  EXPECT_NEAR(aa / n, 1.0, 5 * std::sqrt(2.0 / n));
}

TEST(Design, RefusesWhatMakesNoSense) {
  const Samples good{5, 1, Sampler::random, {{"a", DistributionKind::uniform, 0.0, 1.0}}};
  EXPECT_EQ(refusal({}, good), "accepted");
  EXPECT_NE(refusal({{{"a"}, {{1.0}}}}, good).find("'vary.a': is given twice"), std::string::npos)
      << refusal({{{"a"}, {{1.0}}}}, good);
  EXPECT_NE(refusal({{{"b"}, {}}}, good).find("has no values"), std::string::npos);
  EXPECT_NE(refusal({}, std::nullopt).find("names nothing"), std::string::npos);
  Samples backward = good;
  backward.of[0].a = 2.0;
  EXPECT_NE(refusal({}, backward).find("the lower bound comes first"), std::string::npos);
  Samples correlated = good;
  correlated.of.push_back({"b", DistributionKind::normal, 0.0, 1.0});
  correlated.correlation = Matrix(2, 2);
  for (double& v : correlated.correlation.values) v = 1.0;
  EXPECT_NE(refusal({}, correlated).find("positive definite"), std::string::npos);
}

}  // namespace
}  // namespace saltus
