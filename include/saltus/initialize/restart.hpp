// Consistent starts of systems of any index: at the begin of a run, and after a mode switch.
//
//   auto first = restart(mode, workspace, t, x_minus);
//   auto again = restart(mode, workspace, t2, x2_minus, {.known = &*first->analysis});
//
// A system of index 1 is started by (I.1) of consistent.hpp. Any other system is analysed
// (analyze_index) unless its analysis is passed, and its derivative array is solved
// (find_consistent_point).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <saltus/core/restart_policy.hpp>
#include <saltus/core/result.hpp>
#include <saltus/initialize/consistent.hpp>
#include <saltus/reduce/index_analysis.hpp>
#include <saltus/system/system.hpp>
#include <saltus/system/transition.hpp>

namespace saltus {

struct MappedValue {
  std::uint32_t unknown = 0;
  double value = 0.0;
};

struct RestartOptions {
  RestartPolicy policy = RestartPolicy::keep;
  /// For policy map.
  std::vector<MappedValue> mapped = {};
  /// One flag per unknown that must not move, or empty. For policies keep and map, in place of the
  /// differential content. Unknowns with a history may move by as much as `history` allows.
  std::vector<std::uint8_t> fixed = {};
  /// For a left limit in a mode that was left: how much each unknown may move before that counts as
  /// a jump of an unknown with a history. Infinite for unknowns without one (multipliers, free or
  /// new unknowns). Empty: the values are a user's guesses and jump without impulses.
  ///
  /// If the index is larger than 1 and an unknown with a derivative moves by more and is not
  /// mapped, unknowns without history and not stated (x_given) give way. If that is not enough, the
  /// impulse map decides. Policy check refuses it. Smaller movements leave no impulse. Under policy
  /// impulse all stated values have a history.
  std::vector<double> history = {};
  /// Treats every movement of an unknown with a history as a jump. For differences between starts,
  /// which must be found in the same way even if movements become small.
  bool every_jump = false;
  /// Equations between the left limit and the new values, for policies keep and map. Together with
  /// `fixed` they replace the differential content and must determine it. Undetermined unknowns and
  /// contradictory equations are failures that name them.
  LimitEquations* equations = nullptr;
  /// Treats fixed values that cannot hold as goals, with weight 1000 in a sum of squares.
  bool relax = false;
  /// Analysis of the same system at any of its points, which avoids a new one.
  const IndexAnalysis* known = nullptr;
  /// Policy check refuses a stated value x_i if the consistent one differs by more than
  /// check_tolerance (|x_i| + nominal_i).
  double check_tolerance = 1e-9;
  /// Length of the following run, with its sign; as in InitializeOptions.
  double time_scale = 1.0;
};

/// A part strength * delta^(order)(t) of an unknown at the instant. Order 0 is a Dirac impulse.
struct Impulse {
  std::uint32_t unknown = 0;
  std::string name;
  int order = 0;
  double strength = 0.0;
};

struct Restart {
  std::vector<double> x;
  std::vector<double> xdot;  // including those of unknowns without derivative
  /// All unknowns whose value differs from the left limit (after mapping), stated or not.
  std::vector<StartChange> changes;
  std::vector<Impulse> impulses;
  /// The policy that decided the values. keep becomes impulse if an unknown with a history jumps,
  /// and impulse becomes keep if none does.
  RestartPolicy used = RestartPolicy::keep;
  /// In words; for example that an impulse depends on the path through the instant.
  std::vector<std::string> warnings;
  /// The analysis found or passed, with `path` and x of this start. None for a system of index 1
  /// whose index did not have to be determined.
  std::optional<IndexAnalysis> analysis;
  /// Evaluations of the equations, of a derivative array, or of a Jacobian of either, at one point
  /// each, including those of a new analysis.
  std::uint64_t n_evaluations = 0;
};

/// Finds a consistent start at time t from the left limit, or from a user's guess (x_given marks
/// stated values). Failures name contradictory equations and values. Throws OptionError for options
/// that do not fit together.
Result<Restart> restart(const System& system, Workspace& workspace, double t,
                        const StartValues& left_limit, const RestartOptions& options = {});

}  // namespace saltus
