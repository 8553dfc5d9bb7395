// Options as a report shows them: checked, and beside their defaults.
#include "hybrid/core/option_report.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace saltus::detail {
namespace {

const OptionPair& pair_called(const std::vector<OptionPair>& pairs, const std::string& name) {
  const auto found = std::ranges::find(pairs, name, &OptionPair::name);
  EXPECT_NE(found, pairs.end()) << name;
  return *found;
}

TEST(OptionReport, EachOptionIsListedOnceInItsOrderAndNothingIsChanged) {
  const auto pairs = checked_options({});
  const auto all = list_options<RunOptions>();
  ASSERT_EQ(pairs.size(), all.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    EXPECT_EQ(pairs[i].name, all[i].name);
    EXPECT_EQ(pairs[i].given, pairs[i].default_value);
    EXPECT_FALSE(pairs[i].changed) << pairs[i].name;
  }
}

TEST(OptionReport, AnOptionThatWasGivenStandsBesideItsDefault) {
  RunOptions options;
  options.rtol = 1e-3;
  options.events.surface_of = {{"x > 0", SurfacePolicy::cross}};
  const auto pairs = checked_options(options);
  EXPECT_EQ(pair_called(pairs, "rtol").given, "0.001");
  EXPECT_EQ(pair_called(pairs, "rtol").default_value, "1e-06");
  EXPECT_EQ(pair_called(pairs, "events.surface_of").given, "x > 0=cross");
  EXPECT_EQ(std::ranges::count(pairs, true, &OptionPair::changed), 2);
  const auto slow = compare_options(options);
  for (std::size_t i = 0; i < pairs.size(); ++i) EXPECT_EQ(pairs[i].given, slow[i].given);
}

TEST(OptionReport, NothingIsLeftOfTheRunBefore) {
  RunOptions options;
  options.max_order = 2;
  EXPECT_TRUE(pair_called(checked_options(options), "max_order").changed);
  const auto next = checked_options({});
  EXPECT_FALSE(pair_called(next, "max_order").changed);
  EXPECT_EQ(pair_called(next, "max_order").given, "5");
}

TEST(OptionReport, AnOptionOutOfItsBoundsIsRefusedByName) {
  RunOptions options;
  options.limits.warn_at = 1.5;
  try {
    (void)checked_options(options);
    ADD_FAILURE() << "not refused";
  } catch (const OptionError& e) {
    EXPECT_EQ(e.field(), "limits.warn_at");
    EXPECT_NE(std::string(e.what()).find("1.5 is refused"), std::string::npos) << e.what();
  }
  options.limits.warn_at = 1.0;  // the bound itself, and again after a refusal
  EXPECT_TRUE(pair_called(checked_options(options), "limits.warn_at").changed);
}

}  // namespace
}  // namespace saltus::detail
