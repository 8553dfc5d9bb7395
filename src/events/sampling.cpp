#include "events/sampling.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <saltus/numerics/bernstein.hpp>

namespace saltus::detail {

namespace {

// Between the samples, off their middle: where the error of the polynomial is large, and not by
// symmetry the same in both.
constexpr double probe_positions[] = {0.29, 0.67};
// The model error is ten times what the probes show: they need not sit where it is largest.
constexpr double probe_margin = 10.0;
// A polynomial that misses the probes by more than this part of the samples' range is no model.
constexpr double poor_fit = 0.1;
// Differences of G below this many ulp of its largest sample are rounding.
constexpr double noise = 64 * 0x1p-52;

/// Solves the n equations of row-major `matrix` for the identity, with pivoting: the inverse.
std::vector<double> inverse_of(std::vector<double> matrix, std::size_t n) {
  std::vector<double> inverse(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) inverse[i * n + i] = 1.0;
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n; ++i) {
      if (std::abs(matrix[i * n + k]) > std::abs(matrix[pivot * n + k])) pivot = i;
    }
    for (std::size_t j = 0; j < n; ++j) {
      std::swap(matrix[k * n + j], matrix[pivot * n + j]);
      std::swap(inverse[k * n + j], inverse[pivot * n + j]);
    }
    const double scale = 1.0 / matrix[k * n + k];
    for (std::size_t j = 0; j < n; ++j) {
      matrix[k * n + j] *= scale;
      inverse[k * n + j] *= scale;
    }
    for (std::size_t i = 0; i < n; ++i) {
      const double factor = matrix[i * n + k];
      if (i == k || factor == 0) continue;
      for (std::size_t j = 0; j < n; ++j) {
        matrix[i * n + j] -= factor * matrix[k * n + j];
        inverse[i * n + j] -= factor * inverse[k * n + j];
      }
    }
  }
  return inverse;
}

}  // namespace

SampledModels::Table SampledModels::make_table(std::size_t size) {
  Table table;
  const int count = static_cast<int>(size);
  for (int i = 0; i < count; ++i) {
    const double angle = std::numbers::pi * i / (count - 1);
    table.nodes.push_back(i == 0 ? 0.0 : i == count - 1 ? 1.0 : 0.5 - 0.5 * std::cos(angle));
  }
  std::vector<double> unit(size, 0.0), matrix(size * size);
  for (std::size_t j = 0; j < size; ++j) {
    unit[j] = 1.0;
    for (std::size_t i = 0; i < size; ++i) {
      matrix[i * size + j] = bernstein::evaluate<double>(unit, table.nodes[i]);
    }
    unit[j] = 0.0;
  }
  table.transform = inverse_of(std::move(matrix), size);
  return table;
}

const SampledModels::Table& SampledModels::table_of(int samples_per_step) {
  constexpr std::size_t fewest = 4, most = Piece::max_degree + 1;
  static const std::vector<Table> tables = [] {
    std::vector<Table> made;
    for (std::size_t size = fewest; size <= most; ++size) made.push_back(make_table(size));
    return made;
  }();
  return tables[static_cast<std::size_t>(std::clamp(samples_per_step, static_cast<int>(fewest),
                                                    static_cast<int>(most))) -
                fewest];
}

SampledModels::SampledModels(int samples_per_step)
    : nodes_(table_of(samples_per_step).nodes),
      transform_(table_of(samples_per_step).transform),
      values_(nodes_.size()) {}

std::optional<SideCrossing> SampledModels::first_wrong(const WatchedFunction& function,
                                                       const Piece& piece,
                                                       std::size_t n_defined) const {
  double size = 0.0;
  for (std::size_t i = 0; i < n_defined; ++i) size = std::max(size, std::abs(values_[i]));
  const auto position = [&](std::size_t i) { return piece.a + nodes_[i] * piece.width(); };
  for (std::size_t i = 0; i < n_defined; ++i) {
    if (values_[i] >= -noise * size) continue;
    // A function that begins at zero may begin a little beyond it, if it returns at once.
    const bool begins = i == 0 && piece.a == function.s_from();
    if (begins && n_defined > 1 && values_[1] > 0) continue;
    return SideCrossing{position(i == 0 ? 0 : i - 1), position(i), Guarantee::heuristic};
  }
  return std::nullopt;
}

SampledModels::Outcome SampledModels::look(WatchedFunction& function, Piece& piece) {
  // The rest of the step as a whole is looked at for many functions.
  const bool is_whole = piece.a == function.s_from() && piece.b == 1.0;
  const auto value_at = [&](std::size_t place, double u, double& value) {
    const double t = function.time_at(piece.a + u * piece.width());
    return is_whole ? function.evaluate_shared(place, t, value) : function.evaluate(t, value);
  };
  for (std::size_t i = 0; i < n(); ++i) {
    if (!value_at(i, nodes_[i], values_[i])) {
      return {Kind::outside, first_wrong(function, piece, i)};
    }
  }
  Outcome outcome{Kind::model, first_wrong(function, piece, n())};
  piece.degree = static_cast<int>(n()) - 1;
  for (std::size_t i = 0; i < n(); ++i) {
    double sum = 0.0;
    for (std::size_t j = 0; j < n(); ++j) sum += transform_[i * n() + j] * values_[j];
    piece.coefficients[i] = sum;
  }
  double error = 0.0;
  std::size_t place = n();
  for (const double u : probe_positions) {
    double value = 0.0;
    if (!value_at(place++, u, value)) return {Kind::outside, outcome.seen};
    error = std::max(error, std::abs(value - bernstein::evaluate<double>(piece.shape(), u)));
  }
  const auto [least, most] = std::minmax_element(values_.begin(), values_.end());
  const double size = std::max(std::abs(*least), std::abs(*most));
  if (error > std::max(poor_fit * (*most - *least), noise * size)) {
    outcome.kind = Kind::poor;
    return outcome;
  }
  piece.value_error = probe_margin * error;
  piece.truncation = 0.0;
  piece.rounding = noise * size;
  piece.slope_error = 2.0 * piece.degree * piece.value_error;
  piece.slope_sign = piece.centre_sign = 0;
  piece.is_fresh = true;
  piece.is_sampled = true;
  piece.has_model = true;
  return outcome;
}

}  // namespace saltus::detail
