// Points of Sobol's sequence (direction numbers of Joe and Kuo, from Boost.Random), shifted by random bits.
#pragma once

#include <cstdint>
#include <vector>

#include <saltus/ensemble/counter_random.hpp>

namespace saltus::detail {

class SobolPoints {
 public:
  /// Throws OptionError for more dimensions than there are direction numbers.
  SobolPoints(std::uint32_t n_dimensions, const CounterRandom& random);
  /// Between 0 and 1, never either.
  double at(std::uint64_t point, std::uint32_t dimension) const;

 private:
  static constexpr int n_bits = 52;        // as many as a number between 0 and 1 has
  std::vector<std::uint64_t> directions_;  // [dimension n_bits + bit]
  std::vector<std::uint64_t> shift_;       // per dimension
};

}  // namespace saltus::detail
