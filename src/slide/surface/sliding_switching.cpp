#include "slide/surface/sliding_switching.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <saltus/core/error.hpp>

namespace saltus::detail {

std::vector<SwitchInfo> sliding_switches(const SlidingSides& sides) {
  std::vector<SwitchInfo> infos;
  for (std::uint32_t i = 0; i < sides.functions().count(); ++i) {
    infos.push_back(sides.functions().info(i));
  }
  for (std::uint32_t k = 0; k < sides.n_surfaces(); ++k) {
    const std::string name = "sliding on " + infos[sides.first_switch(k)].name + ", towards ";
    for (const bool positive : {true, false}) {
      infos.push_back({.name = name + (sides.truth_at(k, 0, positive) ? "true" : "false"),
                       .kind = SwitchKind::exit,
                       .true_if_positive = true,
                       .true_at_zero = true});
    }
  }
  return infos;
}

SlidingFunctions::SlidingFunctions(const System& base, std::uint32_t n_all, SlidingSides& sides,
                                   std::span<const SwitchInfo> infos, MultiplierAccess& multipliers)
    : n_(base.size()),
      n_all_(n_all),
      n_functions_(sides.functions().count()),
      sides_(sides),
      infos_(infos),
      multipliers_(multipliers),
      base_g_(n_functions_),
      base_gdot_(n_functions_),
      u_(sides.n_surfaces()),
      udot_(sides.n_surfaces()),
      du_dx_(static_cast<std::size_t>(sides.n_surfaces()) * n_),
      moved_x_(n_all),
      h_(sides.n_surfaces(), 1.0),
      hdot_(sides.n_surfaces(), 0.0) {
  for (std::uint32_t k = 0; k < sides.n_surfaces(); ++k) {
    hold_.push_back(SwitchInfo::no_hold);
    for (const std::uint32_t w : sides.surface(k).switches) {
      if (hold_[k] == SwitchInfo::no_hold) hold_[k] = sides.functions().info(w).hold;
    }
  }
  for (std::uint32_t j = 0; j < n_; ++j) nominal_.push_back(base.nominal(j));
  lay_out_gradients();
}

void SlidingFunctions::lay_out_gradients() {
  const CscPattern& p = sides_.functions().gradient_pattern();
  entries_.resize(static_cast<std::size_t>(p.nnz()));
  std::vector<index_t> rows(p.row), columns;
  for (index_t j = 0; j < p.n_cols; ++j) {
    const auto c = static_cast<std::size_t>(j);
    columns.insert(columns.end(),
                   static_cast<std::size_t>(p.column_start[c + 1] - p.column_start[c]), j);
  }
  for (std::uint32_t which = n_functions_; which < count(); ++which) {
    const std::uint32_t own = multipliers_.unknown(surface_of(which));
    const bool follow = multipliers_.follow_states();
    for (std::uint32_t j = follow ? 0 : own; j < (follow ? n_ : own + 1); ++j) {
      rows.push_back(static_cast<index_t>(which));
      columns.push_back(static_cast<index_t>(j));
    }
  }
  CscAssembly all =
      assemble(static_cast<index_t>(count()), static_cast<index_t>(n_all_), rows, columns);
  const auto first_exit = static_cast<std::ptrdiff_t>(p.row.size());
  base_slot_.assign(all.slot.begin(), all.slot.begin() + first_exit);
  exit_slot_.assign(all.slot.begin() + first_exit, all.slot.end());
  pattern_ = std::move(all.pattern);
}

void SlidingFunctions::take_holds(std::span<const double> g, std::vector<double>& h,
                                  double of_others) const {
  for (std::size_t k = 0; k < hold_.size(); ++k)
    h[k] = hold_[k] == SwitchInfo::no_hold ? of_others : g[hold_[k]];
}

void SlidingFunctions::set_relations(std::span<const std::uint8_t> truth) {
  SALTUS_ASSERT(truth.size() == sides_.n_relations());
  for (std::uint32_t lock = 0; lock < truth.size(); ++lock) sides_.tell(lock, truth[lock] != 0);
}

bool SlidingFunctions::is_active(std::uint32_t which) const {
  if (is_exit(which)) return true;
  if (sides_.is_on_surface(which)) return false;
  std::uint32_t vertex = 0;
  return sides_.is_active_somewhere(which, vertex);
}

template <class Look>
Evaluation SlidingFunctions::for_hidden(Look&& look) {
  for (std::uint32_t i = 0; i < n_functions_; ++i) {
    if (sides_.is_on_surface(i) || sides_.functions().is_active(i)) continue;
    std::uint32_t vertex = 0;
    if (!sides_.is_active_somewhere(i, vertex)) continue;
    const SideVisit visit(sides_, vertex);
    if (const auto e = look(i); !e) return e;
  }
  return Evaluation::ok();
}

/// Of a point at which u_ is known.
Evaluation SlidingFunctions::find_multiplier_rates(double t, std::span<const double> x,
                                                   std::span<const double> xdot) {
  // Multipliers may be known to two thirds of the digits only.
  static const double relative = std::cbrt(std::numeric_limits<double>::epsilon());
  double step = relative;
  for (std::size_t i = 0; i < n_; ++i) {
    const double allowed = relative * std::max(std::abs(x[i]), nominal_[i]);
    if (std::abs(xdot[i]) * step > allowed) step = allowed / std::abs(xdot[i]);
  }
  step = std::max(step, 0x1p-48 * std::abs(t));
  Evaluation done = Evaluation::ok();
  for (const double side : {1.0, -1.0}) {
    const double moved = (t + side * step) - t;
    for (std::size_t i = 0; i < x.size(); ++i) moved_x_[i] = x[i] + moved * xdot[i];
    done = multipliers_.multipliers_at(t + moved, moved_x_, xdot, udot_);
    if (!done) continue;
    for (std::size_t k = 0; k < u_.size(); ++k) udot_[k] = (udot_[k] - u_[k]) / moved;
    break;
  }
  return done;
}

Evaluation SlidingFunctions::evaluate(double t, std::span<const double> x,
                                      std::span<const double> xdot, std::span<double> g) {
  const auto x_base = x.first(n_), xdot_base = xdot.first(n_);
  SwitchingFunctions& base = sides_.functions();
  if (const auto e = base.evaluate(t, x_base, xdot_base, g.first(n_functions_)); !e) return e;
  for (std::uint32_t i = 0; i < n_functions_; ++i) {
    if (sides_.is_on_surface(i)) g[i] = 0.0;
  }
  if (!multipliers_.multipliers_at(t, x, xdot, u_)) return Evaluation::out_of_domain(n_functions_);
  const Evaluation hidden =
      for_hidden([&](std::uint32_t i) { return base.evaluate_one(i, t, x_base, xdot_base, g[i]); });
  take_holds(g, h_, 1.0);
  for (std::uint32_t i = n_functions_; i < count(); ++i) g[i] = exit_value(i);
  return hidden;
}

Evaluation SlidingFunctions::evaluate_one(std::uint32_t which, double t, std::span<const double> x,
                                          std::span<const double> xdot, double& g) {
  if (is_exit(which)) {
    if (!multipliers_.multipliers_at(t, x, xdot, u_)) return Evaluation::out_of_domain(which);
    const std::uint32_t k = surface_of(which);
    if (hold_[k] != SwitchInfo::no_hold) {
      if (const auto e = evaluate_one(hold_[k], t, x, xdot, h_[k]); !e) return e;
    }
    g = exit_value(which);
    return Evaluation::ok();
  }
  if (is_timed(which)) return sides_.functions().evaluate_one(which, t, x, xdot, g);
  std::uint32_t vertex = SlidingSides::none;
  (void)sides_.is_active_somewhere(which, vertex);
  const SideVisit visit(sides_, vertex);
  return sides_.functions().evaluate_one(which, t, x.first(n_), xdot.first(n_), g);
}

Evaluation SlidingFunctions::rates(double t, std::span<const double> x,
                                   std::span<const double> xdot, std::span<double> g,
                                   std::span<double> gdot) {
  const auto x_base = x.first(n_), xdot_base = xdot.first(n_);
  SwitchingFunctions& base = sides_.functions();
  const auto base_g = g.first(n_functions_), base_gdot = gdot.first(n_functions_);
  if (const auto e = base.rates(t, x_base, xdot_base, base_g, base_gdot); !e) return e;
  const Evaluation hidden = for_hidden([&](std::uint32_t i) {
    const Evaluation done = base.rates(t, x_base, xdot_base, base_g_, base_gdot_);
    g[i] = base_g_[i];
    gdot[i] = base_gdot_[i];
    return done;
  });
  if (!hidden) return hidden;
  for (std::uint32_t i = 0; i < n_functions_; ++i) {
    if (sides_.is_on_surface(i)) g[i] = gdot[i] = 0.0;
  }
  if (!multipliers_.multipliers_at(t, x, xdot, u_)) return Evaluation::out_of_domain(n_functions_);
  if (!has_exit_slopes_) {
    std::fill(udot_.begin(), udot_.end(), 0.0);
  } else if (!find_multiplier_rates(t, x, xdot)) {
    return Evaluation::out_of_domain(n_functions_);
  }
  take_holds(base_g, h_, 1.0);
  take_holds(base_gdot, hdot_, 0.0);
  for (std::uint32_t i = n_functions_; i < count(); ++i) {
    const std::uint32_t k = surface_of(i);
    g[i] = exit_value(i);
    gdot[i] = -side_of(i) * (h_[k] * udot_[k] + hdot_[k] * u_[k]);
  }
  return Evaluation::ok();
}

Evaluation SlidingFunctions::gradients(double t, std::span<const double> x,
                                       std::span<const double> xdot, std::span<double> dg_dx) {
  const auto x_base = x.first(n_), xdot_base = xdot.first(n_);
  SwitchingFunctions& base = sides_.functions();
  const CscPattern& p = base.gradient_pattern();
  if (const auto e = base.gradients(t, x_base, xdot_base, entries_); !e) return e;
  for (std::size_t s = 0; s < entries_.size(); ++s) {
    const bool is_kept = sides_.is_on_surface(static_cast<std::uint32_t>(p.row[s]));
    dg_dx[base_slot_[s]] = is_kept ? 0.0 : entries_[s];
  }
  const Evaluation hidden = for_hidden([&](std::uint32_t i) {
    const Evaluation done = base.gradients(t, x_base, xdot_base, entries_);
    for (std::size_t s = 0; s < entries_.size(); ++s) {
      if (static_cast<std::uint32_t>(p.row[s]) == i) dg_dx[base_slot_[s]] = entries_[s];
    }
    return done;
  });
  if (!hidden) return hidden;
  for (std::uint32_t k = 0; k < hold_.size(); ++k) {
    if (hold_[k] == SwitchInfo::no_hold) continue;
    if (const auto e = evaluate_one(hold_[k], t, x, xdot, h_[k]); !e) return e;
  }
  if (!multipliers_.follow_states()) {
    for (std::uint32_t i = n_functions_; i < count(); ++i) {
      dg_dx[exit_slot_[i - n_functions_]] = -side_of(i) * h_[surface_of(i)];
    }
    return Evaluation::ok();
  }
  if (!has_exit_slopes_) {
    for (const std::size_t slot : exit_slot_) dg_dx[slot] = 0.0;
    return Evaluation::ok();
  }
  if (!multipliers_.multiplier_gradients(t, x, xdot, du_dx_)) {
    return Evaluation::out_of_domain(n_functions_);
  }
  for (std::uint32_t i = n_functions_; i < count(); ++i) {
    const std::size_t exit = i - n_functions_;
    for (std::size_t j = 0; j < n_; ++j) {
      const std::uint32_t k = surface_of(i);
      dg_dx[exit_slot_[std::size_t{exit} * n_ + j]] =
          -side_of(i) * h_[k] * du_dx_[std::size_t{k} * n_ + j];
    }
  }
  return add_hold_gradients(t, x, xdot, dg_dx);
}

/// What changes of h add to the gradients of exits.
Evaluation SlidingFunctions::add_hold_gradients(double t, std::span<const double> x,
                                                std::span<const double> xdot,
                                                std::span<double> dg_dx) {
  const auto has_hold = [&](std::uint32_t which) { return which != SwitchInfo::no_hold; };
  if (std::none_of(hold_.begin(), hold_.end(), has_hold)) return Evaluation::ok();
  if (!multipliers_.multipliers_at(t, x, xdot, u_)) return Evaluation::out_of_domain(n_functions_);
  const CscPattern& p = sides_.functions().gradient_pattern();
  for (std::uint32_t i = n_functions_; i < count(); ++i) {
    const std::uint32_t k = surface_of(i), exit = i - n_functions_;
    for (std::size_t j = 0; has_hold(hold_[k]) && j < n_; ++j) {
      const auto end = static_cast<std::size_t>(p.column_start[j + 1]);
      for (auto s = static_cast<std::size_t>(p.column_start[j]); s < end; ++s) {
        if (static_cast<std::uint32_t>(p.row[s]) == hold_[k])
          dg_dx[exit_slot_[std::size_t{exit} * n_ + j]] -=
              side_of(i) * u_[k] * dg_dx[base_slot_[s]];
      }
    }
  }
  return Evaluation::ok();
}

double SlidingFunctions::next_time(double t, double t_end) {
  double next = sides_.functions().next_time(t, t_end);
  // What matters on a side that was not told comes due all the same.
  SideVisit visit(sides_, 0);
  for (std::uint32_t b = 0; b < sides_.n_vertices(); ++b) {
    visit.enter(b);
    const double on_side = sides_.functions().next_time(t, t_end);
    if (std::abs(on_side - t) < std::abs(next - t)) next = on_side;
  }
  return next;
}

bool SlidingFunctions::is_due(std::uint32_t which, double t) {
  if (is_exit(which) || sides_.is_on_surface(which)) return false;
  std::uint32_t vertex = 0;
  if (!sides_.is_active_somewhere(which, vertex)) return false;
  const SideVisit visit(sides_, vertex);
  return sides_.functions().is_due(which, t);
}

// ---- locks ---------------------------------------------------------------------------------------------

Evaluation SlidingLocks::decide(double t, std::span<const double> x, std::span<const double> xdot) {
  if (sides_.locks() == nullptr) return Evaluation::ok();
  kept_.assign(sides_.told().begin(), sides_.told().end());
  const Evaluation done = sides_.locks()->decide(t, x.first(n_), xdot.first(n_));
  // A relation of a surface says nothing about its branch being taken.
  const bool is_trouble = !done && !sides_.is_on_surface(done.row());
  sides_.adopt();
  for (std::uint32_t lock = 0; lock < kept_.size(); ++lock) {
    if (sides_.is_on_surface(sides_.switch_of(lock))) sides_.tell(lock, kept_[lock] != 0);
  }
  const Evaluation hidden = decide_hidden(t, x.first(n_), xdot.first(n_));
  return is_trouble ? done : hidden;
}

/// Those that matter on a side other than the one the base was decided on.
Evaluation SlidingLocks::decide_hidden(double t, std::span<const double> x,
                                       std::span<const double> xdot) {
  SwitchingFunctions& functions = sides_.functions();
  constexpr int most_rounds = 4;
  for (int round = 0; round < most_rounds; ++round) {
    bool changed = false;
    for (std::uint32_t lock = 0; lock < kept_.size(); ++lock) {
      const std::uint32_t which = sides_.switch_of(lock);
      if (sides_.is_on_surface(which)) continue;
      std::uint32_t vertex = 0;
      bool truth = false;
      if (sides_.is_active_somewhere(which, vertex)) {
        const SideVisit visit(sides_, vertex);
        double g = 0.0;
        if (const auto e = functions.evaluate_one(which, t, x, xdot, g); !e) return e;
        truth = functions.info(which).truth(g);
      }
      changed = changed || (sides_.told()[lock] != 0) != truth;
      sides_.tell(lock, truth);
    }
    if (!changed) break;
  }
  return Evaluation::ok();
}

void SlidingLocks::branches(std::span<std::uint8_t> truth) const {
  if (sides_.locks() == nullptr) return;
  SALTUS_ASSERT(truth.size() == n_branches());
  const std::size_t n_equations = sides_.locks()->n_equation_branches();
  const std::size_t n_outputs = sides_.locks()->n_branches() - n_equations;
  of_side_.resize(n_equations + n_outputs);
  const auto middle = of_side_.begin() + static_cast<std::ptrdiff_t>(n_equations);
  SideVisit visit(sides_, 0);
  for (std::uint32_t v = 0; v < n_views(); ++v) {
    visit.enter(viewed_vertex(sides_.n_surfaces(), v));
    sides_.locks()->branches(of_side_);
    std::copy(of_side_.begin(), middle,
              truth.begin() + static_cast<std::ptrdiff_t>(v * n_equations));
    std::copy(middle, of_side_.end(),
              truth.begin() + static_cast<std::ptrdiff_t>(n_views() * n_equations + v * n_outputs));
  }
}

SlidingSwitching::SlidingSwitching(const System& system, std::uint32_t n_all, Workspace& base,
                                   SlidingSides& sides, std::span<const SwitchInfo> infos,
                                   MultiplierAccess& multipliers)
    : functions(system, n_all, sides, infos, multipliers),
      enclosure(system.size(), base.ability<StepEnclosure>(), functions) {
  if (sides.locks() != nullptr || sides.is_smooth_without_locks()) {
    locks.emplace(sides, system.size());
  }
  if (auto* events = base.ability<EventActions>()) actions.emplace(system.size(), *events);
}

}  // namespace saltus::detail
