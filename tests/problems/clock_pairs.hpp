// Two clocks whose intervals are decimals: which of their ticks fall together is known in integers.
#pragma once

#include <cstdint>
#include <numeric>
#include <random>

#include <saltus/saltus.hpp>

namespace saltus::problems {

/// Intervals in units of 1e-4 s.
struct ClockPair {
  std::uint32_t first = 1, second = 1;
};

/// Half of the pairs have a common factor that brings them together often.
inline ClockPair random_clocks(std::mt19937_64& random) {
  const auto between = [&](std::uint32_t low, std::uint32_t high) {
    return std::uniform_int_distribution<std::uint32_t>(low, high)(random);
  };
  if (random() % 2 == 0) return {between(1, 9999), between(1, 9999)};
  const std::uint32_t common = between(1, 999);
  return {common * between(1, 10), common * between(1, 10)};
}

struct ClockTicks {
  std::uint64_t n_first = 0, n_second = 0, n_together = 0;
};

/// Of the first `n` ticks of the faster clock; both tick after their interval first.
inline ClockTicks expected_ticks(const ClockPair& pair, std::uint64_t n) {
  const std::uint64_t until = n * std::min(pair.first, pair.second);
  return {until / pair.first, until / pair.second, until / std::lcm(pair.first, pair.second)};
}

/// The same from a run, in which each clock counts, and one of them looks whether the other one ticks with it.
inline Result<ClockTicks> run_clocks(const ClockPair& pair, std::uint64_t n) {
  constexpr double unit = 10000.0;
  Model m("clocks");
  const Expr x = m.state("x", 0.0), first = m.discrete("first", 0.0),
             second = m.discrete("second", 0.0);
  m.equation(der(x) == 1.0);
  const double one = pair.first / unit, other = pair.second / unit;
  m.when("first", m.every("first clock", one, one), {{first, pre(first) + 1.0}});
  m.when("second", m.every("second clock", other, other), {{second, pre(second) + 1.0}});
  RunOptions o;
  // Half a unit after the last of them, where no clock ticks.
  const std::uint64_t until = n * std::min(pair.first, pair.second);
  o.t_end = (static_cast<double>(until) + 0.5) / unit;
  const Solution s = simulate(m, o);
  if (!s.ok()) return Failure{FailureCode::not_converged, s.report.message};
  ClockTicks ticks;
  ticks.n_first = static_cast<std::uint64_t>(s.final("first"));
  ticks.n_second = static_cast<std::uint64_t>(s.final("second"));
  const std::uint64_t n_instants = s.instants().size();
  ticks.n_together = ticks.n_first + ticks.n_second - n_instants;
  return ticks;
}

}  // namespace saltus::problems
