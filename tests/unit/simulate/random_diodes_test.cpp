// Random networks: whatever the diodes do, they do what diodes do.
#include <gtest/gtest.h>

#include "problems/random_diode_networks.hpp"

namespace saltus::problems {
namespace {

constexpr double network_tolerance = 1e-6;

Solution run_network(const RandomDiodeNetwork& network) {
  return simulate(network.model(), {.t_end = 5.0,
                                    .rtol = network_tolerance,
                                    .atol = network_tolerance,
                                    .engine = EngineKind::radau,
                                    .limits = {.max_events = 2000}});
}

void expect_diodes(std::uint32_t first_seed, std::uint32_t n_seeds) {
  for (std::uint32_t seed = first_seed; seed < first_seed + n_seeds; ++seed) {
    const RandomDiodeNetwork network(seed);
    const Solution s = run_network(network);
    ASSERT_TRUE(s.ok()) << "seed " << seed << ": " << s.report.message;
    EXPECT_LE(network.violation(s), 300 * network_tolerance) << "seed " << seed;
  }
}

TEST(RandomDiodes, SatisfyTheirConditions) { expect_diodes(1, 20); }
TEST(SlowRandomDiodes, SatisfyTheirConditions) { expect_diodes(100, 200); }

TEST(RandomDiodes, ADiodeOfAnotherNetworkIsNoticed) {
  Model m("a resistor instead");
  Expr e = m.state("e0", 0.0), i0 = m.algebraic("i0"), i1 = m.algebraic("i1");
  Expr v = e;
  m.equation(der(e) + i0 + i1 == sin(m.time()));
  m.equation(i0 == e);
  m.equation(i1 == 0.5 * e);
  for (const char* name : {"v0", "v1", "v2", "v3", "v4"}) m.output(name, v);
  for (const char* name : {"i2", "i3", "i4"}) m.output(name, i0);
  const Solution s = simulate(m, {.t_end = 5.0});
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_GT(RandomDiodeNetwork(1).violation(s), 0.1);
}

}  // namespace
}  // namespace saltus::problems
