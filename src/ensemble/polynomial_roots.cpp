#include "ensemble/polynomial_roots.hpp"

#include <algorithm>

#include <saltus/numerics/bernstein.hpp>

namespace saltus::detail {

namespace {

double horner(std::span<const double> c, double s) {
  double sum = 0.0;
  for (std::size_t k = c.size(); k-- > 0;) sum = sum * s + c[k];
  return sum;
}

/// The only crossing between two places.
double bisected(std::span<const double> c, double left, double right, bool rises) {
  for (;;) {
    const double middle = left + 0.5 * (right - left);
    if (middle <= left || middle >= right) return middle;
    ((horner(c, middle) < 0) == rises ? left : right) = middle;
  }
}

class RootSearch {
 public:
  explicit RootSearch(std::span<const double> c) : c_(c) {}

  void search(const std::vector<double>& b, double left, double right) {
    // As many roots as sign changes at most; one has exactly one.
    constexpr double narrowest = 0x1p-40;
    const int changes = bernstein::sign_variations(std::span(b));
    if (changes == 0) return;
    if (changes == 1 && b.front() != 0 && b.back() != 0) {
      roots.push_back(bisected(c_, left, right, b.front() < 0));
      return;
    }
    const double middle = left + 0.5 * (right - left);
    if (right - left < narrowest) {
      roots.push_back(middle);
      return;
    }
    std::vector<double> first(b.size()), second(b.size());
    bernstein::split<double>(b, 0.5, first, second);
    search(first, left, middle);
    if (second.front() == 0) roots.push_back(middle);
    search(second, middle, right);
  }

  std::vector<double> roots;

 private:
  std::span<const double> c_;
};

}  // namespace

std::vector<double> polynomial_roots(std::span<const double> coefficients) {
  std::vector<double> b(coefficients.size());
  bernstein::power_to_bernstein(coefficients, std::span(b));
  RootSearch all(coefficients);
  all.search(b, 0.0, 1.0);
  return std::move(all.roots);
}

}  // namespace saltus::detail
