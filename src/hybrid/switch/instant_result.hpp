// What an instant is entered with, and what happened there.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <saltus/core/result.hpp>
#include <saltus/initialize/consistent.hpp>
#include <saltus/system/switching.hpp>
#include <saltus/trajectory/events.hpp>

namespace saltus::detail {

struct FiredAction {
  static constexpr std::uint32_t no_trigger = 0xffffffffU;
  std::uint32_t action = 0;
  std::uint32_t trigger = no_trigger;
  std::uint32_t micro_step = 0;
  std::string why = {};  // in words, if no trigger says it
};

/// A value that an action gave to an unknown or a discrete variable.
struct SetValue {
  ActionTarget target;
  double before = 0.0;
  double after = 0.0;
  std::uint32_t action = 0;
  std::uint32_t micro_step = 0;
};

struct LockFlip {
  std::uint32_t which = 0;
  std::uint32_t micro_step = 0;
};

/// What an instant is entered with.
struct InstantEntry {
  double t = 0.0;
  std::span<const double> x;
  std::span<const double> xdot;
  std::span<const std::uint32_t> crossed;
  /// Per switch: below this size g is on its surface.
  std::span<const double> margin;
  /// The equations change in any case (an input has jumped).
  bool inputs_change = false;
  /// To be carried out besides.
  std::optional<std::uint32_t> action;
  /// Per switch: the impulse of g at the instant, which outweighs its value. Empty: none.
  std::span<const double> impulse = {};
  /// What the triggers were before, if that was in another mode. Empty: what they are.
  std::span<const std::uint8_t> triggers_before = {};
  /// Per switch: the solution stays on its surface. Then nothing on a surface is judged by its rate, which the
  /// motion on the surface gives and no side. Empty: none.
  std::span<const std::uint8_t> kept = {};
  /// Constraints of both sides are blended: neither has a state of its own here, and none is looked for.
  bool is_blended = false;
  /// What actions watched just before (EventActions::compare_with), and by how much t may be off.
  std::span<const double> watched = {};
  double time_error = 0.0;

  bool is_kept(std::uint32_t which) const { return !kept.empty() && kept[which] != 0; }
  bool has_impulse(std::uint32_t which) const { return !impulse.empty() && impulse[which] != 0; }
};

/// What is known of relations at the start of a mode that is entered from another one. Empty at the start of
/// a run, where values are taken as they are.
struct StartOfRelations {
  std::vector<double> margin = {};
  std::vector<double> impulse = {};
  /// Within this a function is on its surface as far as anybody knows: it leads to nothing yet.
  std::vector<double> uncertainty = {};
};

struct InstantResult {
  ConsistentStart start;
  std::uint32_t n_micro_steps = 0;
  std::vector<FiredAction> fired;
  std::vector<SetValue> set;
  std::vector<std::string> remarks;       // of actions
  std::vector<LockFlip> flips;            // in order, the crossed ones first
  bool restart = false;                   // equations or values have changed
  std::optional<std::uint32_t> terminal;  // the action that ends the run
  /// Triggers of transitions that hold: the mode is left, and `start` is its left limit with what actions
  /// have set, not made consistent.
  std::vector<FiredAction> leaving;
  /// Then: truths of all triggers up to which actions have followed. What the last of them set may have changed some.
  std::vector<std::uint8_t> followed;
  /// Relations on their surface, both sides of which lead back to it: how the solution goes on is not settled.
  std::vector<std::uint32_t> undecided;
  /// The equations beyond the surface of those have no state that the solution could go on from: what was said.
  /// Relations are as they were before the instant.
  std::optional<Failure> apart;
  /// What has a history had to jump: conserved quantities decided how.
  bool by_impulse = false;
  std::vector<ImpulseRecord> impulses;
  /// Both limits in unknowns as they were written, where what is integrated is another system now.
  struct Written {
    std::vector<double> before, after;
  };
  std::optional<Written> written;
  std::uint64_t n_searches = 0;     // consistent states looked for
  std::uint64_t n_evaluations = 0;  // of the equations, for that
};

}  // namespace saltus::detail
