#include "integrate/explicit/combine.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <saltus/core/error.hpp>

namespace saltus::detail {

namespace {

// The number of terms is a constant, so that the sum over stages is unrolled inside the loop over
// unknowns: each k_j is read once and nothing but the result is written.
template <int n_terms, bool from_x>
void combine_terms(std::size_t n, const double* x, double h, const StageTerms& terms,
                   StagePointers k, double* __restrict out) {
  double weight[n_terms];
  const double* stage[n_terms];
  for (int j = 0; j < n_terms; ++j) {
    weight[j] = h * terms.weight(j);
    stage[j] = k[static_cast<std::size_t>(terms.stage(j))];
  }
  for (std::size_t i = 0; i < n; ++i) {
    double sum = weight[0] * stage[0][i];
#pragma GCC unroll 16
    for (int j = 1; j < n_terms; ++j) sum += weight[j] * stage[j][i];
    if constexpr (from_x) {
      out[i] = x[i] + sum;
    } else {
      out[i] = sum;
    }
  }
}

template <bool from_x>
void combine_any(std::size_t n, const double* x, double h, const StageTerms& terms, StagePointers k,
                 double* out) {
  using Kernel =
      void (*)(std::size_t, const double*, double, const StageTerms&, StagePointers, double*);
  constexpr auto kernels = []<int... counts>(std::integer_sequence<int, counts...>) {
    return std::array<Kernel, sizeof...(counts)>{combine_terms<counts + 1, from_x>...};
  }
  (std::make_integer_sequence<int, StageTerms::max_terms>{});
  kernels[static_cast<std::size_t>(terms.count() - 1)](n, x, h, terms, k, out);
}

constexpr std::size_t chunk_size = 64;
using Chunk = std::array<double, chunk_size>;

// Four partial sums that do not wait for each other.
double sum_of_squares(const Chunk& v, std::size_t n) {
  std::array<double, 4> part{};
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    for (std::size_t lane = 0; lane < 4; ++lane) part[lane] += v[i + lane] * v[i + lane];
  }
  for (; i < n; ++i) part[0] += v[i] * v[i];
  return (part[0] + part[1]) + (part[2] + part[3]);
}

}  // namespace

StageTerms::StageTerms(const ExplicitTableau::Row& row) {
  for (std::size_t j = 0; j < row.size(); ++j) {
    if (row[j] == 0.0) continue;
    SALTUS_ASSERT(count_ < max_terms);
    stage_[static_cast<std::size_t>(count_)] = static_cast<int>(j);
    weight_[static_cast<std::size_t>(count_)] = row[j];
    ++count_;
  }
  SALTUS_ASSERT(count_ > 0);
}

void combine(std::size_t n, const double* x, double h, const StageTerms& terms, StagePointers k,
             double* out) {
  combine_any<true>(n, x, h, terms, k, out);
}

void combine(std::size_t n, double h, const StageTerms& terms, StagePointers k, double* out) {
  combine_any<false>(n, nullptr, h, terms, k, out);
}

std::array<double, 2> error_sums(std::size_t n, std::span<const StageTerms> rows, StagePointers k,
                                 const double* x_left, const double* x_right, double rtol,
                                 std::span<const double> atol) {
  std::array<double, 2> sums{};
  Chunk weight;
  Chunk error;
  std::array<double*, StageTerms::max_terms> shifted{};
  for (std::size_t begin = 0; begin < n; begin += chunk_size) {
    const std::size_t size = std::min(chunk_size, n - begin);
    const double* left = x_left + begin;
    const double* right = x_right + begin;
    const double* tolerance = atol.size() == 1 ? nullptr : atol.data() + begin;
    const double one_tolerance = atol[0];
    for (std::size_t i = 0; i < size; ++i) {
      const double scale = std::max(std::abs(left[i]), std::abs(right[i]));
      weight[i] = 1.0 / (rtol * scale + (tolerance == nullptr ? one_tolerance : tolerance[i]));
    }
    for (std::size_t j = 0; j < k.size(); ++j) shifted[j] = k[j] + begin;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      combine(size, 1.0, rows[r], {shifted.data(), k.size()}, error.data());
      for (std::size_t i = 0; i < size; ++i) error[i] *= weight[i];
      sums[r] += sum_of_squares(error, size);
    }
  }
  return sums;
}

double squared_distance(std::size_t n, const double* a, const double* b) {
  double total = 0.0;
  Chunk difference;
  for (std::size_t begin = 0; begin < n; begin += chunk_size) {
    const std::size_t size = std::min(chunk_size, n - begin);
    for (std::size_t i = 0; i < size; ++i) difference[i] = a[begin + i] - b[begin + i];
    total += sum_of_squares(difference, size);
  }
  return total;
}

}  // namespace saltus::detail
