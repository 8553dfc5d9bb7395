// The sides of surfaces: a base system told to be on one of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <saltus/slide/surface.hpp>
#include <saltus/system/abilities.hpp>
#include <saltus/system/switching.hpp>
#include <saltus/system/system.hpp>
#include <saltus/system/tangents.hpp>

namespace saltus::detail {

/// Sets relations of a base workspace to a vertex of its surfaces and back to what it was told.
class SlidingSides {
 public:
  static constexpr std::uint32_t none = 0xffffffffU;

  /// The base offers SwitchingFunctions; everything outlives this.
  SlidingSides(Workspace& base, std::span<const Surface> surfaces);

  std::uint32_t n_surfaces() const { return static_cast<std::uint32_t>(surfaces_.size()); }
  std::uint32_t n_vertices() const { return 1U << n_surfaces(); }
  const Surface& surface(std::uint32_t k) const { return surfaces_[k]; }
  /// The function that stands for a surface.
  std::uint32_t first_switch(std::uint32_t k) const { return surfaces_[k].switches.front(); }
  bool is_on_surface(std::uint32_t which) const { return on_surface_[which] != 0; }
  /// There is no other function.
  bool are_all_on_surfaces() const { return relations_.size() == on_surface_.size(); }

  SwitchingFunctions& functions() const { return functions_; }
  /// Null if the function of some surface has none.
  SwitchingTangents* tangents() const { return tangents_; }
  /// Null: the base decides by itself, and is on the side that its point is on.
  Locks* locks() const { return locks_; }
  /// All relations are on surfaces: nothing is left to be locked.
  bool is_smooth_without_locks() const { return n_others_ == 0; }
  std::uint32_t n_relations() const { return static_cast<std::uint32_t>(told_.size()); }
  /// The lock of a switch, none for what is no relation.
  std::uint32_t lock_of(std::uint32_t which) const { return lock_of_[which]; }
  std::uint32_t switch_of(std::uint32_t lock) const { return switch_of_[lock]; }

  /// Truth of the relations as they were told.
  std::span<const std::uint8_t> told() const { return told_; }
  void tell(std::uint32_t lock, bool truth);
  /// As they are in the base now.
  void adopt();

  /// Where it is now; `none` means as told.
  std::uint32_t entered() const { return entered_; }
  /// Returns where it was before.
  std::uint32_t enter(std::uint32_t vertex_or_none) {
    const std::uint32_t before = entered_;
    if (vertex_or_none != before) change_to(vertex_or_none);
    return before;
  }

  /// Whether a function matters on some side; `vertex` gets where it does, preferably where it is now.
  bool is_active_somewhere(std::uint32_t which, std::uint32_t& vertex);

  static double side(std::uint32_t vertex, std::uint32_t k) {
    return (vertex >> k & 1U) != 0 ? 1.0 : -1.0;
  }
  /// Changes whenever the base may have: what was found at a point before does not hold any more.
  std::uint64_t epoch() {
    if (!is_steady_) look_for_changes();
    return epoch_;
  }
  /// While one point is evaluated nobody else changes the base.
  class Steady {
   public:
    explicit Steady(SlidingSides& sides) : sides_(sides), before_(sides.is_steady_) {
      (void)sides.epoch();
      sides.is_steady_ = true;
    }
    ~Steady() { sides_.is_steady_ = before_; }
    Steady(const Steady&) = delete;
    Steady& operator=(const Steady&) = delete;

   private:
    SlidingSides& sides_;
    bool before_;
  };
  /// Something changed that cannot be seen from here.
  void note_change() { ++epoch_; }

  /// What a relation is on a side of its surface.
  bool truth_at(std::uint32_t k, std::size_t relation, bool positive) const;

 private:
  void change_to(std::uint32_t vertex_or_none);
  void look_for_changes();
  void set(std::uint32_t lock, bool truth);
  void publish();

  std::span<const Surface> surfaces_;
  SwitchingFunctions& functions_;
  SwitchingTangents* tangents_;
  Locks* locks_;
  std::vector<std::uint8_t> on_surface_;  // per switch
  std::vector<std::uint32_t> lock_of_, switch_of_;
  std::vector<std::uint8_t> told_, now_;
  struct OnSurface {
    std::uint32_t lock, surface;
    bool truth_if_positive;  // on the positive side of the surface
  };
  std::vector<OnSurface> relations_;
  std::uint32_t n_others_ = 0;
  std::uint32_t entered_ = none;
  HeldValues* held_;
  std::vector<double> held_seen_;
  std::vector<std::uint8_t> told_seen_;
  std::uint64_t epoch_ = 0;
  bool is_steady_ = false;
};

/// Puts a base back to where it was when the scope ends.
class SideVisit {
 public:
  SideVisit(SlidingSides& sides, std::uint32_t vertex_or_none)
      : sides_(sides), before_(sides.enter(vertex_or_none)) {}
  ~SideVisit() { sides_.enter(before_); }
  SideVisit(const SideVisit&) = delete;
  SideVisit& operator=(const SideVisit&) = delete;
  void enter(std::uint32_t vertex_or_none) { sides_.enter(vertex_or_none); }

 private:
  SlidingSides& sides_;
  std::uint32_t before_;
};

}  // namespace saltus::detail
