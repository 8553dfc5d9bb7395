#include "slide/ode/sliding_field.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <saltus/core/error.hpp>
#include <saltus/slide/decide.hpp>

#include "slide/equations/sliding_equations.hpp"

namespace saltus::detail {

namespace {

ExplicitForm& explicit_form_of(Workspace& workspace) {
  auto* form = workspace.ability<ExplicitForm>();
  SALTUS_ASSERT(form != nullptr);
  return *form;
}

}  // namespace

SlidingField::SlidingField(const System& base, Workspace& workspace, SlidingSides& sides,
                           SurfaceFunctions& surfaces, SlidingRule rule)
    : n_(base.size()),
      form_(explicit_form_of(workspace)),
      sides_(sides),
      surfaces_(surfaces),
      points_near_(sides, surfaces),
      rule_(rule),
      n_surfaces_(sides.n_surfaces()),
      on_surface_(n_),
      no_motion_(n_, 0.0),
      u_(n_surfaces_, 0.0),
      w_(sides.n_vertices(), 0.0),
      anchor_(u_),
      g_(u_) {
  velocities_.n_surfaces = n_surfaces_;
  velocities_.rate.assign(static_cast<std::size_t>(sides.n_vertices()) * n_surfaces_, 0.0);
  velocities_.negligible.assign(n_surfaces_, 0.0);
  const std::size_t n_all = n_ * sides.n_vertices();
  const std::array<std::size_t, n_parts> sizes = {n_, n_all,     n_all,    velocities_.rate.size(),
                                                  n_, u_.size(), w_.size()};
  for (std::size_t p = 0; p < n_parts; ++p) begin_[p + 1] = begin_[p] + sizes[p];
  (void)new_point();
}

void SlidingField::begin_again() {
  sides_.note_change();
  points_near_.begin_again();
  attraction_ = 0;
  std::fill(anchor_.begin(), anchor_.end(), 0.0);
  n_side_evaluations_ = 0;
}

/// Into u_ and w_.
bool SlidingField::find_weights() {
  if (n_surfaces_ == 1) {
    const double minus = velocities_(0, 0), plus = velocities_(1, 0);
    const double difference = minus - plus;
    const int sign = (difference > 0) - (difference < 0);
    if (attraction_ == 0) attraction_ = sign;
    // Beyond a pole of u there is another solution.
    if (sign == 0 || sign != attraction_) return false;
    u_[0] = (plus + minus) / difference;
    w_[0] = 0.5 * (1.0 - u_[0]);
    w_[1] = 0.5 * (1.0 + u_[0]);
    return std::isfinite(u_[0]);
  }
  if (rule_ == SlidingRule::moments && n_surfaces_ == 2) {
    if (!moment_weights(velocities_, w_)) return false;
    std::fill(u_.begin(), u_.end(), 0.0);
    for (std::uint32_t b = 0; b < w_.size(); ++b) {
      for (std::uint32_t k = 0; k < u_.size(); ++k) u_[k] += SlidingSides::side(b, k) * w_[b];
    }
    return true;
  }
  u_ = anchor_;
  if (!solve_multipliers(velocities_, u_)) return false;
  vertex_weights(u_, w_);
  return true;
}

void SlidingField::directions(std::span<double> rows) const {
  std::fill(rows.begin(), rows.end(), 0.0);
  for (std::uint32_t k = 0; k < n_surfaces_; ++k) {
    for (std::uint32_t b = 0; b < w_.size(); ++b) {
      const double slope = weight_slope(multipliers(), b, k);
      for (std::size_t i = 0; i < n_; ++i) rows[k * n_ + i] += slope * motion(b)[i];
    }
  }
}

/// Points inside a step lie beside a curved or moving surface by the error of lower orders; on it, nothing
/// of the motion across enters the motion along.
Evaluation SlidingField::compute_vertices(double t, std::span<const double> given, Known& known) {
  const std::size_t z = n_surfaces_;
  const std::span<double> fields = part(known, of_fields), points = part(known, of_points);
  std::copy(given.begin(), given.end(), on_surface_.begin());
  if (!surfaces_.project(t, on_surface_, no_motion_, {})) return Evaluation::out_of_domain(0);
  const std::span<const double> x = on_surface_;
  // A single surface has one function for both sides.
  const bool by_gradient = z == 1 && surfaces_.has_slopes_in_time();
  SideVisit visit(sides_, 0);
  for (std::uint32_t b = 0; b < sides_.n_vertices(); ++b) {
    visit.enter(b);
    const auto move = [&](std::span<const double> point) {
      ++n_side_evaluations_;
      return form_.derivative(t, point, fields.subspan(b * n_, n_));
    };
    if (const auto e = points_near_.on_side(b, t, x, points.subspan(b * n_, n_), move); !e)
      return e;
    if (by_gradient) continue;
    const std::span<double> gdot = std::span(velocities_.rate).subspan(b * z, z);
    if (const auto e = surfaces_.rates(t, x, fields.subspan(b * n_, n_), g_, gdot); !e) return e;
  }
  if (!by_gradient) return Evaluation::ok();
  if (const auto e = surfaces_.gradients(t, x, no_motion_); !e) return e;
  const double* gradient = surfaces_.gradient(0).data();
  for (std::uint32_t b = 0; b < 2; ++b) {
    double rate = surfaces_.slope_in_time(0);
    for (std::size_t i = 0; i < n_; ++i) rate += gradient[i] * fields[b * n_ + i];
    velocities_.rate[b] = rate;
  }
  return Evaluation::ok();
}

SlidingField::Known* SlidingField::find(double t, std::span<const double> x, double slack) {
  if (n_known_at(t) == 0) return nullptr;
  const auto is_same = [&](const Known& known) {
    if (known.t != t) return false;
    for (std::size_t i = 0; i < n_; ++i) {
      const double there = known.values[i];
      if (there == x[i]) continue;
      if (!(std::abs(there - x[i]) <= slack * std::abs(x[i]))) return false;
    }
    return known.epoch == sides_.epoch();
  };
  const auto found = std::find_if(known_.begin(), known_.end(), is_same);
  return found != known_.end() ? &*found : nullptr;
}

SlidingField::Known& SlidingField::new_point() {
  if (known_.size() < most_known) {
    next_known_ = known_.size();
    known_.reserve(most_known);
    known_.emplace_back().values.resize(begin_[n_parts]);
    ++n_known_at(known_.back().t);
  }
  Known& known = known_[next_known_];
  here_ = next_known_;
  next_known_ = (next_known_ + 1) % most_known;
  known.epoch = 0;
  known.has_motion = false;
  return known;
}

Evaluation SlidingField::compute_point(double t, std::span<const double> x) {
  const std::size_t before = here_;
  Known& known = new_point();
  if (const auto e = compute_vertices(t, x, known); !e) {
    here_ = before;
    return e;
  }
  last_ = here_;
  --n_known_at(known.t);
  ++n_known_at(t);
  known.t = t;
  std::copy(x.begin(), x.end(), known.values.begin());
  std::copy(velocities_.rate.begin(), velocities_.rate.end(), part(known, of_rate).begin());
  known.epoch = sides_.epoch();
  return Evaluation::ok();
}

void SlidingField::set_known(const Known& known) {
  known_.assign(1, known);
  known_.front().epoch = sides_.epoch();
  n_known_.fill(0);
  ++n_known_at(known.t);
  here_ = last_ = 0;
}

void SlidingField::take(const Known& known) {
  here_ = static_cast<std::size_t>(&known - known_.data());
  const auto rates = part(known, of_rate);
  std::copy(rates.begin(), rates.end(), velocities_.rate.begin());
  if (known.has_motion && attraction_ == 0 && n_surfaces_ == 1)
    attraction_ = velocities_(0, 0) > velocities_(1, 0) ? 1 : -1;
}

std::optional<std::span<const double>> SlidingField::multipliers_near(double t,
                                                                      std::span<const double> x) {
  constexpr double rounding = 8.0 * std::numeric_limits<double>::epsilon();
  const Known* known = find(t, x, rounding);
  if (known == nullptr || !known->has_motion) return std::nullopt;
  return part(*known, of_u);
}

Evaluation SlidingField::evaluate_vertices(double t, std::span<const double> x) {
  const SlidingSides::Steady steady(sides_);
  if (const Known* known = find(t, x, 0.0)) {
    take(*known);
    return Evaluation::ok();
  }
  return compute_point(t, x);
}

Evaluation SlidingField::evaluate(double t, std::span<const double> x) {
  const SlidingSides::Steady steady(sides_);
  Known* known = find(t, x, 0.0);
  if (known != nullptr) {
    take(*known);
    if (known->has_motion) return Evaluation::ok();
  } else {
    if (const auto e = compute_point(t, x); !e) return e;
    known = &known_[here_];
  }
  if (!find_weights()) return Evaluation::out_of_domain(0);
  const double* fields = part(*known, of_fields).data();
  double* motion = part(*known, of_motion).data();
  // Two terms commute, so that motions do not depend on which side is called positive.
  for (std::size_t i = 0; i < n_; ++i) {
    double sum = w_[0] * fields[i];
    for (std::uint32_t b = 1; b < w_.size(); ++b) sum += w_[b] * fields[b * n_ + i];
    motion[i] = sum;
  }
  std::copy(u_.begin(), u_.end(), part(*known, of_u).begin());
  std::copy(w_.begin(), w_.end(), part(*known, of_w).begin());
  known->has_motion = true;
  return Evaluation::ok();
}

}  // namespace saltus::detail
