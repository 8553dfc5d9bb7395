#include "slide/surface/sliding_surfaces.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "slide/decide/multipliers.hpp"

namespace saltus::detail {

namespace {

constexpr double surface_eps = std::numeric_limits<double>::epsilon();

}  // namespace

SurfaceFunctions::SurfaceFunctions(const System& base, SlidingSides& sides)
    : sides_(sides), pattern_(sides.functions().gradient_pattern()) {
  const std::size_t n = base.size(), z = sides.n_surfaces();
  nominal_.reserve(n);
  for (std::uint32_t i = 0; i < n; ++i) nominal_.push_back(base.nominal(i));
  rows_.resize(z * n);
  of_rows_.x.resize(n);
  g_.resize(z);
  zero_.assign(z, 0.0);
  if (sides.tangents() != nullptr) {
    g_of_rows_.resize(z);
    slope_in_time_.resize(z);
  }
  // Many of these are made at an event, for a single question: the rest gets its room where it is needed.
  if (z == 1) {
    way_.resize(n);
  } else {
    gram_.resize(z * z);
    coefficient_.resize(z);
  }
}

Evaluation SurfaceFunctions::values(double t, std::span<const double> x,
                                    std::span<const double> xdot, std::span<double> g) {
  if (sides_.tangents() != nullptr && is_of_rows(t, x, xdot)) {
    std::copy(g_of_rows_.begin(), g_of_rows_.end(), g.begin());
    return Evaluation::ok();
  }
  for (std::uint32_t k = 0; k < n_surfaces(); ++k) {
    const std::uint32_t which = sides_.first_switch(k);
    std::uint32_t vertex = 0;
    if (!sides_.is_active_somewhere(which, vertex)) return Evaluation::out_of_domain(which);
    const SideVisit visit(sides_, vertex);
    if (const auto e = sides_.functions().evaluate_one(which, t, x, xdot, g[k]); !e) return e;
  }
  return Evaluation::ok();
}

template <class Look>
Evaluation SurfaceFunctions::on_active_sides(Look&& look) {
  std::uint32_t looked_at = 0;
  for (std::uint32_t k = 0; k < n_surfaces(); ++k) {
    const std::uint32_t which = sides_.first_switch(k);
    std::uint32_t vertex = 0;
    if (!sides_.is_active_somewhere(which, vertex)) return Evaluation::out_of_domain(which);
    const SideVisit visit(sides_, vertex);
    // The same side as that of the surface before: it was looked at already.
    if (const auto e = look(k, which, k == 0 || vertex != looked_at); !e) return e;
    looked_at = vertex;
  }
  return Evaluation::ok();
}

bool SurfaceFunctions::is_of_rows(double t, std::span<const double> x,
                                  std::span<const double> xdot) {
  // A function does not depend on its own relation: of a single surface both sides have the same gradient.
  if (!of_rows_.is_known || of_rows_.t != t) return false;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (of_rows_.x[i] != x[i]) return false;
  }
  return (sides_.tangents() != nullptr || std::ranges::equal(of_rows_.xdot, xdot)) &&
         of_rows_.vertex == (n_surfaces() == 1 ? 0 : sides_.entered()) &&
         of_rows_.epoch == sides_.epoch();
}

Evaluation SurfaceFunctions::gradients(double t, std::span<const double> x,
                                       std::span<const double> xdot) {
  if (is_of_rows(t, x, xdot)) return Evaluation::ok();
  of_rows_.is_known = false;
  const Evaluation done =
      sides_.tangents() != nullptr ? evaluate_tangents(t, x) : evaluate_rows(t, x, xdot);
  if (!done) return done;
  of_rows_.is_known = true;
  of_rows_.t = t;
  of_rows_.epoch = sides_.epoch();
  of_rows_.vertex = n_surfaces() == 1 ? 0 : sides_.entered();
  for (std::size_t i = 0; i < x.size(); ++i) of_rows_.x[i] = x[i];
  if (sides_.tangents() == nullptr) of_rows_.xdot.assign(xdot.begin(), xdot.end());
  ++n_gradients_;
  return done;
}

Evaluation SurfaceFunctions::evaluate_tangents(double t, std::span<const double> x) {
  const std::size_t n = nominal_.size();
  return on_active_sides([&](std::uint32_t k, std::uint32_t which, bool) {
    return sides_.tangents()->tangent(which, t, x, g_of_rows_[k], slope_in_time_[k],
                                      std::span(rows_).subspan(k * n, n));
  });
}

Evaluation SurfaceFunctions::evaluate_rows(double t, std::span<const double> x,
                                           std::span<const double> xdot) {
  const std::size_t n = nominal_.size();
  entries_.resize(static_cast<std::size_t>(pattern_.nnz()));
  std::fill(rows_.begin(), rows_.end(), 0.0);
  return on_active_sides([&](std::uint32_t k, std::uint32_t which, bool is_new) {
    if (is_new) {
      if (const auto e = sides_.functions().gradients(t, x, xdot, entries_); !e) return e;
    }
    for (std::size_t j = 0; j < n; ++j) {
      const auto end = static_cast<std::size_t>(pattern_.column_start[j + 1]);
      for (auto s = static_cast<std::size_t>(pattern_.column_start[j]); s < end; ++s) {
        if (static_cast<std::uint32_t>(pattern_.row[s]) == which) rows_[k * n + j] = entries_[s];
      }
    }
    return Evaluation::ok();
  });
}

Evaluation SurfaceFunctions::rates(double t, std::span<const double> x,
                                   std::span<const double> xdot, std::span<double> g,
                                   std::span<double> gdot) {
  all_g_.resize(sides_.functions().count());
  all_gdot_.resize(all_g_.size());
  return on_active_sides([&](std::uint32_t k, std::uint32_t which, bool is_new) {
    if (is_new) {
      if (const auto e = sides_.functions().rates(t, x, xdot, all_g_, all_gdot_); !e) return e;
    }
    g[k] = all_g_[which];
    gdot[k] = all_gdot_[which];
    return Evaluation::ok();
  });
}

bool SurfaceFunctions::steadiness(double t, std::span<const double> x, std::span<const double> xdot,
                                  std::span<double> kept) {
  constexpr double longest_time = 10.0, least = 0.01;
  const std::size_t n = nominal_.size();
  if (!gradients(t, x, xdot)) return false;
  rows_here_ = rows_;
  moved_x_.resize(n);
  double whole = longest_time;
  for (std::size_t j = 0; j < n; ++j) {
    const double allowed = std::max(std::abs(x[j]), nominal_[j]);
    if (std::abs(xdot[j]) * whole > allowed) whole = allowed / std::abs(xdot[j]);
  }
  std::fill(kept.begin(), kept.end(), 1.0);
  for (const double part : {0.1, 0.3, 1.0, 2.0, 4.0}) {
    const double ahead = part * whole;
    for (std::size_t j = 0; j < n; ++j) moved_x_[j] = x[j] + ahead * xdot[j];
    if (!gradients(t + ahead, moved_x_, xdot)) break;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (rows_here_[i] == 0.0) continue;
      kept[i % n] = std::min(kept[i % n], std::max(rows_[i] / rows_here_[i], least));
    }
  }
  rows_ = rows_here_;
  of_rows_.is_known = false;
  return true;
}

double SurfaceFunctions::size(std::uint32_t k, std::span<const double> x) const {
  double sum = 0.0;
  for (std::size_t j = 0; j < nominal_.size(); ++j) {
    sum += std::abs(gradient(k)[j]) * std::max(std::abs(x[j]), nominal_[j]);
  }
  return sum;
}

bool SurfaceFunctions::move(std::span<const double> dg, std::span<double> x, double& moved) {
  const std::size_t n = nominal_.size(), z = n_surfaces();
  if (z == 1) return move_across_one(dg[0], x, moved);
  const auto direction = [&](std::size_t k, std::size_t j) {
    return directions_.empty() ? rows_[k * n + j] * nominal_[j] * nominal_[j]
                               : directions_[k * n + j];
  };
  for (std::uint32_t a = 0; a < z; ++a) {
    for (std::uint32_t b = 0; b < z; ++b) {
      double sum = 0.0;
      for (std::size_t j = 0; j < n; ++j) sum += gradient(a)[j] * direction(b, j);
      gram_[a * z + b] = sum;
    }
    coefficient_[a] = dg[a];
  }
  if (!solve_small(gram_, coefficient_)) return false;
  moved = 0.0;
  for (std::size_t j = 0; j < n; ++j) {
    double change = 0.0;
    for (std::uint32_t k = 0; k < z; ++k) change += coefficient_[k] * direction(k, j);
    x[j] += change;
    moved = std::max(moved, std::abs(change) / std::max(std::abs(x[j]), nominal_[j]));
  }
  return std::isfinite(moved);
}

/// The usual number of surfaces, without a matrix: at every stage several of these are taken.
bool SurfaceFunctions::move_across_one(double dg, std::span<double> x, double& moved) {
  const std::size_t n = nominal_.size();
  const double* gradient = rows_.data();
  const double* along = directions_.data();
  if (directions_.empty()) {
    for (std::size_t j = 0; j < n; ++j) way_[j] = gradient[j] * nominal_[j] * nominal_[j];
    along = way_.data();
  }
  double slope = 0.0;
  for (std::size_t j = 0; j < n; ++j) slope += gradient[j] * along[j];
  const double length = dg / slope;
  moved = 0.0;
  for (std::size_t j = 0; j < n; ++j) {
    const double change = length * along[j];
    x[j] += change;
    moved = std::max(moved, std::abs(change) / std::max(std::abs(x[j]), nominal_[j]));
  }
  return slope != 0.0 && std::isfinite(length) && std::isfinite(moved);
}

bool SurfaceFunctions::reach(double t, std::span<double> x, std::span<const double> xdot,
                             std::span<const double> target) {
  constexpr int most_steps = 8;
  const bool has_tangents = sides_.tangents() != nullptr;
  double last = std::numeric_limits<double>::infinity();
  double whole = 0.0;
  // Gradients of a point that differs by rounding are those of this one.
  const auto arrive = [&] {
    if (whole <= 8 * surface_eps) std::copy(x.begin(), x.end(), of_rows_.x.begin());
    return true;
  };
  for (int step = 0; step < most_steps; ++step) {
    // Tangents come with the values.
    if (!(has_tangents ? gradients(t, x, xdot) : values(t, x, xdot, g_))) return false;
    const double* g = has_tangents ? g_of_rows_.data() : g_.data();
    bool there = true;
    for (std::size_t k = 0; k < g_.size(); ++k) {
      g_[k] = target[k] - g[k];
      there = there && g_[k] == 0.0;
    }
    if (there) return true;
    // Else with the matrix of the first point as long as steps shrink quickly.
    if (!has_tangents && (step == 0 || step == 3)) {
      if (!gradients(t, x, xdot)) return false;
    }
    double moved = 0.0;
    if (!move(g_, x, moved)) return false;
    whole += moved;
    // Below the rounding of x, or no longer shrinking: rounding of g.
    if (moved <= surface_eps || (step > 0 && moved > 0.5 * last)) return moved <= 1e-9 && arrive();
    // The next step would be shorter by the same factor, or by its square.
    const double ratio = moved / last;
    const double next = moved * (has_tangents ? ratio * ratio : ratio);
    if (step > 0 && next <= surface_eps) return true;
    last = moved;
  }
  return false;
}

bool SurfaceFunctions::project(double t, std::span<double> x, std::span<const double> xdot,
                               const BaseProjection& base) {
  if (!base) return reach(t, x, xdot, zero_);
  if (!base(x) || !reach(t, x, xdot, zero_)) return false;
  // Where the constraints of the base do not see what the surfaces moved, this is all.
  constexpr int most_rounds = 8;
  for (int round = 0; round < most_rounds; ++round) {
    if (!base(x) || !values(t, x, xdot, g_)) return false;
    bool there = true;
    for (std::uint32_t k = 0; k < n_surfaces(); ++k) {
      there = there && std::abs(g_[k]) <= 4 * surface_eps * size(k, x);
    }
    if (there) return true;
    if (!move_along_constraints(t, x, xdot, base)) return false;
  }
  return false;
}

/// Towards g = 0 within the constraints of the base: what it leaves of a small step along a gradient is
/// the part of the gradient that they allow. g_ holds the values at x.
bool SurfaceFunctions::move_along_constraints(double t, std::span<double> x,
                                              std::span<const double> xdot,
                                              const BaseProjection& base) {
  const std::size_t n = nominal_.size(), z = n_surfaces();
  if (!gradients(t, x, xdot)) return false;
  tangent_.resize(z * n);
  moved_x_.resize(n);
  gram_.resize(z * z);
  coefficient_.resize(z);
  for (std::uint32_t k = 0; k < z; ++k) {
    double norm = 0.0;
    for (std::size_t j = 0; j < n; ++j) {
      norm = std::max(norm, std::abs(gradient(k)[j]) * nominal_[j]);
    }
    if (!(norm > 0.0)) return false;
    const double step = std::sqrt(surface_eps) / norm;
    for (std::size_t j = 0; j < n; ++j) {
      moved_x_[j] = x[j] + step * gradient(k)[j] * nominal_[j] * nominal_[j];
    }
    if (!base(moved_x_)) return false;
    for (std::size_t j = 0; j < n; ++j) tangent_[k * n + j] = (moved_x_[j] - x[j]) / step;
  }
  for (std::uint32_t a = 0; a < z; ++a) {
    for (std::uint32_t b = 0; b < z; ++b) {
      double sum = 0.0;
      for (std::size_t j = 0; j < n; ++j) sum += gradient(a)[j] * tangent_[b * n + j];
      gram_[a * z + b] = sum;
    }
    coefficient_[a] = -g_[a];
  }
  if (!solve_small(gram_, coefficient_)) return false;
  for (std::size_t j = 0; j < n; ++j) {
    for (std::uint32_t k = 0; k < z; ++k) x[j] += coefficient_[k] * tangent_[k * n + j];
  }
  return true;
}

}  // namespace saltus::detail
