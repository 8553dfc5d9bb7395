#include "ensemble/sobol_points.hpp"

#include <bit>
#include <boost/random/sobol.hpp>

#include <saltus/core/error.hpp>

namespace saltus::detail {

SobolPoints::SobolPoints(std::uint32_t n_dimensions, const CounterRandom& random) {
  using Engine = boost::random::sobol_engine<std::uint64_t, n_bits>;
  constexpr std::uint32_t most = boost::random::default_sobol_table::max_dimension;
  if (n_dimensions > most)
    throw OptionError("sampler", "is sobol, which has at most " + std::to_string(most) +
                                     " dimensions, not " + std::to_string(n_dimensions));
  Engine engine(n_dimensions);
  directions_.resize(std::size_t{n_dimensions} * n_bits);
  for (int bit = 0; bit < n_bits; ++bit) {
    // Points follow each other in Gray's order, without the first, which is 0: number 2^(bit+1) - 1 has this bit alone.
    engine.seed((std::uint64_t{2} << bit) - 2);
    for (std::uint32_t d = 0; d < n_dimensions; ++d)
      directions_[std::size_t{d} * n_bits + static_cast<std::size_t>(bit)] = engine();
  }
  for (std::uint32_t d = 0; d < n_dimensions; ++d)
    shift_.push_back(random.bits(d, 0) >> (64 - n_bits));
}

double SobolPoints::at(std::uint64_t point, std::uint32_t dimension) const {
  SALTUS_ASSERT(point < std::uint64_t{1} << n_bits);
  std::uint64_t bits = shift_[dimension];
  for (std::uint64_t left = point ^ (point >> 1); left != 0; left &= left - 1)
    bits ^= directions_[std::size_t{dimension} * n_bits +
                        static_cast<std::size_t>(std::countr_zero(left))];
  return (static_cast<double>(bits) + 0.5) * 0x1p-52;
}

}  // namespace saltus::detail
