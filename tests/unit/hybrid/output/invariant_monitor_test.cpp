// What should stay constant is watched: its first value, its last one, and the largest deviation.
#include "hybrid/output/invariant_monitor.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace saltus::detail {
namespace {

/// Variables a, energy (invariant), b, momentum (invariant), in a mode that may lack some.
struct InvariantMap final : VariableMap {
  std::vector<VariableInfo> infos{
      {"a", "", ""}, {"energy", "J", "", true}, {"b", "", ""}, {"momentum", "N.s", "", true}};
  std::vector<std::uint8_t> exists = {1, 1, 1, 1};

  std::span<const VariableInfo> variables() const override { return infos; }
  bool present(std::uint32_t v) const override { return exists[v] != 0; }
  std::optional<std::uint32_t> unknown(std::uint32_t v) const override { return v; }
  Evaluation values(Workspace&, double, std::span<const double>, std::span<const double>,
                    std::span<double>) const override {
    return Evaluation::ok();
  }
};

using InvariantValues = std::vector<double>;

TEST(InvariantMonitor, OnlyDeclaredInvariantsAreWatched) {
  InvariantMap map;
  InvariantMonitor monitor(map);
  EXPECT_FALSE(monitor.empty());
  monitor.observe(map, 0.5, InvariantValues{7.0, 2.0, 8.0, -3.0});
  const auto records = monitor.records();
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].name, "energy");
  EXPECT_EQ(records[0].unit, "J");
  EXPECT_EQ(records[0].initial, 2.0);
  EXPECT_EQ(records[0].largest_deviation, 0.0);
  EXPECT_EQ(records[0].t_largest, 0.5);
  EXPECT_EQ(records[1].name, "momentum");
  EXPECT_EQ(records[1].initial, -3.0);
  for (VariableInfo& info : map.infos) info.invariant = false;
  EXPECT_TRUE(InvariantMonitor(map).empty());
}

TEST(InvariantMonitor, TheLargestDeviationKeepsItsSignAndItsFirstTime) {
  const InvariantMap map;
  InvariantMonitor monitor(map);
  const double energies[] = {2.0, 2.5, 1.25, 2.75, 1.5};
  for (int k = 0; k < 5; ++k) monitor.observe(map, k, InvariantValues{0.0, energies[k], 0.0, 0.0});
  const InvariantRecord energy = monitor.records()[0];
  EXPECT_EQ(energy.initial, 2.0);
  EXPECT_EQ(energy.last, 1.5);
  // 2.75 at t = 3 is as far away, but later.
  EXPECT_EQ(energy.largest_deviation, -0.75);
  EXPECT_EQ(energy.t_largest, 2.0);
}

TEST(InvariantMonitor, AnInvariantCountsFromWhereItIsFirstSeen) {
  InvariantMap map;
  InvariantMonitor monitor(map);
  map.exists = {1, 0, 1, 1};
  monitor.observe(map, 0.0, InvariantValues{0.0, 100.0, 0.0, 1.0});
  ASSERT_EQ(monitor.records().size(), 1U);
  EXPECT_EQ(monitor.records()[0].name, "momentum");
  map.exists = {1, 1, 1, 0};
  monitor.observe(map, 1.0, InvariantValues{0.0, 5.0, 0.0, 50.0});
  const auto records = monitor.records();
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].initial, 5.0);
  EXPECT_EQ(records[0].t_largest, 1.0);
  EXPECT_EQ(records[1].last, 1.0);  // the mode does not have it any more
}

TEST(InvariantMonitor, ValuesThatAreNoNumbersAreNotSeen) {
  const InvariantMap map;
  InvariantMonitor monitor(map);
  monitor.observe(map, 0.0, InvariantValues{0.0, std::nan(""), 0.0, 1.0});
  ASSERT_EQ(monitor.records().size(), 1U);
  monitor.observe(map, 1.0, InvariantValues{0.0, 4.0, 0.0, 1.0});
  constexpr double infinite = std::numeric_limits<double>::infinity();
  monitor.observe(map, 2.0, InvariantValues{0.0, infinite, 0.0, 1.0});
  const InvariantRecord energy = monitor.records()[0];
  EXPECT_EQ(energy.initial, 4.0);
  EXPECT_EQ(energy.last, 4.0);
  EXPECT_EQ(energy.largest_deviation, 0.0);
}

}  // namespace
}  // namespace saltus::detail
