#include "events/piece.hpp"

#include <algorithm>
#include <cmath>

#include <saltus/core/error.hpp>
#include <saltus/numerics/bernstein.hpp>

namespace saltus::detail {

namespace {

constexpr double unit_roundoff = 0x1p-53;
// Sums of a few dozen positive numbers, rounded to nearest, are not smaller than the exact sum divided
// by this.
constexpr double sum_margin = 1.0 + 64 * unit_roundoff;

constexpr std::size_t n_shapes = Piece::max_degree + 1;

/// The Bernstein coefficients of v^k = (2u - 1)^k (D.2), for one degree.
struct CentredBasis {
  std::array<std::array<double, n_shapes>, n_shapes> power{};
};

double choose(int n, int k) {
  if (k < 0 || k > n) return 0.0;
  double c = 1.0;
  for (int j = 0; j < k; ++j) c = c * (n - j) / (j + 1);
  return c;
}

/// v^k = (u - (1 - u))^k has the coefficients (-1)^(k - j) at degree k; raised to degree n they are
///   sum_j (-1)^(k - j) C(i, j) C(n - i, k - j) / C(n, k).
std::array<CentredBasis, n_shapes> make_centred_bases() {
  std::array<CentredBasis, n_shapes> bases;
  for (int n = 0; n <= Piece::max_degree; ++n) {
    for (int k = 0; k <= n; ++k) {
      for (int i = 0; i <= n; ++i) {
        double sum = 0.0;
        for (int j = 0; j <= k; ++j) {
          sum += ((k - j) % 2 == 0 ? 1.0 : -1.0) * choose(i, j) * choose(n - i, k - j);
        }
        bases[static_cast<std::size_t>(n)]
            .power[static_cast<std::size_t>(k)][static_cast<std::size_t>(i)] = sum / choose(n, k);
      }
    }
  }
  return bases;
}

const CentredBasis& centred_basis(int degree) {
  static const std::array<CentredBasis, n_shapes> bases = make_centred_bases();
  return bases[static_cast<std::size_t>(degree)];
}

int sign_beyond(double value, double error) {
  if (value > error) return 1;
  return value < -error ? -1 : 0;
}

int certain_sign_of(const Interval& x) {
  if (x.certainly_positive()) return 1;
  return x.certainly_negative() ? -1 : 0;
}

}  // namespace

bool set_taylor_model(Piece& piece, std::span<const Interval> at_centre,
                      std::span<const Interval> over) {
  SALTUS_ASSERT(over.size() == at_centre.size() + 1 && at_centre.size() <= n_shapes);
  int degree = -1;
  while (degree + 2 < static_cast<int>(over.size()) &&
         at_centre[static_cast<std::size_t>(degree) + 1].is_bounded() &&
         over[static_cast<std::size_t>(degree) + 2].is_bounded()) {
    ++degree;
  }
  if (degree < 0) return false;

  const double c = 0.5 * (piece.a + piece.b);
  // Upwards: the model must cover both ends.
  const Interval w(std::max(piece.b - c, c - piece.a));
  const CentredBasis& basis = centred_basis(degree);
  piece.degree = degree;
  piece.coefficients.fill(0.0);
  double size = 0.0, spread = 0.0, slope_spread = 0.0;
  Interval power(1.0);  // w^k
  for (int k = 0; k <= degree; ++k) {
    const Interval scaled = at_centre[static_cast<std::size_t>(k)] * power;
    const double middle = scaled.mid();
    const double radius = std::max(add_up(scaled.hi(), -middle), add_up(middle, -scaled.lo()));
    for (int i = 0; i <= degree; ++i) {
      piece.coefficients[static_cast<std::size_t>(i)] +=
          middle * basis.power[static_cast<std::size_t>(k)][static_cast<std::size_t>(i)];
    }
    size += std::abs(middle);
    spread += radius;
    slope_spread += k * radius;
    power = power * w;
  }
  const Interval& last = over[static_cast<std::size_t>(degree) + 1];
  // (D.1): the remainder, and (D.3): that of the derivative. dv/du = 2.
  piece.truncation = mul_up(last.mag(), power.hi());
  piece.value_error = sum_margin * (piece.truncation + spread);
  piece.slope_error = sum_margin * 2.0 * ((degree + 1) * piece.truncation + slope_spread);
  // |basis| <= 1; each summand meets its own rounding, that of the basis, and degree additions.
  piece.rounding = sum_margin * (degree + 3) * unit_roundoff * size;
  piece.slope_sign = certain_sign_of(over[1]);
  piece.centre_sign = certain_sign_of(at_centre[0]);
  piece.is_fresh = true;
  piece.is_sampled = false;
  piece.has_model = std::isfinite(size) && std::isfinite(piece.value_error);
  return piece.has_model;
}

Verdict judge(const Piece& piece) {
  const std::span<const double> p = piece.shape();
  const auto n = static_cast<double>(piece.degree);
  double least = p[0], most = p[0];
  double least_step = infinity, most_step = -infinity;
  for (std::size_t i = 1; i < p.size(); ++i) {
    least = std::min(least, p[i]);
    most = std::max(most, p[i]);
    least_step = std::min(least_step, p[i] - p[i - 1]);
    most_step = std::max(most_step, p[i] - p[i - 1]);
  }
  Verdict v;
  v.variation = most - least;
  // a and b are rounded: what is said about them holds within an ulp of 1, over which p changes by no
  // more than its slope, degree * largest step, allows.
  const double steepest = p.size() > 1 ? n * std::max(most_step, -least_step) : 0.0;
  const double position = steepest * 0x1p-52 / piece.width();
  v.error = sum_margin * (piece.value_error + piece.rounding + position);
  v.lowest = least - v.error;
  v.highest = most + v.error;
  v.left = sign_beyond(p.front(), v.error);
  v.right = sign_beyond(p.back(), v.error);
  v.slope = piece.slope_sign;
  if (v.slope == 0 && p.size() > 1) {
    const double slope_error = sum_margin * (piece.slope_error + 2 * n * piece.rounding);
    if (n * least_step > slope_error) v.slope = 1;
    if (n * most_step < -slope_error) v.slope = -1;
  }
  return v;
}

void halve(const Piece& piece, Piece& left, Piece& right) {
  left = right = piece;
  const double middle = 0.5 * (piece.a + piece.b);
  left.b = right.a = middle;
  const std::size_t n_coefficients = piece.shape().size();
  bernstein::split<double>(piece.shape(), 0.5, std::span(left.coefficients.data(), n_coefficients),
                           std::span(right.coefficients.data(), n_coefficients));
  double size = 0.0;
  for (const double x : piece.shape()) size = std::max(size, std::abs(x));
  // Means of two: the halving is exact, so one rounding per level of the triangle.
  const double rounding = sum_margin * piece.degree * unit_roundoff * size;
  for (Piece* half : {&left, &right}) {
    half->rounding += rounding;
    half->slope_error *= 0.5;
    half->is_fresh = false;
  }
}

}  // namespace saltus::detail
