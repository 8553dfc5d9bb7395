// The switches of a running configuration: which side each is locked on, and what hangs on it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <saltus/core/result.hpp>
#include <saltus/events/departure.hpp>
#include <saltus/hybrid/event_options.hpp>
#include <saltus/system/abilities.hpp>
#include <saltus/system/switching.hpp>
#include <saltus/system/system.hpp>

namespace saltus {
class Sliding;
}

namespace saltus::detail {

/// What other truth values of some relations would change.
enum class Consequence : std::uint8_t {
  none,       // not even an output
  outputs,    // expressions that are shown, nothing that is integrated
  equations,  // a branch of an equation, or an action
};

class SwitchBoard {
  friend class KeptTruths;

 public:
  /// For a workspace that offers SwitchingFunctions; it outlives the board. `forward`: the run goes
  /// forward in time. Refuses (OptionError) names that no relation has, unless there are other modes that
  /// may have them.
  SwitchBoard(Workspace& workspace, const EventOptions& options, bool forward,
              bool only_mode = true);

  std::uint32_t count() const { return functions_.count(); }
  SwitchingFunctions& functions() const { return functions_; }
  StepEnclosure* enclosure() const { return enclosure_; }
  EventActions* actions() const { return actions_; }
  /// Null if the configuration does not move on surfaces.
  Sliding* sliding() const { return sliding_; }
  const SwitchInfo& info(std::uint32_t which) const { return functions_.info(which); }
  /// The equations have signs of their own and must not be evaluated beyond a surface.
  bool is_one_sided() const { return locks_ == nullptr; }

  bool truth(std::uint32_t which) const { return truth_[which] != 0; }
  std::span<const std::uint8_t> truths() const { return truth_; }
  void set_truth(std::uint32_t which, bool truth);
  void set_truths(std::span<const std::uint8_t> truths);
  /// +1 or -1: the sign g has while its relation keeps its truth.
  int side(std::uint32_t which) const {
    return truth(which) == info(which).true_if_positive ? 1 : -1;
  }
  /// How far beyond zero g has to be before its relation switches.
  double slack(std::uint32_t which) const { return slack_[which]; }

  /// The same, with what a function is excused from.
  double search_slack(std::uint32_t which) const { return search_slack_[which]; }

  /// All relations as they are at a point; on the surface, as true_at_zero says.
  Evaluation decide(double t, std::span<const double> x, std::span<const double> xdot);

  /// Active functions that are to be searched for along a step that begins at t.
  WatchList watch(double t);
  /// The error of each function that the tolerances allow.
  void set_uncertainty(std::span<const double> g) { uncertainty_.assign(g.begin(), g.end()); }
  void set_uncertainty(std::uint32_t which, double g) { uncertainty_[which] = g; }
  /// For this step, a function may be on the wrong side by its uncertainty.
  void pardon(std::uint32_t which, double error);
  void forget_excursions();
  /// For functions that switched at t.
  void note_switched(std::uint32_t which, double t);
  /// Whether a function is in its dwell time.
  bool is_silent(std::uint32_t which, double t) const {
    return forward_ ? t < silent_until_[which] : t > silent_until_[which];
  }
  /// Where its last dwell time ends; infinitely long ago if it had none.
  double silent_until(std::uint32_t which) const { return silent_until_[which]; }
  double dwell(std::uint32_t which) const { return dwell_[which]; }
  /// The first end of a dwell time after t, or t_end.
  double next_dwell_end(double t, double t_end) const;

  /// A function that rests on its surface, or switched just before it, is not taken to depart before it
  /// is `distance` on the wrong side: rounding is no crossing. That ends where it is `until` on the right side,
  /// by default the same distance.
  void excuse(std::uint32_t which, double distance, double until = 0.0);
  /// The same of a function that leaves its surface along a tangent: until it is that far away, steps are known to begin
  /// near it.
  void excuse_what_leaves(std::uint32_t which, double distance);
  void forget_what_leaves() { leaves_.clear(); }

  /// A relation on its surface and at rest at the start, whose truth just after was found by following the motion.
  void settle_by_motion(std::uint32_t which, bool truth);
  std::span<const std::uint32_t> settled_by_motion() const { return settled_; }
  bool is_settled_by_motion(std::uint32_t which) const;
  void forget_settled() { settled_.clear(); }
  /// After a step: whoever is away from its surface by that much is watched as usual again.
  void end_excuses(double t, std::span<const double> x, std::span<const double> xdot);

  /// What the flip of all of these at a point would change. Nothing is changed.
  Consequence consequence(std::span<const std::uint32_t> flips, double t, std::span<const double> x,
                          std::span<const double> xdot);
  /// Whether the flip of one would choose other branches of equations.
  bool chooses_equations(std::uint32_t which, double t, std::span<const double> x,
                         std::span<const double> xdot);
  /// Whether a trigger would become true (backward in time: cease to be) with it.
  bool sets_off_actions(std::span<const std::uint32_t> flips, double t, std::span<const double> x,
                        std::span<const double> xdot);
  /// Those whose triggers would become true with it, in order: clauses and transitions of the model's own, not what is
  /// left to laws of contact.
  std::vector<std::uint32_t> actions_set_off(std::span<const std::uint32_t> flips, double t,
                                             std::span<const double> x,
                                             std::span<const double> xdot);
  /// Takes note of which relations matter.
  void note_active();
  /// One whose truth is known although it does not matter under the present locks.
  void note_known(std::uint32_t which) { was_active_[which] = 1; }
  /// One whose truth is that of another point.
  void note_unknown(std::uint32_t which) { was_active_[which] = 0; }
  /// A relation that has come to matter since then (it stands in a branch that was not taken) gets the
  /// truth that it has at the point: what it was when it last mattered means nothing.
  void decide_new(double t, std::span<const double> x, std::span<const double> xdot);
  /// Truth of conditions that choose branches of equations, under the present locks.
  std::span<const std::uint8_t> equation_branches();
  /// Truth of all triggers under the present locks; pre() means the values given.
  std::span<const std::uint8_t> triggers(std::span<const double> before_x,
                                         std::span<const double> before_discrete);
  std::span<double> discrete() const;

  /// All that functions depend on beside their point.
  struct Circumstances {
    std::vector<std::uint8_t> truths, locks;
    std::vector<double> parameters, discrete;
  };
  /// Whether they are as they were when this was asked last, with the same `seen`.
  bool are_unchanged(Circumstances& seen) const;

 private:
  std::vector<double> by_name(const char* field, const std::vector<Named<double>>& values,
                              bool only_mode) const;
  void renew_search_slack(std::uint32_t which);
  void look_across(std::span<const std::uint32_t> flips, double t, std::span<const double> x,
                   std::span<const double> xdot);
  void tell_relations();

  SwitchingFunctions& functions_;
  Locks* locks_;
  StepEnclosure* enclosure_;
  EventActions* actions_;
  Sliding* sliding_;
  HeldValues* held_;
  bool forward_;
  bool watches_ranges_;
  std::vector<std::uint8_t> truth_, relations_;
  std::vector<double> slack_, dwell_, silent_until_;
  std::vector<double> uncertainty_;
  std::vector<double> search_slack_;  // with excuses, and what a step was pardoned
  struct Excuse {
    std::uint32_t which;
    double distance;
    double until = 0.0;
  };
  std::vector<std::uint8_t> leaves_;    // per function
  std::vector<std::uint32_t> settled_;  // by motion, at the start
  std::vector<Excuse> excused_, pardoned_;
  std::vector<std::int8_t> sides_;
  std::vector<std::uint8_t> was_active_;
  struct Before {
    std::vector<std::uint8_t> truth, was_active;
  };
  Before before_;  // a look across
  std::vector<double> values_;
  std::vector<std::uint8_t> branches_, other_branches_, triggers_, other_triggers_;
};

/// Puts back the truths that it found, and which relations were known to matter.
class KeptTruths {
 public:
  explicit KeptTruths(SwitchBoard& board)
      : board_(board),
        truths_(board.truths().begin(), board.truths().end()),
        was_active_(board.was_active_) {}
  ~KeptTruths() {
    board_.set_truths(truths_);
    board_.was_active_ = was_active_;
  }
  KeptTruths(const KeptTruths&) = delete;
  KeptTruths& operator=(const KeptTruths&) = delete;

 private:
  SwitchBoard& board_;
  std::vector<std::uint8_t> truths_, was_active_;
};

}  // namespace saltus::detail
