#include "slide/surface/sliding_sides.hpp"

#include <algorithm>

#include <saltus/core/error.hpp>

namespace saltus::detail {

namespace {

SwitchingFunctions& functions_of(Workspace& base) {
  auto* functions = base.ability<SwitchingFunctions>();
  SALTUS_ASSERT(functions != nullptr);
  return *functions;
}

}  // namespace

SlidingSides::SlidingSides(Workspace& base, std::span<const Surface> surfaces)
    : surfaces_(surfaces),
      functions_(functions_of(base)),
      tangents_(base.ability<SwitchingTangents>()),
      locks_(base.ability<Locks>()),
      on_surface_(functions_.count(), 0),
      lock_of_(functions_.count(), none),
      held_(base.ability<HeldValues>()) {
  for (std::uint32_t i = 0; i < functions_.count(); ++i) {
    if (functions_.info(i).kind != SwitchKind::relation) continue;
    lock_of_[i] = static_cast<std::uint32_t>(switch_of_.size());
    switch_of_.push_back(i);
  }
  n_others_ = static_cast<std::uint32_t>(switch_of_.size());
  for (const Surface& surface : surfaces_) {
    SALTUS_ASSERT(!surface.switches.empty() &&
                  surface.switches.size() == surface.orientation.size());
    for (const std::uint32_t which : surface.switches) {
      SALTUS_ASSERT(lock_of_[which] != none && on_surface_[which] == 0);
      on_surface_[which] = 1;
      --n_others_;
    }
    if (tangents_ != nullptr && !tangents_->has_tangent(surface.switches.front()))
      tangents_ = nullptr;
  }
  for (std::uint32_t k = 0; k < n_surfaces(); ++k)
    for (std::size_t r = 0; r < surfaces_[k].switches.size(); ++r)
      relations_.push_back({lock_of_[surfaces_[k].switches[r]], k, truth_at(k, r, true)});
  told_.assign(switch_of_.size(), 0);
  now_ = told_;
  adopt();
}

bool SlidingSides::truth_at(std::uint32_t k, std::size_t relation, bool positive) const {
  const bool g_is_positive = positive == (surfaces_[k].orientation[relation] > 0);
  return g_is_positive == functions_.info(surfaces_[k].switches[relation]).true_if_positive;
}

void SlidingSides::set(std::uint32_t lock, bool truth) {
  now_[lock] = truth ? 1 : 0;
  if (locks_ != nullptr && (locks_->locks()[lock] != 0) != truth) locks_->set_lock(lock, truth);
}

void SlidingSides::publish() {
  if (locks_ == nullptr) functions_.set_relations(now_);
}

void SlidingSides::tell(std::uint32_t lock, bool truth) {
  told_[lock] = truth ? 1 : 0;
  set(lock, truth);
  publish();
}

void SlidingSides::adopt() {
  if (locks_ == nullptr) return;
  told_.assign(locks_->locks().begin(), locks_->locks().end());
  now_ = told_;
}

void SlidingSides::look_for_changes() {
  bool same = told_seen_ == told_;
  const auto parameters = held_ != nullptr ? held_->parameters() : std::span<double>();
  const auto discrete = held_ != nullptr ? held_->discrete() : std::span<double>();
  const std::span<const double> seen = held_seen_;
  same = same && seen.size() == parameters.size() + discrete.size() &&
         std::equal(parameters.begin(), parameters.end(), seen.begin()) &&
         std::equal(discrete.begin(), discrete.end(), seen.end() - std::ssize(discrete));
  if (same) return;
  told_seen_ = told_;
  held_seen_.assign(parameters.begin(), parameters.end());
  held_seen_.insert(held_seen_.end(), discrete.begin(), discrete.end());
  ++epoch_;
}

void SlidingSides::change_to(std::uint32_t vertex) {
  entered_ = vertex;
  for (const OnSurface& r : relations_) {
    const bool is_positive = (vertex >> r.surface & 1U) != 0;
    set(r.lock, vertex == none ? told_[r.lock] != 0 : is_positive == r.truth_if_positive);
  }
  publish();
}

bool SlidingSides::is_active_somewhere(std::uint32_t which, std::uint32_t& vertex) {
  vertex = entered_;
  if (functions_.is_active(which)) return true;
  SideVisit visit(*this, 0);
  for (std::uint32_t b = 0; b < n_vertices(); ++b) {
    visit.enter(b);
    if (!functions_.is_active(which)) continue;
    vertex = b;
    return true;
  }
  return false;
}

}  // namespace saltus::detail
