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

#include "hybrid/switch/firing_actions.hpp"
#include "hybrid/switch/instant_result.hpp"
#include "hybrid/switch/switch_board.hpp"

namespace saltus::detail {

class EventIteration {
 public:
  using FindStart = std::function<Result<ConsistentStart>(double t, const StartValues& guess)>;
  EventIteration(SwitchBoard& board, const System& system, const EventOptions& options,
                 bool forward, FindStart find_start);

  /// A function within its margin that goes back within this time is back already.
  void set_at_once(double duration) { at_once_ = duration; }
  FiringActions& actions() { return actions_; }

  Result<InstantResult> run(const InstantEntry& entry);
  /// The truth of all relations at the start of a run or a mode, where no action is carried out.
  Result<InstantResult> begin(double t, const StartValues& guess,
                              const StartOfRelations& relations = {});

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
  void doubt_guards(const InstantEntry& entry, std::span<const double> uncertainty,
                    bool at_start_of_run);
  bool turn_what_is_left_behind(const InstantEntry& entry, const StartValues& now,
                                std::uint32_t micro_step, InstantResult& result,
                                Result<ConsistentStart>& found);
  Result<void> settle_truths(const InstantEntry& entry, const ConsistentStart& at,
                             bool actions_are_done, std::vector<std::uint8_t>& truth);
  bool stays(std::uint32_t which, const InstantEntry& entry, bool by_rates) const;
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

  SwitchBoard& board_;
  const System& system_;
  FiringActions actions_;
  int max_micro_steps_;
  bool uses_rates_;
  double direction_;
  FindStart find_start_;
  double at_once_ = 0.0;
  std::vector<std::uint8_t> is_crossed_;
  std::vector<double> g_, rate_;
};

}  // namespace saltus::detail
