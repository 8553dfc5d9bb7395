#include "slide/dae/sliding_dae_workspace.hpp"

#include <algorithm>

namespace saltus::detail {

SlidingDaeWorkspace::SlidingDaeWorkspace(const SlidingDae& system)
    : system_(system),
      layout_(system.layout()),
      base_(system.base()),
      switching_(base_.system, layout_.size(), *base_.workspace, base_.sides, system.switches(),
                 *this),
      scheduled_(noticed_times(*base_.workspace, base_.sides)),
      point_(layout_, base_, system.first_pivots()),
      form_(vertex_form(layout_, base_, point_)),
      surface_rows_(layout_, base_, point_),
      exact_(system, *this, layout_, base_, point_),
      pivot_watch_(layout_, base_, *form_, point_, exact_),
      attraction_(layout_, base_, *form_, point_),
      regularity_(layout_.n, base_.workspace->ability<Regularity>(), attraction_,
                  system.surface_names()),
      base_refresh_(base_.workspace->ability<StepRefresh>()) {
  if (layout_.hidden) {
    stand_ins_.resize(layout_.size(), 0);
    std::fill_n(stand_ins_.begin() + layout_.p(0), layout_.z, std::uint8_t{1});
  }
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
  hand_on(*base_.workspace, SlidingDaeHanding::HandsOn{});
  if (layout_.hidden) offer<Regularity>(regularity_);
}

Evaluation SlidingDaeWorkspace::residual(double t, std::span<const double> x,
                                         std::span<const double> xdot, std::span<double> f) {
  point_.load(x, xdot);
  const Evaluation rows = form_->rows(t, x, xdot, f);
  return rows ? surface_rows_.rows(t, x, f) : rows;
}

Evaluation SlidingDaeWorkspace::jacobian(double t, std::span<const double> x,
                                         std::span<const double> xdot, std::span<double> df_dx,
                                         std::span<double> df_dxdot) {
  point_.load(x, xdot);
  std::fill(df_dx.begin(), df_dx.end(), 0.0);
  std::fill(df_dxdot.begin(), df_dxdot.end(), 0.0);
  const Evaluation rows = form_->jacobian(t, x, df_dx, df_dxdot);
  return rows ? surface_rows_.jacobian(t, x, df_dx, df_dxdot) : rows;
}

StepRefresh::Answer SlidingDaeWorkspace::step_accepted(double t, std::span<const double> x,
                                                       std::span<const double> xdot) {
  point_.load(x, xdot);
  const Answer of_base = base_refresh_ == nullptr
                             ? Answer::unchanged
                             : base_refresh_->step_accepted(t, x.first(layout_.n), point_.xdot());
  if (base_refresh_ != nullptr) base_.sides.note_change();
  if (of_base == Answer::stop) return of_base;
  const bool is_new = form_->change_meaning(x);
  const bool has_new_pivots = pivot_watch_.look(t, x, xdot);
  if (of_base != Answer::unchanged && !has_new_pivots) point_.follow_choice();
  if (is_new || of_base == Answer::restart) return Answer::restart;
  return has_new_pivots ? Answer::new_jacobian : of_base;
}

Failure SlidingDaeWorkspace::stop_reason() const {
  return base_refresh_ != nullptr ? base_refresh_->stop_reason() : StepRefresh::stop_reason();
}

Evaluation SlidingDaeWorkspace::mixed_variables(const VariableMap& map, double t,
                                                std::span<const double> x,
                                                std::span<const double> xdot,
                                                std::span<double> out) {
  // Between the ends of steps derivatives, and with them multipliers, are less accurate than states.
  if (layout_.hidden && exact_.find(t, x, xdot)) x = exact_.x(), xdot = exact_.xdot();
  point_.load(x, xdot);
  one_side_.assign(out.begin(), out.end());
  SideVisit visit(base_.sides, 0);
  for (std::uint32_t b = 0; b < base_.sides.n_vertices(); ++b) {
    visit.enter(b);
    const VertexForm::Seen seen = form_->at(b, x);
    if (const auto e = map.values(*base_.workspace, t, seen.x, seen.xdot, one_side_); !e) return e;
    for (std::uint32_t v = 0; v < out.size(); ++v) {
      if (map.present(v)) out[v] = (b == 0 ? 0.0 : out[v]) + point_.weights()[b] * one_side_[v];
    }
  }
  return Evaluation::ok();
}

}  // namespace saltus::detail
