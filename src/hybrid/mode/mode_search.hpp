// From a mode that is left to the one that stays.
//
// Every candidate is entered tentatively from the same state before the event: where its unknowns would start
// (TransitionMap), a consistent start with the impulses it takes (restart), the truth of its relations there,
// an impulse outweighing every value. A candidate whose requirements do not hold is rejected; one whose own
// transitions hold at once lasts no time, and what follows it starts from the state before the event again,
// with values that transitions on the way have mapped, but nothing that was made consistent in between. Of
// the modes that stay the first one without impulses is taken, then the first one. Where candidates come in
// groups, those after a group with a mode that stays without impulses are not tried.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <saltus/trajectory/events.hpp>

#include "hybrid/mode/mode_run.hpp"

namespace saltus::detail {

inline constexpr double no_history = std::numeric_limits<double>::infinity();

/// The modes a run has met, in that order.
class ModeSet {
 public:
  ModeSet(ConfigurationSource& source, const RunOptions& options)
      : source_(source), options_(options) {}

  /// Made when first asked for.
  ModeRun& at(std::uint32_t mode);
  /// The motion on surfaces of a mode.
  ModeRun& on_surfaces(ModeRun& base, std::vector<Surface> surfaces, const SlidingOptions& how);
  std::span<const std::unique_ptr<ModeRun>> all() const { return modes_; }

 private:
  ConfigurationSource& source_;
  const RunOptions& options_;
  std::vector<std::unique_ptr<ModeRun>> modes_;
};

/// What a mode leaves behind, in unknowns of its original system.
struct LeftState {
  double t = 0.0;
  std::vector<double> x, xdot;
  /// How far each unknown may move before that counts as a jump, and whether it has a history: its derivative
  /// occurs in the mode.
  std::vector<double> movement;
  std::vector<std::uint8_t> has_history;
  HeldSnapshot held;
  double natural_step = 0.0;
  bool every_jump = false;  // counts, however small (RestartOptions)
};

/// A transition that was taken at the instant.
struct TakenTransition {
  std::uint32_t transition = 0;
  std::string cause;  // the guard
};

/// A trigger of an action (by number) or a range, and whether it holds: modes share their names.
struct NamedTruth {
  std::string name;
  std::uint32_t number = 0;
  bool is_range = false;
  bool holds = false;
  bool is_omitted = false;  // its action lacks something in this mode, and does not exist there
};

/// A transition whose equations between both limits had no effect, since the mode it leads into was left at once.
struct DroppedEquations {
  std::string transition, mode;
  std::vector<std::string> equations;
};

/// Where the search ends.
struct ModeChange {
  ModeRun* to = nullptr;
  std::vector<TakenTransition> path;
  std::vector<CandidateRecord> candidates;  // all that were tried
  std::vector<std::string> warnings;
  std::vector<DroppedEquations> dropped;  // of modes on the way, last one first

  ConsistentStart start;  // of what is integrated
  std::vector<std::uint8_t> truths;
  Restart restart;
  /// Per unknown of the new mode's original system: how it starts, and its value before the event.
  struct Unknown {
    UnknownStart start = UnknownStart::held;
    bool existed = false;
    double before = 0.0;
  };
  std::vector<Unknown> unknowns;
  bool by_equations = false;        // the transition has some between both limits
  std::size_t record = 0;           // its own among the candidates
  std::uint64_t n_evaluations = 0;  // of the equations, in all candidates
  std::uint64_t n_evaluations_analyse = 0;

  bool has_impulses() const { return !restart.impulses.empty(); }
};

/// Impulses as they are shown to a user.
std::vector<ImpulseRecord> impulse_records(const System& system, std::span<const Impulse> impulses);
/// What stands behind the strength of an impulse: " A s", " A s^2 (order 1)".
std::string impulse_unit(const ImpulseRecord& impulse);

class ModeSearch {
 public:
  ModeSearch(ModeSet& modes, ConfigurationSource& source, const RunOptions& options);

  /// The same mode again, where its own constraints have moved away from the state: what has a history jumps.
  Result<ModeChange> again(ModeRun& mode, const LeftState& left);
  /// `leaving` are triggers of `from` that hold.
  Result<ModeChange> run(ModeRun& from, const LeftState& left,
                         std::span<const FiredAction> leaving);

 private:
  struct Link {  // on the way from candidate to candidate
    ModeRun* mode;
    const LeftState* left;
    std::vector<ModeChange::Unknown> unknowns;  // of that mode
  };
  struct Beginning {  // of a candidate
    RestartOptions options;
    std::vector<ModeChange::Unknown> unknowns;
    std::vector<double> movement;  // as in LeftState
    std::vector<std::uint8_t> has_history;
  };
  Beginning beginning_of(const Link& link, const TransitionInfo& info, const ModeRun& mode,
                         TransitionMap& map, StartValues& wish);
  Result<ModeChange> pass_through(const Link& link, std::span<const FiredAction> leaving,
                                  std::size_t place);
  Result<ModeChange> follow(const Link& link, std::span<const FiredAction> leaving);
  void look_a_moment_later(const LeftState& left, std::vector<ModeChange>& possible);
  Result<const FiredAction*> choose(ModeRun& from, std::span<const FiredAction> leaving) const;
  Result<ModeChange> try_candidate(const Link& link, const TransitionInfo& info,
                                   std::uint32_t transition, std::uint32_t candidate);
  Result<Restart> enter(ModeRun& mode, const LeftState& left, const StartValues& wish,
                        RestartOptions& options);
  std::uint32_t unknown_of_first(const System& system, std::uint32_t unknown) const;
  std::optional<std::string> broken_map(const ModeRun& mode, const Beginning& begins,
                                        const StartValues& wish, const Restart& found) const;
  Result<TransitionMap*> map_of(std::uint32_t transition, std::uint32_t candidate);
  Failure nowhere(const ModeRun& from, const std::string& transition, double t,
                  std::size_t first_record) const;

  ModeSet& modes_;
  ConfigurationSource& source_;
  const RunOptions& options_;
  std::unique_ptr<LimitEquations> no_equations_;  // of transitions that have none
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::unique_ptr<TransitionMap>> maps_;
  const System* first_ = nullptr;  // the mode that is left, and what it leaves
  const LeftState* first_left_ = nullptr;
  std::vector<std::uint32_t> chain_;      // modes on the way
  std::vector<CandidateRecord> records_;  // of this instant
  std::vector<std::string> warnings_;
  bool went_round_ = false;  // some candidate led back to a mode of the chain
  std::uint64_t n_evaluations_ = 0, n_evaluations_analyse_ = 0;
};

}  // namespace saltus::detail
