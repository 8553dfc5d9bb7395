#include "slide/ode/sliding_ode.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <saltus/core/text.hpp>

#include "slide/equations/sliding_equations.hpp"

namespace saltus::detail {

namespace {

/// All rows by the unknowns of the base, and U_k' in its own.
CscPattern eliminated_pattern(std::uint32_t n, std::uint32_t z) {
  std::vector<index_t> rows, columns;
  for (std::uint32_t j = 0; j < n + z; ++j) {
    for (std::uint32_t i = 0; i < n + z; ++i) {
      if (j >= n && i != j) continue;
      rows.push_back(static_cast<index_t>(i));
      columns.push_back(static_cast<index_t>(j));
    }
  }
  const auto size = static_cast<index_t>(n + z);
  return assemble(size, size, rows, columns).pattern;
}

}  // namespace

SlidingOde::SlidingOde(SlidingBase base, Workspace& workspace, SlidingRule rule)
    : base_(std::move(base)),
      rule_(rule),
      n_(base_.system->size()),
      pattern_(eliminated_pattern(n_, n_surfaces())),
      carries_derivative_(size(), 1),
      map_(base_.system->variable_map()) {
  switches_ = sliding_switches(SlidingSides(workspace, base_.surfaces));
  start_.x_given = base_.system->start_values().x_given;
  start_.x_given.resize(size(), 1);
  start_ = start_at({base_.t, base_.x, base_.xdot});
}

SlidingOde::~SlidingOde() = default;

StartValues SlidingOde::start_at(const SlidingPoint& at) const {
  StartValues start{{at.x.begin(), at.x.end()}, {at.xdot.begin(), at.xdot.end()}, start_.x_given};
  start.x.resize(size(), 0.0);
  start.xdot.resize(size(), 0.0);
  return start;
}

bool SlidingOde::complete_start() {
  first_ = std::make_unique<SlidingOdeWorkspace>(*this);
  const bool done = static_cast<bool>(first_->derivative(base_.t, start_.x, start_.xdot));
  if (done) start_motion_ = *first_->field().last_known();
  n_side_evaluations_ = first_->field().n_side_evaluations();
  return done;
}

std::string SlidingOde::unknown_name(std::uint32_t unknown) const {
  if (unknown < n_) return base_.system->unknown_name(unknown);
  return "integral of the multiplier of " +
         quote(switches_[base_.surfaces[unknown - n_].switches.front()].name);
}

std::vector<std::string> SlidingOde::surface_names() const {
  std::vector<std::string> names;
  for (const Surface& surface : base_.surfaces) {
    names.push_back(switches_[surface.switches.front()].name);
  }
  return names;
}

std::string SlidingOde::equation_name(std::uint32_t row) const {
  if (row < n_) return base_.system->equation_name(row);
  return "multiplier of " + quote(switches_[base_.surfaces[row - n_].switches.front()].name);
}

std::unique_ptr<Workspace> SlidingOde::workspace() const {
  {
    const std::lock_guard lock(guard_);
    if (first_) return std::move(first_);
  }
  return std::make_unique<SlidingOdeWorkspace>(*this);
}

SlidingOdeWorkspace::SlidingOdeWorkspace(const SlidingOde& system)
    : system_(system),
      n_(system.n_base()),
      n_making_(system.n_side_evaluations()),
      raw_(system.base().workspace()),
      sides_(*raw_, system.base().surfaces),
      surfaces_(*system.base().system, sides_),
      field_(*system.base().system, *raw_, sides_, surfaces_, system.rule()),
      switching_(*system.base().system, system.size(), *raw_, sides_, system.switches(), *this),
      scheduled_(noticed_times(*raw_, sides_)),
      regularity_(n_, raw_->ability<Regularity>(), *this, system.surface_names()),
      base_projection_(raw_->ability<StepProjection>()),
      base_output_projection_(raw_->ability<OutputProjection>()),
      base_refresh_(raw_->ability<StepRefresh>()),
      no_motion_(n_, 0.0),
      u_(system.n_surfaces()),
      moved_x_(system.size()),
      rates_(system.size()),
      moved_rates_(system.size()),
      before_(n_),
      directions_(n_ * system.n_surfaces()) {
  offer<ExplicitForm>(*this);
  offer<StepProjection>(*this);
  offer<StepRefresh>(*this);
  offer<OutputProjection>(*this);
  offer<Sliding>(*this);
  offer<MixtureOfSides>(*this);
  offer<SwitchingFunctions>(switching_.functions);
  offer<StepEnclosure>(switching_.enclosure);
  if (switching_.locks) offer<Locks>(*switching_.locks);
  if (switching_.actions) offer<EventActions>(*switching_.actions);
  if (scheduled_) offer<ScheduledTimes>(*scheduled_);
  hand_on(*raw_, SlidingOdeHanding::HandsOn{});
  offer<Regularity>(regularity_);
  if (system.start_motion().epoch != 0) field_.set_known(system.start_motion());
  // Multipliers are sought from those of the start; where there are none, from the middle.
  if (field_.evaluate(system.base().t, system.base().x)) field_.set_anchor(field_.multipliers());
}

bool SlidingOdeWorkspace::begin_again(Workspace& base, StartValues& start, const SlidingPoint& at) {
  set_as_in(*raw_, base);
  sides_.adopt();
  field_.begin_again();
  regularity_.begin_again();
  switching_.enclosure.begin_again();
  n_making_ = 0;
  if (!field_.evaluate(at.t, at.x)) return false;
  field_.set_anchor(field_.multipliers());
  return static_cast<bool>(derivative(at.t, start.x, start.xdot));
}

Evaluation SlidingOdeWorkspace::derivative(double t, std::span<const double> x,
                                           std::span<double> xdot) {
  if (const auto e = field_.evaluate(t, x.first(n_)); !e) return e;
  std::copy(field_.motion().begin(), field_.motion().end(), xdot.begin());
  const auto u = field_.multipliers();
  std::copy(u.begin(), u.end(), xdot.begin() + static_cast<std::ptrdiff_t>(n_));
  return Evaluation::ok();
}

Evaluation SlidingOdeWorkspace::residual(double t, std::span<const double> x,
                                         std::span<const double> xdot, std::span<double> f) {
  if (const auto e = derivative(t, x, f); !e) return e;
  for (std::size_t i = 0; i < f.size(); ++i) f[i] = xdot[i] - f[i];
  return Evaluation::ok();
}

template <class Take>
Evaluation SlidingOdeWorkspace::differences(double t, std::span<const double> x, Take&& take) {
  static const double relative = std::sqrt(std::numeric_limits<double>::epsilon());
  if (const auto e = derivative(t, x, rates_); !e) return e;
  std::copy(x.begin(), x.end(), moved_x_.begin());
  for (std::size_t j = 0; j < n_; ++j) {
    Evaluation done = Evaluation::ok();
    double distance = 0.0;
    for (const double side : {1.0, -1.0}) {
      moved_x_[j] = x[j] + side * relative * std::max(std::abs(x[j]), surfaces_.nominal()[j]);
      distance = moved_x_[j] - x[j];
      done = derivative(t, moved_x_, moved_rates_);
      if (done) break;
    }
    moved_x_[j] = x[j];
    if (!done) return done;
    for (std::size_t i = 0; i < rates_.size(); ++i) {
      moved_rates_[i] = (moved_rates_[i] - rates_[i]) / distance;
    }
    take(j, std::span<const double>(moved_rates_));
  }
  return Evaluation::ok();
}

Evaluation SlidingOdeWorkspace::jacobian(double t, std::span<const double> x,
                                         std::span<const double>, std::span<double> df_dx,
                                         std::span<double> df_dxdot) {
  const std::size_t size = system_.size();
  std::fill(df_dx.begin(), df_dx.end(), 0.0);
  std::fill(df_dxdot.begin(), df_dxdot.end(), 0.0);
  for (std::size_t j = 0; j < n_; ++j) df_dxdot[j * size + j] = 1.0;
  for (std::size_t k = 0; k < u_.size(); ++k) df_dxdot[n_ * size + k] = 1.0;
  return differences(t, x, [&](std::size_t j, std::span<const double> column) {
    for (std::size_t i = 0; i < size; ++i) df_dx[j * size + i] = -column[i];
  });
}

// ---- projections ---------------------------------------------------------------------------------------

Evaluation SlidingOdeWorkspace::project(double t, std::span<double> x) {
  SurfaceFunctions::BaseProjection base;
  if (base_projection_ != nullptr) {
    base = [&](std::span<double> point) { return base_projection_->project(t, point); };
  }
  // Along what multipliers act on: what they do not act on keeps its value (the momentum of bodies that
  // stick), and so do constraints of the base, which all vertices keep.
  field_.directions(directions_);
  surfaces_.set_directions(directions_);
  const bool done = surfaces_.project(t, x.first(n_), no_motion_, base);
  surfaces_.set_directions({});
  return done ? Evaluation::ok() : Evaluation::out_of_domain(0);
}

Evaluation SlidingOdeWorkspace::project(double t, std::span<double> x, std::span<double> xdot,
                                        double& moved) {
  std::copy_n(x.begin(), n_, before_.begin());
  SurfaceFunctions::BaseProjection base;
  if (base_output_projection_ != nullptr) {
    base = [&](std::span<double> point) {
      double ignored = 0.0;
      return base_output_projection_->project(t, point, xdot.first(n_), ignored);
    };
  }
  if (!surfaces_.project(t, x.first(n_), no_motion_, base)) return Evaluation::out_of_domain(0);
  moved = 0.0;
  for (std::size_t i = 0; i < n_; ++i) {
    moved = std::max(moved, std::abs(x[i] - before_[i]) / surfaces_.nominal()[i]);
  }
  return derivative(t, x, xdot);
}

// ---- along the solution --------------------------------------------------------------------------------

StepRefresh::Answer SlidingOdeWorkspace::step_accepted(double t, std::span<const double> x,
                                                       std::span<const double> xdot) {
  field_.set_anchor(multipliers(x, xdot));
  if (base_refresh_ != nullptr) sides_.note_change();
  return base_refresh_ == nullptr ? Answer::unchanged
                                  : base_refresh_->step_accepted(t, x.first(n_), xdot.first(n_));
}

Failure SlidingOdeWorkspace::stop_reason() const {
  return base_refresh_ != nullptr ? base_refresh_->stop_reason() : StepRefresh::stop_reason();
}

std::span<const double> SlidingOdeWorkspace::multipliers(std::span<const double>,
                                                         std::span<const double> xdot) {
  std::copy_n(xdot.begin() + static_cast<std::ptrdiff_t>(n_), u_.size(), u_.begin());
  return u_;
}

Evaluation SlidingOdeWorkspace::mixed_variables(const VariableMap& map, double t,
                                                std::span<const double> x, std::span<const double>,
                                                std::span<double> out) {
  if (const auto e = field_.evaluate(t, x.first(n_)); !e) return e;
  one_side_.assign(out.begin(), out.end());
  SideVisit visit(sides_, 0);
  for (std::uint32_t b = 0; b < sides_.n_vertices(); ++b) {
    visit.enter(b);
    if (const auto e = map.values(*raw_, t, field_.point(b), field_.motion(b), one_side_); !e) {
      return e;
    }
    for (std::uint32_t v = 0; v < out.size(); ++v) {
      if (!map.present(v)) continue;
      out[v] = (b == 0 ? 0.0 : out[v]) + field_.weights()[b] * one_side_[v];
    }
  }
  return Evaluation::ok();
}

Evaluation SlidingOdeWorkspace::multipliers_at(double t, std::span<const double> x,
                                               std::span<const double>, std::span<double> u) {
  if (const auto e = field_.evaluate(t, x.first(n_)); !e) return e;
  std::copy(field_.multipliers().begin(), field_.multipliers().end(), u.begin());
  return Evaluation::ok();
}

bool SlidingOdeWorkspace::known_multipliers(double t, std::span<const double> x,
                                            std::span<double> u) {
  const auto known = field_.multipliers_near(t, x.first(n_));
  if (known) std::copy(known->begin(), known->end(), u.begin());
  return known.has_value();
}

Evaluation SlidingOdeWorkspace::attraction(double t, std::span<const double> x,
                                           std::span<const double> xdot, std::span<double> matrix) {
  if (const auto e = field_.evaluate_vertices(t, x.first(n_)); !e) return e;
  const std::uint32_t z = sides_.n_surfaces();
  const auto u = multipliers(x, xdot);
  std::fill(matrix.begin(), matrix.end(), 0.0);
  for (std::uint32_t b = 0; b < sides_.n_vertices(); ++b) {
    for (std::uint32_t l = 0; l < z; ++l) {
      const double slope = weight_slope(u, b, l);
      for (std::uint32_t k = 0; k < z; ++k) matrix[k * z + l] -= slope * field_.velocities()(b, k);
    }
  }
  return Evaluation::ok();
}

Evaluation SlidingOdeWorkspace::multiplier_gradients(double t, std::span<const double> x,
                                                     std::span<const double>,
                                                     std::span<double> du_dx) {
  return differences(t, x, [&](std::size_t j, std::span<const double> column) {
    for (std::size_t k = 0; k < u_.size(); ++k) du_dx[k * n_ + j] = column[n_ + k];
  });
}

}  // namespace saltus::detail
