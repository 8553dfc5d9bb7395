// Random numbers without a state: every number is a function of (seed, stream, position), so that any worker finds the
// same ones for a run, in any order.
#pragma once

#include <array>
#include <cstdint>

namespace saltus {

/// Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3. SC 2011).
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key);

class CounterRandom {
 public:
  explicit CounterRandom(std::uint64_t seed) : seed_(seed) {}

  /// 64 random bits.
  std::uint64_t bits(std::uint32_t stream, std::uint64_t position) const;
  /// Between 0 and 1, never either: odd multiples of 2^-53.
  double uniform(std::uint32_t stream, std::uint64_t position) const;
  /// Where a number from 0 … n-1 goes in a random order of them all, without a table: a network of Feistel over the next
  /// power of four, followed until it comes back below n.
  std::uint64_t shuffled(std::uint32_t stream, std::uint64_t number, std::uint64_t n) const;

 private:
  std::uint64_t seed_;
};

}  // namespace saltus
