// Enclosures along a step of a sliding system.
#include <algorithm>
#include <cmath>

#include <saltus/numerics/bernstein.hpp>

#include "slide/surface/sliding_switching.hpp"

namespace saltus::detail {

StepPolynomial SlidingEnclosure::base_step(const StepPolynomial& step) {
  const std::size_t n = n_, degree = static_cast<std::size_t>(step.degree);
  coefficients_.resize(n * (degree + 1));
  for (std::size_t k = 0; k <= degree; ++k) {
    std::copy_n(step.coefficients.data() + k * step.n, n, coefficients_.data() + k * n);
  }
  StepPolynomial base = step;
  base.n = n_;
  base.coefficients = coefficients_;
  return base;
}

void SlidingEnclosure::note_step(const StepPolynomial& step) {
  const std::span<const double> now = step.coefficients;
  const bool is_same = step_seen_.size() == now.size() + 2 && step_seen_[0] == step.t_left &&
                       step_seen_[1] == step.t_right &&
                       std::equal(now.begin(), now.end(), step_seen_.begin() + 2);
  if (is_same) return;
  step_seen_.assign({step.t_left, step.t_right});
  step_seen_.insert(step_seen_.end(), now.begin(), now.end());
  along_.resize(functions_.sides().n_surfaces());
  for (auto& u : along_) u.clear();
  over_whole_.assign(along_.size(), std::nullopt);
  corrections_ = Corrections::unknown;
}

std::span<const Interval> SlidingEnclosure::multiplier_along(std::uint32_t k,
                                                             const StepPolynomial& step) {
  note_step(step);
  std::vector<Interval>& u = along_[k];
  if (!u.empty()) return u;
  const MultiplierAccess& multipliers = functions_.multipliers();
  const std::uint32_t unknown = multipliers.unknown(k);
  if (!multipliers.is_slope()) {
    for (int j = 0; j <= step.degree; ++j) u.emplace_back(step.coefficient(j, unknown));
  } else {
    const Interval duration = Interval(step.t_right) - Interval(step.t_left);
    for (int j = 1; j <= step.degree; ++j) {
      u.push_back(Interval(j) * Interval(step.coefficient(j, unknown)) / duration);
    }
    if (u.empty()) u.emplace_back(0.0);
  }
  if (step.t_right != step.t_left) correct(k, step, u);
  return u;
}

double SlidingEnclosure::along_step(std::uint32_t k, const StepPolynomial& step, double s) const {
  const std::uint32_t unknown = functions_.multipliers().unknown(k);
  const double t = step.t_left + s * (step.t_right - step.t_left);
  return functions_.multipliers().is_slope() ? step.slope(unknown, t) : step.value(unknown, t);
}

/// Newton's divided differences at 0, 1/4 … 1, as powers of s.
bool SlidingEnclosure::find_corrections(const StepPolynomial& step) {
  constexpr double width = 0.25, check_at = 0.125;
  const std::uint32_t z = functions_.sides().n_surfaces();
  x_.resize(step.n);
  xdot_.resize(step.n);
  u_exact_.resize(z);
  correction_.assign(z * n_nodes_, 0.0);
  left_over_.assign(z, 0.0);
  const auto sample = [&](double s) {
    const double t = s == 1.0 ? step.t_right : step.t_left + s * (step.t_right - step.t_left);
    step.state_at(t, x_);
    if (functions_.multipliers().known_multipliers(t, x_, u_exact_)) return true;
    step.derivative_at(t, xdot_);
    return static_cast<bool>(functions_.multipliers().multipliers_at(t, x_, xdot_, u_exact_));
  };
  for (std::size_t i = 0; i < n_nodes_; ++i) {
    const double s = width * static_cast<double>(i);
    if (!sample(s)) return false;
    for (std::uint32_t k = 0; k < z; ++k) {
      correction_[k * n_nodes_ + i] = u_exact_[k] - along_step(k, step, s);
    }
  }
  if (!sample(check_at)) return false;
  for (std::uint32_t k = 0; k < z; ++k) {
    double* c = correction_.data() + k * n_nodes_;
    for (std::size_t order = 1; order < n_nodes_; ++order) {
      for (std::size_t i = n_nodes_ - 1; i >= order; --i) {
        c[i] = (c[i] - c[i - 1]) / (width * static_cast<double>(order));
      }
    }
    // Multiplied out from the last node to the first.
    for (std::size_t node = n_nodes_ - 1; node-- > 0;) {
      for (std::size_t i = node; i + 1 < n_nodes_; ++i) {
        c[i] -= width * static_cast<double>(node) * c[i + 1];
      }
    }
    double at_check = 0.0;
    for (std::size_t i = n_nodes_; i-- > 0;) at_check = at_check * check_at + c[i];
    // The error of such an interpolation is largest near there, and about the same at the other end.
    const double missed = u_exact_[k] - along_step(k, step, check_at) - at_check;
    left_over_[k] = 4.0 * std::abs(missed) + 0x1p-48;
  }
  return true;
}

/// What the polynomial may be wrong by is of the size of its last terms; where no exit is within that, it
/// is good enough.
void SlidingEnclosure::correct(std::uint32_t k, const StepPolynomial& step,
                               std::vector<Interval>& u) {
  double margin = 0x1p-48;
  for (std::size_t j = u.size() > 3 ? u.size() - 2 : 1; j < u.size(); ++j) margin += u[j].mag();
  expand(u, Interval(0.0, 1.0), 0);
  const Interval range = coefficient_over(0, Interval(0.0, 1.0)) + Interval(-margin, margin);
  if (range.mag() < 1.0) {
    u[0] += Interval(-margin, margin);
    return;
  }
  if (corrections_ == Corrections::unknown)
    corrections_ = find_corrections(step) ? Corrections::found : Corrections::none;
  if (corrections_ == Corrections::none) {
    u[0] += Interval(-margin, margin);
    return;
  }
  if (u.size() < n_nodes_) u.resize(n_nodes_);
  for (std::size_t i = 0; i < n_nodes_; ++i) u[i] += Interval(correction_[k * n_nodes_ + i]);
  u[0] += Interval(-left_over_[k], left_over_[k]);
}

/// Expands u about the left end of a part: about_. Of a point no more is needed than the coefficients up to `order`.
void SlidingEnclosure::expand(std::span<const Interval> u, const Interval& s, std::size_t order) {
  const Interval a(s.lo());
  about_.assign(u.begin(), u.end());
  if (a.lo() == 0) return;
  const std::size_t n_passes = s.is_point() ? std::min(order + 1, about_.size()) : about_.size();
  for (std::size_t pass = 0; pass < n_passes; ++pass) {
    for (std::size_t j = about_.size() - 1; j-- > pass;) {
      about_[j] = about_[j] + a * about_[j + 1];
    }
  }
}

/// u^(k)/k! over the part: sum_m C(k + m, k) q_{k+m} v^m for v from 0 to its length.
Interval SlidingEnclosure::coefficient_over(std::size_t k, const Interval& s) {
  if (k >= about_.size()) return 0.0;
  if (s.is_point()) return about_[k];
  const bool is_whole = s.lo() == 0.0 && s.hi() == 1.0;
  const Interval length = Interval(s.hi()) - Interval(s.lo());
  bernstein_.assign(about_.begin() + static_cast<std::ptrdiff_t>(k), about_.end());
  Interval power = 1.0;
  double binomial = 1.0;
  for (std::size_t m = 0; m < bernstein_.size(); ++m) {
    if (binomial != 1.0) bernstein_[m] = Interval(binomial) * bernstein_[m];
    if (!is_whole) {
      bernstein_[m] = bernstein_[m] * power;
      power = power * length;
    }
    binomial = binomial * static_cast<double>(k + m + 1) / static_cast<double>(m + 1);
  }
  bernstein::power_to_bernstein(std::span<const Interval>(bernstein_),
                                std::span<Interval>(bernstein_));
  return bernstein::range(std::span<const Interval>(bernstein_));
}

/// Of what is on no surface, each on a side on which it matters.
void SlidingEnclosure::base_hulls(const StepPolynomial& step, Interval s, std::span<Interval> g) {
  SlidingSides& sides = functions_.sides();
  hulls_.resize(g.size());
  const StepPolynomial on_base = base_step(step);
  is_found_.assign(g.size(), 0);
  const auto take = [&] {
    if (base_ != nullptr) base_->hulls(on_base, s, hulls_);
    for (std::uint32_t i = 0; i < g.size(); ++i) {
      if (is_found_[i] != 0 || sides.is_on_surface(i) || !sides.functions().is_active(i)) continue;
      g[i] = base_ != nullptr ? hulls_[i] : Interval::entire();
      is_found_[i] = 1;
    }
  };
  take();
  for (std::uint32_t i = 0; i < g.size(); ++i) {
    std::uint32_t vertex = 0;
    if (is_found_[i] != 0 || sides.is_on_surface(i) || !sides.is_active_somewhere(i, vertex)) {
      continue;
    }
    const SideVisit visit(sides, vertex);
    take();
  }
}

/// The whole step is asked for more than once.
Interval SlidingEnclosure::multiplier_over(std::uint32_t k, const StepPolynomial& step,
                                           const Interval& s) {
  const std::span<const Interval> along = multiplier_along(k, step);
  const bool is_whole = s.lo() == 0.0 && s.hi() == 1.0;
  if (is_whole && over_whole_[k]) return *over_whole_[k];
  expand(along, s, 0);
  const Interval u = coefficient_over(0, s);
  if (is_whole) over_whole_[k] = u;
  return u;
}

void SlidingEnclosure::hulls(const StepPolynomial& step, Interval s, std::span<Interval> g) {
  const std::uint32_t n_base = functions_.n_base_functions();
  SlidingSides& sides = functions_.sides();
  if (!sides.are_all_on_surfaces()) base_hulls(step, s, g.first(n_base));
  for (std::uint32_t k = 0; k < sides.n_surfaces(); ++k) {
    Interval u = multiplier_over(k, step, s);
    if (functions_.hold_of(k) != SwitchInfo::no_hold) u = g[functions_.hold_of(k)] * u;
    g[n_base + 2 * k] = Interval(1.0) - u;
    g[n_base + 2 * k + 1] = Interval(1.0) + u;
  }
}

bool SlidingEnclosure::series(std::uint32_t which, const StepPolynomial& step, Interval s,
                              int order, std::span<Interval> coefficients) {
  if (functions_.is_exit(which)) {
    expand(multiplier_along(functions_.surface_of(which), step), s,
           static_cast<std::size_t>(order));
    const Interval minus_side(-functions_.side_of(which));
    for (std::size_t k = 0; k <= static_cast<std::size_t>(order); ++k) {
      coefficients[k] = minus_side * coefficient_over(k, s);
    }
    if (const std::uint32_t hold = functions_.hold_of(functions_.surface_of(which));
        hold != SwitchInfo::no_hold) {
      hold_.resize(static_cast<std::size_t>(order) + 1);
      if (!series(hold, step, s, order, hold_)) return false;
      for (std::size_t k = hold_.size(); k-- > 0;) {  // Cauchy's product, the last one first
        coefficients[k] = coefficients[k] * hold_[0];
        for (std::size_t j = 0; j < k; ++j) {
          coefficients[k] = coefficients[k] + coefficients[j] * hold_[k - j];
        }
      }
    }
    coefficients[0] = Interval(1.0) + coefficients[0];
    return true;
  }
  SlidingSides& sides = functions_.sides();
  std::uint32_t vertex = 0;
  if (base_ == nullptr || sides.is_on_surface(which) || !sides.is_active_somewhere(which, vertex)) {
    return false;
  }
  const SideVisit visit(sides, vertex);
  return base_->series(which, base_step(step), s, order, coefficients);
}

}  // namespace saltus::detail
