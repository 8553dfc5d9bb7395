#include <saltus/numerics/bernstein.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

namespace saltus::bernstein {

double power_to_bernstein_error(std::span<const double> c) {
  double sum = 0;
  for (const double x : c) sum += std::abs(x);
  return static_cast<double>(c.size() + 1) * 0x1p-53 * sum;
}

int sign_variations(std::span<const double> b) {
  int count = 0;
  double last = 0;
  for (const double x : b) {
    if (x == 0) continue;
    if (last != 0 && (x > 0) != (last > 0)) ++count;
    last = x;
  }
  return count;
}

namespace {

// Fewest and most changes among the choices so far whose last nonzero sign is a given one.
using Tail = std::optional<SignVariations>;

Tail merge(const Tail& a, const Tail& b) {
  if (!a) return b;
  if (!b) return a;
  return SignVariations{std::min(a->fewest, b->fewest), std::max(a->most, b->most)};
}

Tail changed(const Tail& a) {
  if (!a) return a;
  return SignVariations{a->fewest + 1, a->most + 1};
}

}  // namespace

// Dynamic programming over the last nonzero sign: none yet, negative, positive.
SignVariations sign_variations(std::span<const Interval> b) {
  Tail none = SignVariations{};
  Tail negative;
  Tail positive;
  for (const Interval& x : b) {
    const bool may_be_zero = x.contains(0.0);
    Tail next_none = may_be_zero ? none : Tail();
    Tail next_negative = may_be_zero ? negative : Tail();
    Tail next_positive = may_be_zero ? positive : Tail();
    if (x.lo() < 0) {
      next_negative = merge(next_negative, merge(none, merge(negative, changed(positive))));
    }
    if (x.hi() > 0) {
      next_positive = merge(next_positive, merge(none, merge(positive, changed(negative))));
    }
    none = next_none;
    negative = next_negative;
    positive = next_positive;
  }
  return *merge(none, merge(negative, positive));
}

}  // namespace saltus::bernstein
