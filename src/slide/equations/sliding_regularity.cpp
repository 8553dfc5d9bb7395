#include "slide/equations/sliding_regularity.hpp"

#include <cmath>
#include <utility>

#include <saltus/core/text.hpp>

namespace saltus::detail {

namespace {

/// By elimination with row pivots; the matrix is overwritten.
SignedLogarithm small_determinant(std::span<double> a, std::size_t n) {
  SignedLogarithm value = SignedLogarithm::one();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t best = k;
    for (std::size_t i = k + 1; i < n; ++i) {
      if (std::abs(a[i * n + k]) > std::abs(a[best * n + k])) best = i;
    }
    for (std::size_t j = 0; best != k && j < n; ++j) std::swap(a[k * n + j], a[best * n + j]);
    value *= best != k ? -a[k * n + k] : a[k * n + k];
    if (a[k * n + k] == 0.0) return value;
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = a[i * n + k] / a[k * n + k];
      for (std::size_t j = k; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
    }
  }
  return value;
}

}  // namespace

SlidingRegularity::SlidingRegularity(std::size_t n_base, Regularity* base,
                                     AttractionSource& attraction, std::vector<std::string> names)
    : n_(n_base),
      base_(base),
      attraction_(attraction),
      names_(std::move(names)),
      matrix_(names_.size() * names_.size()),
      eliminated_(matrix_.size()) {}

Evaluation SlidingRegularity::own_determinant(double t, std::span<const double> x,
                                              std::span<const double> xdot,
                                              SignedLogarithm& value) {
  if (const auto e = attraction_.attraction(t, x, xdot, matrix_); !e) return e;
  eliminated_ = matrix_;
  value = small_determinant(eliminated_, names_.size());
  return Evaluation::ok();
}

Evaluation SlidingRegularity::determinant(double t, std::span<const double> x,
                                          std::span<const double> xdot, SignedLogarithm& value) {
  if (const auto e = own_determinant(t, x, xdot, value); !e) return e;
  const double own = value.log_size;
  SignedLogarithm of_base = SignedLogarithm::one();
  if (base_ != nullptr) {
    const Evaluation done = base_->determinant(t, x.first(n_), xdot.first(n_), of_base);
    if (!done) return done;
  }
  if (first_matrix_.empty()) {
    first_matrix_ = matrix_;
    first_own_ = own;
    first_base_ = of_base.log_size;
  }
  value.sign *= of_base.sign;
  value.log_size += of_base.log_size;
  return Evaluation::ok();
}

bool SlidingRegularity::is_of_surfaces(double t, std::span<const double> x,
                                       std::span<const double> xdot) {
  SignedLogarithm own, of_base;
  if (!own_determinant(t, x, xdot, own)) return false;
  if (base_ == nullptr || !base_->determinant(t, x.first(n_), xdot.first(n_), of_base)) return true;
  return own.log_size - first_own_ < of_base.log_size - first_base_;
}

bool SlidingRegularity::confirm(double t, std::span<const double> x, std::span<const double> xdot) {
  return base_ == nullptr || is_of_surfaces(t, x, xdot) ||
         base_->confirm(t, x.first(n_), xdot.first(n_));
}

Regularity::Loss SlidingRegularity::describe_loss(double t, std::span<const double> x,
                                                  std::span<const double> xdot) {
  if (base_ != nullptr && !is_of_surfaces(t, x, xdot)) {
    return base_->describe_loss(t, x.first(n_), xdot.first(n_));
  }
  const std::size_t z = names_.size();
  std::size_t weakest = 0;
  double least = 0.0;
  for (std::size_t k = 0; k < z && !first_matrix_.empty(); ++k) {
    const double rest = matrix_[k * z + k] / first_matrix_[k * z + k];
    if (k == 0 || rest < least) {
      weakest = k;
      least = rest;
    }
  }
  return {"the surface of " + quote(names_[weakest]) +
              " ceases to attract: both its sides move along it",
          true};
}

}  // namespace saltus::detail
