// Random DAEs: no answer may be wrong, few may be refused; ranks of the unscaled array in double
// precision show that the cases are not easy.
#include <cstdlib>

#include <gtest/gtest.h>

#include "reduce/certificate.hpp"

#include "analysed_models.hpp"
#include "random_daes.hpp"

namespace saltus {
namespace {

using namespace testing_support;

std::uint64_t property_cases(std::uint64_t otherwise) {
  const char* text = std::getenv("SALTUS_PROPERTY_CASES");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

struct Tally {
  std::uint64_t right = 0, wrong = 0, refused = 0;

  std::uint64_t total() const { return right + wrong + refused; }
  void count(const std::optional<CharacteristicValues>& found, const CharacteristicValues& truth) {
    ++(!found ? refused : *found == truth ? right : wrong);
  }
  std::string text() const {
    return std::to_string(right) + " right, " + std::to_string(wrong) + " wrong, " +
           std::to_string(refused) + " refused";
  }
};

/// What ranks in double precision say without scaling: pivots count from 1e-9 on.
std::optional<CharacteristicValues> naive_values(const System& system, Workspace& workspace,
                                                 double t, const IndexAnalysis& analysis) {
  detail::ScaledArray<double> array(system, workspace, t);
  const ArrayScaling none = detail::unit_scaling(system);
  detail::ArrayCoefficients<double> coefficients;
  const int n_levels = analysis.values.mu + 2;
  if (!array.coefficients(analysis.path, n_levels - 1, none, coefficients)) return std::nullopt;
  return detail::read_levels(array, coefficients, n_levels, none, 0, 1e-9)
      .unconfirmed_values(system.n_equations(), system.size());
}

struct Tallies {
  Tally analysis, naive;
  std::string refusals;
};

Tallies tally(std::uint64_t first_seed, RandomDaeOptions options) {
  Tallies tallies;
  const std::uint64_t n_cases = property_cases(60);
  for (std::uint64_t seed = first_seed; seed < first_seed + n_cases; ++seed) {
    const RandomDae dae = RandomDaeWriter(seed, options).write();
    const auto system = compiled(*dae.model);
    auto workspace = system->workspace();
    const auto found = analyze_index(*system, *workspace, dae.t, system->start_values(), {});
    tallies.analysis.count(found ? std::optional(found->values) : std::nullopt, dae.truth);
    if (!found) {
      tallies.refusals +=
          "seed " + std::to_string(seed) + ", " + dae.text + ": " + found.failure().message + "\n";
      continue;
    }
    EXPECT_EQ(to_text(found->values), to_text(dae.truth)) << "seed " << seed;
    tallies.naive.count(naive_values(*system, *workspace, dae.t, *found), dae.truth);
  }
  testing::Test::RecordProperty("analysis", tallies.analysis.text());
  testing::Test::RecordProperty("unscaled_double", tallies.naive.text());
  return tallies;
}

void expect_none_wrong(const Tallies& t, std::uint64_t most_percent_refused) {
  EXPECT_EQ(t.analysis.wrong, 0u) << t.analysis.text();
  EXPECT_LE(t.analysis.refused * 100, most_percent_refused * t.analysis.total())
      << t.analysis.text() << "\n"
      << t.refusals;
  EXPECT_GT(t.naive.wrong, 0u) << "the cases are too easy: " << t.naive.text();
}

TEST(RandomDaes, LinearAndVaryingInTime) { expect_none_wrong(tally(1000, {}), 3); }

// The search for a consistent point may fail from a random guess; ranks may not be wrong.
TEST(SlowRandomDaes, Nonlinear) {
  expect_none_wrong(tally(500000, {.block_decades = 1.0, .nonlinear = true}), 10);
}

// To the last digit these are other systems, with coefficients of 1e-16 that make chains regular.
TEST(SlowRandomDaes, DataRoundedToDoublePrecision) {
  expect_none_wrong(tally(900000, {.rounded = true}), 25);
}

// Without the scaling that hides them the same systems are easy: the generator is right.
TEST(RandomDaes, UnscaledTwinsAreEasy) {
  const Tallies t = tally(700000, {.unit_decades = 0.0, .block_decades = 0.0});
  EXPECT_EQ(t.analysis.right, t.analysis.total()) << t.analysis.text() << "\n" << t.refusals;
  EXPECT_EQ(t.naive.wrong, 0u) << t.naive.text();
}

}  // namespace
}  // namespace saltus
