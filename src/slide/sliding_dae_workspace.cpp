// Evaluation of the mixed form.
#include <algorithm>
#include <cmath>
#include <limits>

#include <saltus/slide/decide.hpp>

#include "slide/sliding_dae.hpp"

namespace saltus::detail {

namespace {

constexpr std::uint32_t no_surface = MixedLayout::none;

}  // namespace

SlidingDaeWorkspace::SlidingDaeWorkspace(const SlidingDae& system)
    : system_(system),
      layout_(system.layout()),
      raw_(system.base().workspace()),
      sides_(*raw_, system.base().surfaces),
      surfaces_(*system.base().system, sides_),
      equations_(*system.base().system, *raw_, sides_, surfaces_),
      switching_(*system.base().system, layout_.size(), *raw_, sides_, system.switches(), *this),
      scheduled_(noticed_times(*raw_, sides_)),
      regularity_(layout_.n, raw_->ability<Regularity>(), *this, system.surface_names()),
      base_solver_(system.base().system->pattern(), LinearSolverKind::automatic),
      states_kept_(system),
      state_gradients_(*system.base().system),
      base_refresh_(raw_->ability<StepRefresh>()),
      offset_(layout_.z, 0.0),
      rates_taken_(offset_),
      xhat_(layout_.n),
      velocity_(layout_.n),
      w_(sides_.n_vertices()),
      g_(layout_.z),
      gdot_(layout_.z),
      moved_x_(layout_.n),
      kept_(layout_.n, 1.0),
      gradients_now_(static_cast<std::size_t>(layout_.z) * layout_.n),
      rows_(gradients_now_.size()) {
  u_.resize(layout_.z);
  if (layout_.n_motions() > 0) {
    f_moved_.resize(layout_.n);
    const auto nnz = static_cast<std::size_t>(system.base().system->pattern().nnz());
    for (auto* entries : {&a_moved_, &unused_}) entries->resize(nnz);
  }
  if (layout_.has_copies) {
    copy_offset_.assign(static_cast<std::size_t>(layout_.n) * sides_.n_vertices(), 0.0);
    copy_x_.resize(layout_.n);
    copy_xdot_.resize(layout_.n);
  }
  if (layout_.hidden) {
    stand_ins_.resize(layout_.size(), 0);
    std::fill_n(stand_ins_.begin() + layout_.p(0), layout_.z, std::uint8_t{1});
  }
  adopt(system.first_pivots());
  known_.resize(n_known_);
  offer<StepRefresh>(*this);
  offer<ChosenStates>(*this);
  offer<OutputProjection>(*this);
  offer<Sliding>(*this);
  offer<MixtureOfSides>(*this);
  offer<SwitchingFunctions>(switching_.functions);
  offer<StepEnclosure>(switching_.enclosure);
  if (switching_.locks) offer<Locks>(*switching_.locks);
  if (switching_.actions) offer<EventActions>(*switching_.actions);
  if (scheduled_) offer<ScheduledTimes>(*scheduled_);
  hand_on(*raw_, SlidingDaeHanding::HandsOn{});
  if (layout_.hidden) offer<Regularity>(regularity_);
}

void SlidingDaeWorkspace::adopt(std::span<const std::uint32_t> pivots) {
  pivots_.assign(pivots.begin(), pivots.end());
  pivot_of_.assign(layout_.n, no_surface);
  for (std::uint32_t k = 0; k < pivots_.size(); ++k) pivot_of_[pivots_[k]] = k;
  follow_choice();
}

void SlidingDaeWorkspace::follow_choice() {
  const auto is_state = states_of(*system_.base().system, *raw_);
  is_state_.assign(is_state.begin(), is_state.end());
  chosen_ = is_state_;
  chosen_.resize(layout_.size(), 0);
  for (const std::uint32_t j : pivots_) chosen_[j] = 0;
  if (layout_.hidden) std::fill_n(chosen_.begin() + layout_.n, 2 * layout_.z, std::uint8_t{1});
}

void SlidingDaeWorkspace::load(std::span<const double> x, std::span<const double> xdot) {
  std::copy_n(xdot.begin(), layout_.n, xhat_.begin());
  for (std::uint32_t k = 0; k < pivots_.size(); ++k) {
    xhat_[pivots_[k]] = xdot[layout_.p(k)] + offset_[k];
  }
  for (std::uint32_t j = 0; j < layout_.n; ++j) {
    velocity_[j] = layout_.motion[j] != MixedLayout::none ? x[layout_.motion[j]] : xhat_[j];
  }
  const auto u = multipliers(x, xdot);
  std::copy(u.begin(), u.end(), u_.begin());
  vertex_weights(u_, w_);
}

double SlidingDaeWorkspace::small_time(double t, std::span<const double> x, double relative) const {
  double step = relative;
  for (std::size_t i = 0; i < layout_.n; ++i) {
    const double allowed = relative * std::max(std::abs(x[i]), surfaces_.nominal()[i]);
    if (std::abs(velocity_[i]) * step > allowed) step = allowed / std::abs(velocity_[i]);
  }
  return std::max(step, 0x1p-48 * std::abs(t));
}

/// dA/dt + dA/dx . x' of the equations of the closure, by a difference along the motion. One of second order would leave
/// 1e-10 of noise, on which the search for consistent values and the projection of outputs come to a stop.
Evaluation SlidingDaeWorkspace::motion_rows(double t, std::span<const double> x,
                                            std::span<double> f) {
  if (layout_.n_motions() == 0) return Evaluation::ok();
  static const double relative = std::pow(std::numeric_limits<double>::epsilon(), 0.25);
  constexpr std::pair<double, double> formula[] = {
      {1.0, 2.0 / 3}, {-1.0, -2.0 / 3}, {2.0, -1.0 / 12}, {-2.0, 1.0 / 12}};
  const double step = small_time(t, x, relative);
  for (std::uint32_t i = 0; i < layout_.n_motions(); ++i) f[layout_.q(i)] = 0.0;
  for (const auto& [steps, weight] : formula) {
    for (std::size_t i = 0; i < layout_.n; ++i) moved_x_[i] = x[i] + steps * step * velocity_[i];
    const Evaluation done = equations_.residual(0, t + steps * step, moved_x_, xhat_, f_moved_);
    if (!done) return done;
    for (std::uint32_t i = 0; i < layout_.n_motions(); ++i)
      f[layout_.q(i)] += weight / step * f_moved_[layout_.closure.equation[i]];
  }
  return Evaluation::ok();
}

Evaluation SlidingDaeWorkspace::mixed_rows(double t, std::span<const double> x,
                                           std::span<double> f) {
  if (const auto e = equations_.residuals(t, x, xhat_); !e) return e;
  for (std::size_t i = 0; i < layout_.n; ++i) {
    double sum = w_[0] * equations_.residual(0)[i];
    for (std::uint32_t b = 1; b < w_.size(); ++b) sum += w_[b] * equations_.residual(b)[i];
    f[i] = sum;
  }
  return Evaluation::ok();
}

Evaluation SlidingDaeWorkspace::residual(double t, std::span<const double> x,
                                         std::span<const double> xdot, std::span<double> f) {
  load(x, xdot);
  const auto at = x.first(layout_.n);
  const Evaluation rows = layout_.has_copies ? copied_rows(t, x, xdot, f) : mixed_rows(t, at, f);
  if (!rows) return rows;
  const Evaluation done = layout_.hidden ? surfaces_.rates(t, at, velocity_, g_, gdot_)
                                         : surfaces_.values(t, at, xhat_, g_);
  if (!done) return Evaluation::out_of_domain(layout_.n);
  for (std::uint32_t k = 0; k < layout_.z; ++k) {
    f[layout_.n + k] = g_[k];
    if (layout_.hidden) f[layout_.n + layout_.z + k] = gdot_[k];
  }
  return motion_rows(t, at, f);
}

void SlidingDaeWorkspace::add_motion_term(const MixedLayout::MotionRow& row,
                                          const MixedLayout::Term& term, double c, double change,
                                          std::span<double> df_dx, std::span<double> df_dxdot) {
  df_dx[term.at_unknown] += change;
  if (term.at_motion != MixedLayout::none) {
    df_dx[term.at_motion] += c;
  } else if (pivot_of_[term.unknown] != no_surface) {
    df_dxdot[row.at_p[pivot_of_[term.unknown]]] += c;
  } else {
    df_dxdot[term.at_unknown] += c;
  }
}

/// The derivative of dc/dt + dc/dx . x' by x_j is that of c_j along the motion: a difference of c_j.
Evaluation SlidingDaeWorkspace::motion_jacobian(double t, std::span<const double> x,
                                                std::span<double> df_dx,
                                                std::span<double> df_dxdot) {
  static const double relative = std::sqrt(std::numeric_limits<double>::epsilon());
  const double step = small_time(t, x, relative);
  for (std::size_t i = 0; i < layout_.n; ++i) moved_x_[i] = x[i] + step * velocity_[i];
  const std::size_t n = layout_.n;
  for (std::uint32_t k = 0; k < layout_.z; ++k) {
    std::copy(surfaces_.gradient(k).begin(), surfaces_.gradient(k).end(),
              gradients_now_.begin() + static_cast<std::ptrdiff_t>(k * n));
  }
  if (const auto e = surfaces_.gradients(t + step, moved_x_, velocity_); !e) return e;
  for (std::uint32_t k = 0; k < layout_.z; ++k) {
    for (const MixedLayout::Term& term : layout_.surfaces[k].terms) {
      const double c = gradients_now_[k * n + term.unknown];
      const double change = (surfaces_.gradient(k)[term.unknown] - c) / step;
      add_motion_term(layout_.surfaces[k], term, c, change, df_dx, df_dxdot);
    }
  }
  if (layout_.n_motions() == 0) return Evaluation::ok();
  const Evaluation done = equations_.jacobian(0, t + step, moved_x_, xhat_, a_moved_, unused_);
  if (!done) return done;
  for (const MixedLayout::MotionRow& row : layout_.equations) {
    for (const MixedLayout::Term& term : row.terms) {
      const double c = equations_.df_dx(0)[term.source];
      add_motion_term(row, term, c, (a_moved_[term.source] - c) / step, df_dx, df_dxdot);
    }
  }
  return Evaluation::ok();
}

Evaluation SlidingDaeWorkspace::mixed_jacobian(double t, std::span<const double> x,
                                               std::span<double> df_dx,
                                               std::span<double> df_dxdot) {
  const CscPattern& p = system_.base().system->pattern();
  if (const auto e = equations_.residuals(t, x, xhat_); !e) return e;
  if (const auto e = equations_.jacobians(t, x, xhat_); !e) return e;
  for (std::size_t j = 0; j < layout_.n; ++j) {
    const std::uint32_t pivot = pivot_of_[j];
    const auto end = static_cast<std::size_t>(p.column_start[j + 1]);
    for (auto s = static_cast<std::size_t>(p.column_start[j]); s < end; ++s) {
      double by_x = w_[0] * equations_.df_dx(0)[s], by_xdot = w_[0] * equations_.df_dxdot(0)[s];
      for (std::uint32_t b = 1; b < w_.size(); ++b) {
        by_x += w_[b] * equations_.df_dx(b)[s];
        by_xdot += w_[b] * equations_.df_dxdot(b)[s];
      }
      df_dx[layout_.mixed[s]] += by_x;
      if (pivot == no_surface) {
        df_dxdot[layout_.mixed[s]] += by_xdot;
      } else {
        const auto row = static_cast<std::size_t>(p.row[s]);
        df_dxdot[layout_.by_p[std::size_t{pivot} * layout_.n + row]] += by_xdot;
      }
    }
  }
  const std::span<double> df_du = layout_.hidden ? df_dxdot : df_dx;
  for (std::uint32_t k = 0; k < layout_.z; ++k) {
    for (std::uint32_t b = 0; b < w_.size(); ++b) {
      const double slope = weight_slope(u_, b, k);
      for (std::size_t i = 0; i < layout_.n; ++i) {
        df_du[layout_.by_u[std::size_t{k} * layout_.n + i]] += slope * equations_.residual(b)[i];
      }
    }
  }
  return Evaluation::ok();
}

Evaluation SlidingDaeWorkspace::jacobian(double t, std::span<const double> x,
                                         std::span<const double> xdot, std::span<double> df_dx,
                                         std::span<double> df_dxdot) {
  load(x, xdot);
  const auto at = x.first(layout_.n);
  std::fill(df_dx.begin(), df_dx.end(), 0.0);
  std::fill(df_dxdot.begin(), df_dxdot.end(), 0.0);
  const Evaluation rows = layout_.has_copies ? copied_jacobian(t, x, df_dx, df_dxdot)
                                             : mixed_jacobian(t, at, df_dx, df_dxdot);
  if (!rows) return rows;
  if (!surfaces_.gradients(t, at, velocity_)) return Evaluation::out_of_domain(layout_.n);
  for (std::uint32_t k = 0; k < layout_.z; ++k) {
    for (const MixedLayout::Term& term : layout_.surfaces[k].terms) {
      df_dx[term.of_g] += surfaces_.gradient(k)[term.unknown];
    }
  }
  if (!layout_.hidden) return Evaluation::ok();
  const Evaluation done = motion_jacobian(t, at, df_dx, df_dxdot);
  return done ? done : Evaluation::out_of_domain(layout_.n + layout_.z);
}

Evaluation SlidingDaeWorkspace::project(double t, std::span<double> x, std::span<double> xdot,
                                        double& moved) {
  return states_kept_.solve(*this, chosen_, t, x, xdot, moved);
}

/// exact_x_, exact_xdot_: the point that the states determine.
Evaluation SlidingDaeWorkspace::find_exact_point(double t, std::span<const double> x,
                                                 std::span<const double> xdot,
                                                 StatesKept::Accuracy accuracy) {
  exact_x_.assign(x.begin(), x.end());
  exact_xdot_.assign(xdot.begin(), xdot.end());
  double moved = 0.0;
  return states_kept_.solve(*this, chosen_, t, exact_x_, exact_xdot_, moved, accuracy);
}

// ---- along the solution --------------------------------------------------------------------------------

/// Whether another state would be much better, or one is no state any more; rows_ then holds the
/// gradients by states.
bool SlidingDaeWorkspace::pivots_have_aged(double t, std::span<const double> x,
                                           std::span<const double> xdot) {
  constexpr int steps_between_looks = 10;
  constexpr double worst_quality = 0.3;
  const System& base = *system_.base().system;
  const auto is_state = states_of(base, *raw_);
  bool must_look = is_curved_ || ++steps_since_look_ >= steps_between_looks;
  for (const std::uint32_t j : pivots_) must_look = must_look || is_state[j] == 0;
  if (!must_look || pivots_.empty()) return false;
  steps_since_look_ = 0;
  const auto at = x.first(layout_.n);
  load(x, xdot);
  if (!surfaces_.steadiness(t, at, velocity_, kept_)) return false;
  is_curved_ = std::any_of(kept_.begin(), kept_.end(), [](double k) { return k < 1.0; });
  bool reads_others = false;
  for (std::uint32_t k = 0; k < layout_.z; ++k) {
    for (std::size_t j = 0; j < layout_.n; ++j) {
      const double c = surfaces_.gradient(k)[j];
      rows_[std::size_t{k} * layout_.n + j] = c;
      reads_others = reads_others || (c != 0.0 && is_state[j] == 0);
    }
  }
  if (reads_others) {
    if (layout_.has_copies) load_copy(0, x);
    const std::span<const double> x_now =
        layout_.has_copies ? std::span<const double>(copy_x_) : at;
    const auto& xdot_now = layout_.has_copies ? copy_xdot_ : xhat_;
    if (!equations_.jacobian(0, t, x_now, xdot_now, equations_.df_dx(0), equations_.df_dxdot(0))) {
      return false;
    }
    state_gradients_.set_jacobian(equations_.df_dx(0), equations_.df_dxdot(0));
  }
  for (std::uint32_t k = 0; k < layout_.z; ++k) {
    const auto row = std::span(rows_).subspan(std::size_t{k} * layout_.n, layout_.n);
    if (!state_gradients_.reduce(is_state, row)) return false;
    for (std::size_t j = 0; j < layout_.n; ++j) row[j] *= kept_[j];
  }
  gradients_now_ = rows_;
  return pivot_quality(gradients_now_, pivots_) < worst_quality;
}

/// P' stays what it is, so that the point remains one of the solution: it stands for a derivative up to a
/// number. That derivative has to be the one the equations give; an engine's x' is less accurate, and what P'
/// would have to jump by is an error that no step makes smaller.
bool SlidingDaeWorkspace::take_pivots(std::span<const std::uint32_t> better, double t,
                                      std::span<const double> x, std::span<const double> xdot) {
  bool is_known = true;
  for (const std::uint32_t j : better) {
    is_known = is_known && layout_.motion[j] != MixedLayout::none;
  }
  if (!is_known && !find_exact_point(t, x, xdot)) return false;
  for (std::uint32_t k = 0; k < better.size(); ++k) {
    const std::uint32_t j = better[k], motion = layout_.motion[j];
    const double rate = motion != MixedLayout::none ? x[motion]
                        : pivot_of_[j] != no_surface
                            ? xdot[layout_.p(pivot_of_[j])] + offset_[pivot_of_[j]]
                            : exact_xdot_[j];
    rates_taken_[k] = rate - xdot[layout_.p(k)];
  }
  offset_ = rates_taken_;
  adopt(better);
  return true;
}

StepRefresh::Answer SlidingDaeWorkspace::step_accepted(double t, std::span<const double> x,
                                                       std::span<const double> xdot) {
  load(x, xdot);
  const Answer of_base = base_refresh_ == nullptr
                             ? Answer::unchanged
                             : base_refresh_->step_accepted(t, x.first(layout_.n), xhat_);
  if (base_refresh_ != nullptr) sides_.note_change();
  if (of_base == Answer::stop) return of_base;
  const bool is_new = copies_change_meaning(x);
  bool has_new_pivots = false;
  if (pivots_have_aged(t, x, xdot)) {
    const std::vector<std::uint32_t> better = choose_pivots(rows_, layout_.z);
    has_new_pivots = better.size() == pivots_.size() && take_pivots(better, t, x, xdot);
  }
  if (of_base != Answer::unchanged && !has_new_pivots) follow_choice();
  if (is_new || of_base == Answer::restart) return Answer::restart;
  return has_new_pivots ? Answer::new_jacobian : of_base;
}

Evaluation SlidingDaeWorkspace::multipliers_at(double t, std::span<const double> x,
                                               std::span<const double> xdot, std::span<double> u) {
  // Without (S.3) states need not determine them.
  if (!layout_.hidden) {
    std::copy_n(x.begin() + layout_.n, u.size(), u.begin());
    return Evaluation::ok();
  }
  const std::uint64_t epoch = sides_.epoch();
  for (const KnownMultipliers& known : known_) {
    if (known.epoch != epoch || known.t != t) continue;
    if (!std::equal(x.begin(), x.end(), known.x.begin())) continue;
    if (!std::equal(xdot.begin(), xdot.end(), known.xdot.begin())) continue;
    std::copy(known.u.begin(), known.u.end(), u.begin());
    return Evaluation::ok();
  }
  const Evaluation done = find_exact_point(t, x, xdot, StatesKept::Accuracy::of_multipliers);
  if (!done) return done;
  std::copy_n(exact_xdot_.begin() + layout_.n, u.size(), u.begin());
  KnownMultipliers& known = known_[next_known_];
  next_known_ = (next_known_ + 1) % n_known_;
  known.t = t;
  known.x.assign(x.begin(), x.end());
  known.xdot.assign(xdot.begin(), xdot.end());
  known.u.assign(u.begin(), u.end());
  known.epoch = epoch;
  return done;
}

Evaluation SlidingDaeWorkspace::multiplier_gradients(double t, std::span<const double> x,
                                                     std::span<const double> xdot,
                                                     std::span<double> du_dx) {
  const Evaluation done = find_exact_point(t, x, xdot, StatesKept::Accuracy::of_multipliers);
  if (!done) return done;
  std::fill(du_dx.begin(), du_dx.end(), 0.0);
  by_state_.resize(layout_.size());
  if (!states_kept_.begin_slopes(*this, chosen_, t, exact_x_, exact_xdot_)) {
    return Evaluation::out_of_domain(0);
  }
  for (std::uint32_t j = 0; j < layout_.n; ++j) {
    if (chosen_[j] == 0) continue;
    states_kept_.slope(j, by_state_);
    for (std::uint32_t k = 0; k < layout_.z; ++k) {
      du_dx[static_cast<std::size_t>(k) * layout_.n + j] = by_state_[layout_.u(k)];
    }
  }
  return Evaluation::ok();
}

Failure SlidingDaeWorkspace::stop_reason() const {
  return base_refresh_ != nullptr ? base_refresh_->stop_reason() : StepRefresh::stop_reason();
}

Evaluation SlidingDaeWorkspace::mixed_variables(const VariableMap& map, double t,
                                                std::span<const double> x,
                                                std::span<const double> xdot,
                                                std::span<double> out) {
  // Between the ends of steps derivatives, and with them multipliers, are less accurate than states.
  if (layout_.hidden && find_exact_point(t, x, xdot)) x = exact_x_, xdot = exact_xdot_;
  load(x, xdot);
  one_side_.assign(out.begin(), out.end());
  SideVisit visit(sides_, 0);
  for (std::uint32_t b = 0; b < sides_.n_vertices(); ++b) {
    visit.enter(b);
    if (layout_.has_copies) load_copy(b, x);
    const std::span<const double> at =
        layout_.has_copies ? std::span<const double>(copy_x_) : x.first(layout_.n);
    const auto& motion = layout_.has_copies ? copy_xdot_ : xhat_;
    if (const auto e = map.values(*raw_, t, at, motion, one_side_); !e) return e;
    for (std::uint32_t v = 0; v < out.size(); ++v) {
      if (map.present(v)) out[v] = (b == 0 ? 0.0 : out[v]) + w_[b] * one_side_[v];
    }
  }
  return Evaluation::ok();
}

}  // namespace saltus::detail
