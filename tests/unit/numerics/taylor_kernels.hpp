#pragma once

// Every Taylor kernel behind one signature, for tests that treat all alike.

#include <cmath>
#include <string>
#include <vector>

#include <saltus/numerics/interval.hpp>
#include <saltus/numerics/quad.hpp>
#include <saltus/numerics/taylor.hpp>

namespace saltus::numerics_test {

template <class T>
using Series = std::vector<T>;

template <class T>
int order(const Series<T>& a) {
  return static_cast<int>(a.size()) - 1;
}

template <class T>
Series<T> scratch_for(const Series<T>& a) {
  return Series<T>(static_cast<std::size_t>(taylor::scratch_size(order(a))));
}

// Result of a kernel on fresh arrays. r begins as NaN (entire() for Interval), so reading an element
// before writing it shows.
#define SALTUS_SERIES(call)                                  \
  Series<T> r(a.size(), T(std::nan("")));                    \
  [[maybe_unused]] Series<T> other = r;                      \
  [[maybe_unused]] Series<T> w(scratch_for(a).size(), r[0]); \
  [[maybe_unused]] const int K = order(a);                   \
  taylor::call;                                              \
  return r

template <class T>
struct Kernels {
  using S = Series<T>;
  static S add(const S& a, const S& b) { SALTUS_SERIES(add(r.data(), a.data(), b.data(), K)); }
  static S sub(const S& a, const S& b) { SALTUS_SERIES(sub(r.data(), a.data(), b.data(), K)); }
  static S mul(const S& a, const S& b) { SALTUS_SERIES(mul(r.data(), a.data(), b.data(), K)); }
  static S div(const S& a, const S& b) { SALTUS_SERIES(div(r.data(), a.data(), b.data(), K)); }
  static S neg(const S& a) { SALTUS_SERIES(neg(r.data(), a.data(), K)); }
  static S scale(const S& a, T c) { SALTUS_SERIES(scale(r.data(), a.data(), c, K)); }
  static S sqr(const S& a) { SALTUS_SERIES(sqr(r.data(), a.data(), K)); }
  static S sqrt(const S& a) { SALTUS_SERIES(sqrt(r.data(), a.data(), K)); }
  static S exp(const S& a) { SALTUS_SERIES(exp(r.data(), a.data(), K)); }
  static S log(const S& a) { SALTUS_SERIES(log(r.data(), a.data(), K)); }
  static S sin(const S& a) { SALTUS_SERIES(sin_cos(r.data(), other.data(), a.data(), K)); }
  static S cos(const S& a) { SALTUS_SERIES(sin_cos(other.data(), r.data(), a.data(), K)); }
  static S sinh(const S& a) { SALTUS_SERIES(sinh_cosh(r.data(), other.data(), a.data(), K)); }
  static S cosh(const S& a) { SALTUS_SERIES(sinh_cosh(other.data(), r.data(), a.data(), K)); }
  static S tan(const S& a) { SALTUS_SERIES(tan(r.data(), a.data(), K, w.data())); }
  static S tanh(const S& a) { SALTUS_SERIES(tanh(r.data(), a.data(), K, w.data())); }
  static S asin(const S& a) { SALTUS_SERIES(asin(r.data(), a.data(), K, w.data())); }
  static S acos(const S& a) { SALTUS_SERIES(acos(r.data(), a.data(), K, w.data())); }
  static S atan(const S& a) { SALTUS_SERIES(atan(r.data(), a.data(), K, w.data())); }
  static S atan2(const S& a, const S& b) {
    SALTUS_SERIES(atan2(r.data(), a.data(), b.data(), K, w.data()));
  }
  static S powi(const S& a, int n) { SALTUS_SERIES(powi(r.data(), a.data(), n, K, w.data())); }
  static S pow(const S& a, const S& b) {
    SALTUS_SERIES(pow(r.data(), a.data(), b.data(), K, w.data()));
  }
  static S abs(const S& a) { SALTUS_SERIES(abs(r.data(), a.data(), K)); }
  static S min(const S& a, const S& b) { SALTUS_SERIES(min(r.data(), a.data(), b.data(), K)); }
  static S max(const S& a, const S& b) { SALTUS_SERIES(max(r.data(), a.data(), b.data(), K)); }
};

#undef SALTUS_SERIES

// A kernel as a function of two series (unary ones ignore the second). All are defined for first
// arguments near 0.5 and second ones near 0.8.
template <class T>
struct NamedKernel {
  std::string name;
  Series<T> (*apply)(const Series<T>&, const Series<T>&);
};

template <class T>
std::vector<NamedKernel<T>> all_kernels() {
  using F = Kernels<T>;
  using S = Series<T>;
  return {
      {"add", F::add},
      {"sub", F::sub},
      {"mul", F::mul},
      {"div", F::div},
      {"atan2", F::atan2},
      {"pow", F::pow},
      {"min", F::min},
      {"max", F::max},
      {"neg", [](const S& a, const S&) { return F::neg(a); }},
      {"scale", [](const S& a, const S&) { return F::scale(a, T(0.1)); }},
      {"sqr", [](const S& a, const S&) { return F::sqr(a); }},
      {"sqrt", [](const S& a, const S&) { return F::sqrt(a); }},
      {"exp", [](const S& a, const S&) { return F::exp(a); }},
      {"log", [](const S& a, const S&) { return F::log(a); }},
      {"sin", [](const S& a, const S&) { return F::sin(a); }},
      {"cos", [](const S& a, const S&) { return F::cos(a); }},
      {"tan", [](const S& a, const S&) { return F::tan(a); }},
      {"asin", [](const S& a, const S&) { return F::asin(a); }},
      {"acos", [](const S& a, const S&) { return F::acos(a); }},
      {"atan", [](const S& a, const S&) { return F::atan(a); }},
      {"sinh", [](const S& a, const S&) { return F::sinh(a); }},
      {"cosh", [](const S& a, const S&) { return F::cosh(a); }},
      {"tanh", [](const S& a, const S&) { return F::tanh(a); }},
      {"abs", [](const S& a, const S&) { return F::abs(F::neg(a)); }},
      {"powi 5", [](const S& a, const S&) { return F::powi(a, 5); }},
      {"powi -3", [](const S& a, const S&) { return F::powi(a, -3); }},
      {"constant power",
       [](const S& a, const S&) {
         S p(a.size(), T(0.0));
         p[0] = T(1.75);
         return F::pow(a, p);
       }},
  };
}

}  // namespace saltus::numerics_test
