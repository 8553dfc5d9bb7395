// Actions at an instant: which are due, what they set, and what is said of them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <saltus/hybrid/follower.hpp>

#include "hybrid/switch/instant_result.hpp"
#include "hybrid/switch/switch_board.hpp"

namespace saltus::detail {

class FiringActions {
 public:
  FiringActions(SwitchBoard& board, bool forward)
      : board_(board), direction_(forward ? 1.0 : -1.0) {}

  /// For what is said about it.
  void set_mode(std::string name) { mode_ = std::move(name); }
  /// Is told of actions before they are carried out, and of what the equations make of them.
  void set_follower(RunFollower* follower, Workspace& workspace) {
    follower_ = follower;
    workspace_ = &workspace;
  }

  // ---- due -----------------------------------------------------------------------------------------
  /// Those of triggers that have become true.
  std::vector<std::uint32_t> due(std::span<const std::uint8_t> before,
                                 std::span<const std::uint8_t> after, InstantResult& result,
                                 std::uint32_t micro_step) const;
  /// Those that come last wait until no other is due.
  std::vector<std::uint32_t> last_in_turn(std::span<const std::uint32_t> due,
                                          std::vector<std::uint32_t>& waiting) const;
  /// Everything has settled: actions that come last whose watched values have jumped meanwhile.
  Result<std::vector<std::uint32_t>> follow_jumps(const InstantEntry& entry, const StartValues& now,
                                                  std::uint32_t micro_step,
                                                  InstantResult& result) const;
  /// Why a run backward cannot pass what these triggers set off.
  std::optional<Failure> cannot_be_undone(double t, std::span<const std::uint8_t> before,
                                          std::span<const std::uint8_t> after) const;

  // ---- carried out ---------------------------------------------------------------------------------
  /// All right-hand sides are read before the first variable is written.
  Result<void> carry_out(const InstantEntry& entry, std::span<const std::uint32_t> due,
                         std::uint32_t micro_step, InstantResult& result, StartValues& now);
  /// What the equations made of it.
  void tell_of_state(const System& system, double t, const StartValues& now) const {
    if (follower_ != nullptr) follower_->settles({system, *workspace_, t, now.x, now.xdot});
  }

  // ---- conditions ----------------------------------------------------------------------------------
  /// Triggers of actions of that kind that hold.
  std::vector<FiredAction> holding(ActionKind kind, std::span<const std::uint8_t> triggers,
                                   std::uint32_t micro_step) const;
  std::vector<FiredAction> holding(ActionKind kind, std::span<const double> x) const;
  /// A mode that has become impossible, while nothing leads out of it.
  std::optional<Failure> failed_requirement(double t, std::span<const double> x) const;

 private:
  std::string name_of(ActionTarget target, std::uint32_t action) const;
  void tell_of_actions(const InstantEntry& entry, std::span<const std::uint32_t> due,
                       std::span<const std::vector<double>> values,
                       std::span<const SetValue> wanted, const StartValues& now) const;

  SwitchBoard& board_;
  double direction_;
  std::string mode_;
  RunFollower* follower_ = nullptr;
  Workspace* workspace_ = nullptr;  // for it
};

}  // namespace saltus::detail
