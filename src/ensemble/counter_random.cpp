#include <saltus/ensemble/counter_random.hpp>

#include <bit>
#include <utility>

#include <saltus/core/error.hpp>

namespace saltus {

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> c,
                                    std::array<std::uint32_t, 2> key) {
  constexpr std::uint64_t m0 = 0xD2511F53u, m1 = 0xCD9E8D57u;
  constexpr std::uint32_t w0 = 0x9E3779B9u, w1 = 0xBB67AE85u;
  constexpr int n_rounds = 10;
  for (int round = 0; round < n_rounds; ++round) {
    const std::uint64_t p0 = m0 * c[0], p1 = m1 * c[2];
    c = {static_cast<std::uint32_t>(p1 >> 32) ^ c[1] ^ key[0], static_cast<std::uint32_t>(p1),
         static_cast<std::uint32_t>(p0 >> 32) ^ c[3] ^ key[1], static_cast<std::uint32_t>(p0)};
    key[0] += w0;
    key[1] += w1;
  }
  return c;
}

namespace {

constexpr std::uint32_t low(std::uint64_t v) { return static_cast<std::uint32_t>(v); }
constexpr std::uint32_t high(std::uint64_t v) { return static_cast<std::uint32_t>(v >> 32); }

/// What numbers are for: those of different purposes share no counter.
enum class Purpose : std::uint32_t { value = 0, order = 1 };

}  // namespace

std::uint64_t CounterRandom::bits(std::uint32_t stream, std::uint64_t position) const {
  const auto r = philox(
      {low(position), high(position), stream, low(static_cast<std::uint64_t>(Purpose::value))},
      {low(seed_), high(seed_)});
  return static_cast<std::uint64_t>(r[1]) << 32 | r[0];
}

double CounterRandom::uniform(std::uint32_t stream, std::uint64_t position) const {
  return (static_cast<double>(bits(stream, position) >> 12) + 0.5) * 0x1p-52;
}

std::uint64_t CounterRandom::shuffled(std::uint32_t stream, std::uint64_t number,
                                      std::uint64_t n) const {
  SALTUS_ASSERT(number < n && n <= std::uint64_t{1} << 62);
  if (n == 1) return 0;
  const int half = (static_cast<int>(std::bit_width(n - 1)) + 1) / 2;
  const std::uint64_t mask = (std::uint64_t{1} << half) - 1;
  constexpr std::uint32_t n_rounds = 6;
  do {
    std::uint64_t left = number >> half, right = number & mask;
    for (std::uint32_t round = 0; round < n_rounds; ++round) {
      const auto r = philox(
          {low(right), high(right), stream, static_cast<std::uint32_t>(Purpose::order) + round},
          {low(seed_), high(seed_)});
      const std::uint64_t mixed = (static_cast<std::uint64_t>(r[1]) << 32 | r[0]) & mask;
      left = std::exchange(right, left ^ mixed);
    }
    number = left << half | right;
  } while (number >= n);
  return number;
}

}  // namespace saltus
