#include "ensemble/smoothness.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace saltus::detail {

namespace {

/// Polynomials through the places where a fit is compared are off by up to some ten times what they are off there: what
/// is not seen between them is less than a millionth of the size.
constexpr double tolerance = 1e-8;
/// A fit of degree d is compared with the function in d + 3 places or more that differ, one of degree 7 in 11.
constexpr int most_orders = 8;
std::size_t remainder_order(int fit_degree) {
  return static_cast<std::size_t>(std::clamp(fit_degree + 3, 3, most_orders));
}

}  // namespace

Smoothness::Smoothness(const Reduced& what, std::span<const std::uint32_t> columns,
                       std::span<const double> fixed)
    : what_(what),
      columns_(columns),
      fixed_(fixed),
      series_(what.decided, most_orders),
      sizes_(what.decided->n_outputs(), 0.0) {}

void Smoothness::forget() { std::ranges::fill(sizes_, 0.0); }

void Smoothness::see(std::span<const double> outputs) {
  for (std::size_t j = 0; j < outputs.size(); ++j)
    if (std::isfinite(outputs[j])) sizes_[j] = std::max(sizes_[j], std::abs(outputs[j]));
}

void Smoothness::enclose_column(const StepPolynomial& step, double t_left, double t_right,
                                std::size_t input) {
  auto degree = static_cast<std::size_t>(step.degree);
  coefficients_.resize(degree + 1);
  restrict_polynomial(step, t_left, t_right, step.degree, columns_[input], coefficients_);
  if (what_.inputs[input].kind == MeasureInput::Kind::derivative) {
    for (std::size_t k = 0; k < degree; ++k)
      coefficients_[k] = static_cast<double>(k + 1) * coefficients_[k + 1] / (t_right - t_left);
    if (degree > 0)
      --degree;
    else
      coefficients_[0] = 0.0;
  }
  // About every point of the part: Horner's scheme, once per coefficient.
  shifted_.assign(coefficients_.begin(),
                  coefficients_.begin() + static_cast<std::ptrdiff_t>(degree) + 1);
  for (std::size_t k = 0; k < degree; ++k)
    for (std::size_t i = degree; i-- > k;)
      shifted_[i] +=
          Interval(std::min(shifted_[i + 1].lo(), 0.0), std::max(shifted_[i + 1].hi(), 0.0));
  const auto into = series_.input(0, input);
  for (std::size_t k = 0; k < into.size(); ++k) into[k] = k <= degree ? shifted_[k] : Interval(0.0);
}

void Smoothness::enclose(const StepPolynomial& step, double t_left, double t_right) {
  order_ = remainder_order(step.degree);
  for (std::size_t i = 0; i < what_.inputs.size(); ++i) {
    const auto into = series_.input(0, i);
    switch (what_.inputs[i].kind) {
      case MeasureInput::Kind::time:
        std::ranges::fill(into, Interval(0.0));
        into[0] = Interval(t_left, t_right);
        into[1] = Interval(t_right - t_left);
        break;
      case MeasureInput::Kind::variable:
      case MeasureInput::Kind::derivative:
        enclose_column(step, t_left, t_right, i);
        break;
      default:
        std::ranges::fill(into, Interval(0.0));
        into[0] = Interval(fixed_[i]);
    }
  }
  series_.run();
}

bool Smoothness::is_bounded(std::size_t output) const {
  const auto series = series_.output(output);
  return series[0].is_bounded() && series[order_].is_bounded();
}

bool Smoothness::is_smooth(std::size_t output, double rounding) const {
  const auto series = series_.output(output);
  const double allowed =
      std::max(tolerance * sizes_[output] + rounding, std::numeric_limits<double>::min());
  // A number, or the polynomial about the middle with Lagrange's remainder.
  return 0.5 * series[0].width() <= allowed ||
         std::ldexp(series[order_].mag(), -static_cast<int>(order_)) <= allowed;
}

}  // namespace saltus::detail
