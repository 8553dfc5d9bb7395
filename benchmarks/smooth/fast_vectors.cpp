#include "fast_vectors.hpp"

#include <cmath>

namespace saltus::bench {

namespace {

void linear_sum(double a, N_Vector x, double b, N_Vector y, N_Vector z) {
  const double *px = NV_DATA_S(x), *py = NV_DATA_S(y);
  double* pz = NV_DATA_S(z);
  const sunindextype n = NV_LENGTH_S(z);
#pragma GCC ivdep
  for (sunindextype i = 0; i < n; ++i) pz[i] = a * px[i] + b * py[i];
}

void scale(double c, N_Vector x, N_Vector z) {
  const double* px = NV_DATA_S(x);
  double* pz = NV_DATA_S(z);
  const sunindextype n = NV_LENGTH_S(z);
#pragma GCC ivdep
  for (sunindextype i = 0; i < n; ++i) pz[i] = c * px[i];
}

double weighted_rms(N_Vector x, N_Vector w) {
  const double *px = NV_DATA_S(x), *pw = NV_DATA_S(w);
  const sunindextype n = NV_LENGTH_S(x);
  double sum = 0.0;
  for (sunindextype i = 0; i < n; ++i) sum += px[i] * pw[i] * px[i] * pw[i];
  return std::sqrt(sum / static_cast<double>(n));
}

int scale_each(int n_vectors, double* c, N_Vector* x, N_Vector* z) {
  for (int k = 0; k < n_vectors; ++k) scale(c[k], x[k], z[k]);
  return 0;
}

int linear_sum_each(int n_vectors, double a, N_Vector* x, double b, N_Vector* y, N_Vector* z) {
  for (int k = 0; k < n_vectors; ++k) linear_sum(a, x[k], b, y[k], z[k]);
  return 0;
}

int linear_combination(int n_vectors, double* c, N_Vector* x, N_Vector z) {
  scale(c[0], x[0], z);
  for (int k = 1; k < n_vectors; ++k) linear_sum(1.0, z, c[k], x[k], z);
  return 0;
}

}  // namespace

void use_fast_operations(N_Vector v) {
  v->ops->nvlinearsum = &linear_sum;
  v->ops->nvscale = &scale;
  v->ops->nvwrmsnorm = &weighted_rms;
  v->ops->nvscalevectorarray = &scale_each;
  v->ops->nvlinearsumvectorarray = &linear_sum_each;
  v->ops->nvlinearcombination = &linear_combination;
}

}  // namespace saltus::bench
