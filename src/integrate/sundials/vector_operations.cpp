#include "integrate/sundials/vector_operations.hpp"

#include <cmath>
#include <cstddef>
#include <utility>

namespace saltus::detail::sundials {

namespace {

std::size_t length_of(N_Vector v) { return static_cast<std::size_t>(NV_LENGTH_S(v)); }

// In all loops an output may be one of the inputs, element for element: no iteration depends on
// another, which is what the pragma says.

void linear_sum(double a, N_Vector x, double b, N_Vector y, N_Vector z) {
  const double *px = NV_DATA_S(x), *py = NV_DATA_S(y);
  double* pz = NV_DATA_S(z);
  const std::size_t n = length_of(z);
#pragma GCC ivdep
  for (std::size_t i = 0; i < n; ++i) pz[i] = a * px[i] + b * py[i];
}

void fill(double c, N_Vector z) {
  double* pz = NV_DATA_S(z);
  const std::size_t n = length_of(z);
  for (std::size_t i = 0; i < n; ++i) pz[i] = c;
}

void scale(double c, N_Vector x, N_Vector z) {
  const double* px = NV_DATA_S(x);
  double* pz = NV_DATA_S(z);
  const std::size_t n = length_of(z);
#pragma GCC ivdep
  for (std::size_t i = 0; i < n; ++i) pz[i] = c * px[i];
}

double weighted_rms(N_Vector x, N_Vector w) {
  const double *px = NV_DATA_S(x), *pw = NV_DATA_S(w);
  const std::size_t n = length_of(x);
  // One sum would wait for each addition in turn.
  double sum[4] = {0.0, 0.0, 0.0, 0.0};
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    for (std::size_t k = 0; k < 4; ++k) {
      const double term = px[i + k] * pw[i + k];
      sum[k] += term * term;
    }
  }
  for (; i < n; ++i) {
    const double term = px[i] * pw[i];
    sum[0] += term * term;
  }
  return std::sqrt(((sum[0] + sum[1]) + (sum[2] + sum[3])) / static_cast<double>(n));
}

template <std::size_t... K>
void combine_vectors(std::index_sequence<K...>, const double* c, N_Vector* x, N_Vector z) {
  const double* const px[] = {NV_DATA_S(x[K])...};
  const double factor[] = {c[K]...};
  double* pz = NV_DATA_S(z);
  const std::size_t n = length_of(z);
#pragma GCC ivdep
  for (std::size_t i = 0; i < n; ++i) pz[i] = (... + (factor[K] * px[K][i]));
}

/// z = sum of c_k x_k; IDA has at most order 5 + 1 terms.
int linear_combination(int n_vectors, double* c, N_Vector* x, N_Vector z) {
  switch (n_vectors) {
    case 1:
      combine_vectors(std::make_index_sequence<1>(), c, x, z);
      return 0;
    case 2:
      combine_vectors(std::make_index_sequence<2>(), c, x, z);
      return 0;
    case 3:
      combine_vectors(std::make_index_sequence<3>(), c, x, z);
      return 0;
    case 4:
      combine_vectors(std::make_index_sequence<4>(), c, x, z);
      return 0;
    case 5:
      combine_vectors(std::make_index_sequence<5>(), c, x, z);
      return 0;
    case 6:
      combine_vectors(std::make_index_sequence<6>(), c, x, z);
      return 0;
    default:
      return -1;
  }
}

int scale_each(int n_vectors, double* c, N_Vector* x, N_Vector* z) {
  for (int k = 0; k < n_vectors; ++k) scale(c[k], x[k], z[k]);
  return 0;
}

// In order: IDA lets an output be an input of the next.
int linear_sum_each(int n_vectors, double a, N_Vector* x, double b, N_Vector* y, N_Vector* z) {
  for (int k = 0; k < n_vectors; ++k) linear_sum(a, x[k], b, y[k], z[k]);
  return 0;
}

}  // namespace

void use_own_operations(N_Vector v) {
  v->ops->nvlinearsum = &linear_sum;
  v->ops->nvconst = &fill;
  v->ops->nvscale = &scale;
  v->ops->nvwrmsnorm = &weighted_rms;
  v->ops->nvlinearcombination = &linear_combination;
  v->ops->nvscalevectorarray = &scale_each;
  v->ops->nvlinearsumvectorarray = &linear_sum_each;
}

}  // namespace saltus::detail::sundials
