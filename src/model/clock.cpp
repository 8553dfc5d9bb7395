// Clocks by whole numbers.
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>

#include <saltus/model/definition.hpp>

namespace saltus {

namespace {

/// All whole numbers up to there are exact.
constexpr double largest_whole = 0x1p53;

struct Fraction {
  std::int64_t numerator = 0;
  std::int64_t denominator = 1;
};

/// The first of the continued fraction's convergents that is this number once it is rounded.
std::optional<Fraction> fraction_of(double value) {
  double rest = std::abs(value);
  std::int64_t p_before = 0, q_before = 1, p = 1, q = 0;
  for (int round = 0; round < 64; ++round) {
    const double whole = std::floor(rest);
    if (!(whole < largest_whole)) return std::nullopt;
    const double p_next = whole * static_cast<double>(p) + static_cast<double>(p_before);
    const double q_next = whole * static_cast<double>(q) + static_cast<double>(q_before);
    if (!(p_next < largest_whole && q_next < largest_whole)) return std::nullopt;
    p_before = std::exchange(p, static_cast<std::int64_t>(p_next));
    q_before = std::exchange(q, static_cast<std::int64_t>(q_next));
    if (p_next / q_next == std::abs(value)) return Fraction{value < 0 ? -p : p, q};
    if (rest == whole) return std::nullopt;
    rest = 1.0 / (rest - whole);
  }
  return std::nullopt;
}

}  // namespace

Clock clock_of(std::string name, double start, double interval) {
  Clock clock{std::move(name), 0, start, interval, start, interval, 1.0};
  const auto from = fraction_of(start), by = fraction_of(interval);
  if (!from || !by) return clock;
  const std::int64_t common = std::gcd(from->denominator, by->denominator);
  const std::int64_t rest = from->denominator / common;
  const double parts = static_cast<double>(rest) * static_cast<double>(by->denominator);
  const double first =
      static_cast<double>(from->numerator) * (parts / static_cast<double>(from->denominator));
  const double step =
      static_cast<double>(by->numerator) * (parts / static_cast<double>(by->denominator));
  // So many ticks at least have exact numbers.
  constexpr double many = 1e6;
  if (!(parts < largest_whole && std::abs(first) + many * step < largest_whole)) return clock;
  clock.first = first;
  clock.step = step;
  clock.parts = parts;
  return clock;
}

}  // namespace saltus
