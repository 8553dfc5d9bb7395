#include <saltus/trajectory/fitted_pieces.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace saltus::detail {

namespace {

/// Of polynomials where the step's own degree does not do. Points are equidistant: much higher ones are noisy.
constexpr int high_degree = 7;
/// More pieces per step than this are used up once in a run.
constexpr std::int64_t pieces_per_step = 8, pieces_at_once = 1024;
/// Halving gains 2^8 where a function is smooth. Where it gains nothing several times, and the function is known to
/// some digits, what is left are jumps and noise.
constexpr int halvings_for_nothing = 4;
constexpr double some_digits = 1e-3;
constexpr double few_digits = 4 * std::numeric_limits<double>::epsilon();

/// Coefficients of the polynomial through values at s = 0, 1/d, …, 1, in place (Newton's divided
/// differences, then expanded).
void interpolate_equidistant(std::span<double> values) {
  const std::size_t m = values.size();
  const double d = static_cast<double>(m - 1);
  for (std::size_t level = 1; level < m; ++level) {
    for (std::size_t k = m - 1; k >= level; --k) {
      values[k] = (values[k] - values[k - 1]) * d / static_cast<double>(level);
    }
  }
  for (std::size_t node = m - 1; node-- > 0;) {
    const double s = static_cast<double>(node) / d;
    for (std::size_t k = node; k + 1 < m; ++k) values[k] -= s * values[k + 1];
  }
}

}  // namespace

StepPolynomial FittedPieces::piece(std::size_t i) const {
  const Piece& p = pieces_[i];
  return {p.t_left, p.t_right, p.degree, n_, p.coefficients};
}

bool FittedPieces::sample(Piece& piece, const Functions& functions) {
  const auto n_points = static_cast<std::size_t>(piece.degree) + 1;
  piece.coefficients.assign(n_points * n_, 0.0);
  largest_.assign(n_, 0.0);
  for (std::size_t at = 0; at < n_points; ++at) {
    const double s =
        piece.degree == 0 ? 0.0 : static_cast<double>(at) / static_cast<double>(piece.degree);
    const double t = at + 1 == n_points && at > 0
                         ? piece.t_right
                         : piece.t_left + s * (piece.t_right - piece.t_left);
    if (!functions(t, values_)) return false;
    for (std::size_t j = 0; j < n_; ++j) {
      piece.coefficients[at * n_ + j] = values_[j];
      largest_[j] = std::max(largest_[j], std::abs(values_[j]));
    }
  }
  std::vector<double> of_one(n_points);
  for (std::size_t j = 0; j < n_; ++j) {
    for (std::size_t k = 0; k < n_points; ++k) of_one[k] = piece.coefficients[k * n_ + j];
    interpolate_equidistant(of_one);
    for (std::size_t k = 0; k < n_points; ++k) piece.coefficients[k * n_ + j] = of_one[k];
  }
  return true;
}

double FittedPieces::check(const Piece& piece, double rtol, const Functions& functions) {
  const StepPolynomial polynomial{piece.t_left, piece.t_right, piece.degree, n_,
                                  piece.coefficients};
  const double d = std::max(piece.degree, 1);
  // Near the ends, where errors are largest, and at a place that no symmetry prefers.
  const double between[] = {0.5 / d, (std::floor(0.45 * d) + 0.57) / d, 1 - 0.5 / d};
  double worst = 0.0;
  worst_.reset();
  for (const double s : between) {
    const double t = piece.t_left + s * (piece.t_right - piece.t_left);
    if (!functions(t, values_)) continue;
    for (std::uint32_t j = 0; j < n_; ++j) {
      if (!std::isfinite(values_[j])) continue;
      const double error = std::abs(polynomial.value(j, t) - values_[j]);
      const double size = std::max(largest_[j], std::abs(values_[j]));
      const double tolerance = std::max(rtol * size, allowed_[j]);
      if (!(error > tolerance * worst)) continue;
      worst = tolerance > 0 ? error / tolerance : 0.0;
      worst_part_ = error / size;
      worst_ = MissedFit{j, t, error, tolerance};
    }
  }
  return worst;
}

/// Fourth differences over a millionth of a piece: of what is smooth there nothing is left of them, of rounding they are
/// some times its size (Hamming; More and Wild, Estimating computational noise, 2011).
void FittedPieces::allow_rounding(const Piece& piece, const Functions& functions) {
  // Polynomials of degree 7 through equidistant points are off by eleven times what their values are.
  constexpr double spacing = 0x1p-20, margin = 4.0;
  constexpr std::size_t n_points = 20, order = 4;
  const double h = piece.t_right - piece.t_left;
  const double from =
      piece.t_left + std::min((worst_->t - piece.t_left) / h, 1 - n_points * spacing) * h;
  near_.resize(n_points * n_);
  for (std::size_t i = 0; i < n_points; ++i)
    if (!functions(from + static_cast<double>(i) * spacing * h,
                   std::span(near_).subspan(i * n_, n_)))
      return;
  // A function that is fast enough for its error changes here as well; one that jumps between digits does not.
  const double change = std::abs(near_[(n_points - 1) * n_ + worst_->which] - near_[worst_->which]);
  is_flat_ = !(change > 0.01 * worst_->error * n_points * spacing);
  for (std::size_t level = 0; level < order; ++level)
    for (std::size_t i = 0; i + level + 1 < n_points; ++i)
      for (std::size_t j = 0; j < n_; ++j)
        near_[i * n_ + j] = near_[(i + 1) * n_ + j] - near_[i * n_ + j];
  noise_.resize(n_, 0.0);
  for (std::size_t j = 0; j < n_; ++j) {
    for (std::size_t i = 0; i + order < n_points; ++i)
      if (std::isfinite(near_[i * n_ + j]))
        noise_[j] = std::max(noise_[j], margin * std::abs(near_[i * n_ + j]));
    allowed_[j] = std::max(allowed_[j], noise_[j]);
  }
}

bool FittedPieces::fit(double t_left, double t_right, int degree, double rtol,
                       std::span<const double> allowed, const Functions& functions) {
  n_ = static_cast<std::uint32_t>(allowed.size());
  values_.resize(n_);
  allowed_.assign(allowed.begin(), allowed.end());
  pieces_.clear();
  missed_.reset();
  n_left_ = std::min(n_left_ + pieces_per_step, pieces_at_once);
  struct Part {
    double t_left, t_right;
    int degree;
    double error;  // of the part that this is a half of, or 0
    int for_nothing;
  };
  std::vector<Part> parts = {{t_left, t_right, degree, 0.0, 0}};
  double worst = 0.0;
  while (!parts.empty()) {
    const Part part = parts.back();
    parts.pop_back();
    Piece piece{part.t_left, part.t_right, part.degree, {}};
    if (!sample(piece, functions)) return false;
    double error = check(piece, rtol, functions);
    if (error > 1 && part.degree < high_degree) {
      parts.push_back({part.t_left, part.t_right, high_degree, 0.0, 0});
      continue;
    }
    // What halving does not help may be rounding, which is not the same everywhere.
    if (error > 1 && (part.error == 0 || error > 0.5 * part.error)) {
      allow_rounding(piece, functions);
      error = check(piece, rtol, functions);
      // Single digits of numbers like 1 that come and go.
      if (error > 1 && is_flat_ && worst_->error <= few_digits) error = 0.0;
    }
    const double middle = part.t_left + 0.5 * (part.t_right - part.t_left);
    const bool gains =
        part.error == 0 || error < 0.5 * part.error || (worst_part_ > some_digits && !is_flat_);
    const int for_nothing = gains ? 0 : part.for_nothing + 1;
    const bool can_be_halved = n_left_ > 0 && for_nothing < halvings_for_nothing &&
                               middle != part.t_left && middle != part.t_right;
    if (error > 1 && can_be_halved) {
      --n_left_;
      parts.push_back({middle, part.t_right, part.degree, error, for_nothing});
      parts.push_back({part.t_left, middle, part.degree, error, for_nothing});
      continue;
    }
    if (error > 1 && error > worst) {
      worst = error;
      missed_ = worst_;
    }
    pieces_.push_back(std::move(piece));
  }
  return true;
}

void restrict_polynomial(const StepPolynomial& step, double t_left, double t_right, int degree,
                         std::uint32_t which, std::span<double> coefficients) {
  std::ranges::fill(coefficients, 0.0);
  for (int k = 0; k <= step.degree; ++k)
    coefficients[static_cast<std::size_t>(k)] = step.coefficient(k, which);
  if (t_left == step.t_left && t_right == step.t_right) return;
  const double from = step.position_of(t_left), width = step.position_of(t_right) - from;
  // About another point (Horner's scheme, once per coefficient), then in another unit.
  for (int k = 0; k < step.degree; ++k)
    for (int i = step.degree - 1; i >= k; --i)
      coefficients[static_cast<std::size_t>(i)] +=
          from * coefficients[static_cast<std::size_t>(i) + 1];
  double power = 1.0;
  for (int k = 0; k <= degree; ++k) {
    coefficients[static_cast<std::size_t>(k)] *= power;
    power *= width;
  }
}

}  // namespace saltus::detail
