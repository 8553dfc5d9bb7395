// At an instant: from crossed relations to a configuration that stays.
//
// Time stands still (superdense time). In each micro-step relations take their new truth, actions whose
// triggers become true set variables, the state is made consistent, and the truth of all relations just
// after the instant is looked up. This goes on until nothing changes; a configuration that comes back is
// a cycle: refused by name, unless all relations that turn are on their surface. Then both sides lead to it,
// and whoever asked decides how to go on.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <saltus/core/result.hpp>
#include <saltus/initialize/consistent.hpp>
#include <saltus/trajectory/events.hpp>

#include <saltus/hybrid/follower.hpp>

#include "hybrid/switch_board.hpp"

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

class EventIteration {
 public:
  using FindStart = std::function<Result<ConsistentStart>(double t, const StartValues& guess)>;
  EventIteration(SwitchBoard& board, const System& system, const EventOptions& options,
                 bool forward, FindStart find_start);

  /// For what is said about it.
  void set_mode(std::string name) { mode_ = std::move(name); }
  /// A function within its margin that goes back within this time is back already.
  void set_at_once(double duration) { at_once_ = duration; }
  /// Is told of actions before they are carried out, and of what the equations make of them.
  void set_follower(RunFollower* follower, Workspace& workspace) {
    follower_ = follower;
    workspace_ = &workspace;
  }

  Result<InstantResult> run(const InstantEntry& entry);
  /// The truth of all relations at the start of a run or a mode, where no action is carried out.
  Result<InstantResult> begin(double t, const StartValues& guess,
                              const StartOfRelations& relations = {});
  /// What a mode requires and does not hold at a point.
  std::optional<Failure> failed_requirement(double t, std::span<const double> x);
  /// Triggers of actions of that kind that hold at a point.
  std::vector<FiredAction> holding(ActionKind kind, std::span<const double> x);

 private:
  /// What the next micro-step depends on: if it comes back, so does everything that followed.
  struct Snapshot {
    std::vector<std::uint8_t> truth;
    std::vector<double> discrete, x;
    std::vector<std::uint32_t> waiting;  // actions that come last
    /// Where actions were carried out: triggers that held, and the values that pre() means.
    std::vector<std::uint8_t> triggers = {};
    std::vector<double> discrete_before = {}, x_before = {};
  };
  /// All that changes from round to round.
  struct Rounds;
  enum class Round : std::uint8_t { one, last };  // one of several
  Rounds begin_rounds(const InstantEntry& entry);
  Result<void> take_truths(const InstantEntry& entry, Rounds& r);
  Result<void> fire(const InstantEntry& entry, Rounds& r);
  static void leave(const InstantEntry& entry, Rounds& r);
  Result<Round> make_consistent(const InstantEntry& entry, bool sets, Rounds& r);
  Result<Round> search(const InstantEntry& entry, Rounds& r);
  Result<Round> look_at_truths(const InstantEntry& entry, Rounds& r);
  Result<Round> look_for_cycle(const InstantEntry& entry, Rounds& r);
  Result<void> carry_out(const InstantEntry& entry, std::span<const std::uint32_t> due,
                         std::uint32_t micro_step, InstantResult& result, StartValues& now);
  std::vector<std::uint32_t> due_actions(std::span<const std::uint8_t> before,
                                         std::span<const std::uint8_t> after, InstantResult& result,
                                         std::uint32_t micro_step) const;
  std::vector<std::uint32_t> last_in_turn(std::span<const std::uint32_t> due,
                                          std::vector<std::uint32_t>& waiting) const;
  Result<std::vector<std::uint32_t>> follow_jumps(const InstantEntry& entry, const StartValues& now,
                                                  std::uint32_t micro_step, InstantResult& result);
  void doubt_guards(const InstantEntry& entry, std::span<const double> uncertainty,
                    bool at_start_of_run);
  std::optional<Failure> cannot_be_undone(double t, std::span<const std::uint8_t> before,
                                          std::span<const std::uint8_t> after) const;
  bool turn_what_is_left_behind(const InstantEntry& entry, const StartValues& now,
                                std::uint32_t micro_step, InstantResult& result,
                                Result<ConsistentStart>& found);
  Result<void> settle_truths(const InstantEntry& entry, const ConsistentStart& at,
                             bool actions_are_done, std::vector<std::uint8_t>& truth);
  bool stays(std::uint32_t which, const InstantEntry& entry, bool by_rates) const;
  std::vector<FiredAction> holding(ActionKind kind, std::span<const std::uint8_t> triggers,
                                   std::uint32_t micro_step) const;
  std::vector<std::uint32_t> turned_on_surface(const InstantEntry& entry,
                                               const InstantResult& result) const;
  bool stand_apart(const InstantEntry& entry, std::span<const std::uint8_t> truth_before,
                   const Failure& said, InstantResult& result);
  bool is_same(const Snapshot& earlier, const Snapshot& now) const;
  bool are_same(std::span<const double> one, std::span<const double> other) const;
  std::uint32_t most_micro_steps() const;
  /// Either all that differ are on their surface, which is told, or the failure.
  Result<std::vector<std::uint32_t>> cycle(const Snapshot& earlier, const InstantEntry& entry,
                                           const InstantResult& result) const;
  std::string name_of(ActionTarget target, std::uint32_t action) const;
  void tell_of_actions(const InstantEntry& entry, std::span<const std::uint32_t> due,
                       std::span<const std::vector<double>> values,
                       std::span<const SetValue> wanted, const StartValues& now);

  SwitchBoard& board_;
  const System& system_;
  std::string mode_;
  int max_micro_steps_;
  bool uses_rates_;
  double direction_;
  FindStart find_start_;
  double at_once_ = 0.0;
  RunFollower* follower_ = nullptr;
  Workspace* workspace_ = nullptr;  // for it
  std::vector<std::uint8_t> is_crossed_;
  std::vector<double> g_, rate_;
};

}  // namespace saltus::detail
