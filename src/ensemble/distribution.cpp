#include <saltus/ensemble/distribution.hpp>

#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <numbers>

#include <saltus/core/error.hpp>
#include <saltus/core/text.hpp>

namespace saltus {

namespace {

/// Nothing is promoted to wider types: the same bits everywhere.
using Policy = boost::math::policies::policy<boost::math::policies::promote_double<false>>;

}  // namespace

double normal_quantile(double u) {
  return -std::numbers::sqrt2 * boost::math::erfc_inv(2 * u, Policy());
}

double normal_probability(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

void Distribution::check() const {
  const auto refuse = [&](const std::string& why) { throw OptionError("vary." + name, why); };
  if (!std::isfinite(a) || !std::isfinite(b)) refuse("has bounds that are not numbers");
  if (kind == DistributionKind::normal) {
    if (!(b > 0)) refuse("has the standard deviation " + to_text(b) + ": it must be positive");
    return;
  }
  if (!(a < b))
    refuse("goes from " + to_text(a) + " to " + to_text(b) + ": the lower bound comes first");
  if (kind == DistributionKind::log_uniform && !(a > 0))
    refuse("goes from " + to_text(a) + ": only positive numbers have logarithms");
}

double Distribution::quantile(double u) const {
  switch (kind) {
    case DistributionKind::uniform:
      return a + u * (b - a);
    case DistributionKind::log_uniform:
      return std::exp(std::log(a) + u * (std::log(b) - std::log(a)));
    case DistributionKind::normal:
      return a + b * normal_quantile(u);
  }
  return a;
}

}  // namespace saltus
