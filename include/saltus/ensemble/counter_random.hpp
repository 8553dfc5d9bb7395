// Random numbers without a state. Every number is a function of (seed, stream, position), so that
// each worker finds the same numbers for a run, in any order.
#pragma once

#include <array>
#include <cstdint>

namespace saltus {

/// Returns four random words by Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers:
/// as easy as 1, 2, 3. SC 2011).
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key);

class CounterRandom {
 public:
  explicit CounterRandom(std::uint64_t seed) : seed_(seed) {}

  /// Returns 64 random bits.
  std::uint64_t bits(std::uint32_t stream, std::uint64_t position) const;
  /// Returns a number between 0 and 1, both excluded: an odd multiple of 2^-53.
  double uniform(std::uint32_t stream, std::uint64_t position) const;
  /// Returns the place of a number from 0 … n-1 in a random permutation, without a table: a Feistel
  /// network over the next power of four, repeated until the result is below n.
  std::uint64_t shuffled(std::uint32_t stream, std::uint64_t number, std::uint64_t n) const;

 private:
  std::uint64_t seed_;
};

}  // namespace saltus
