// Consistent starts of systems of any index: at the begin of a run, and after a mode switch.
//
//   auto first = restart(mode, workspace, t, x_minus);
//   auto again = restart(mode, workspace, t2, x2_minus, {.known = &*first->analysis});
//
// A system of index 1 is started by (I.1) of consistent.hpp. Any other is analysed (analyze_index) unless
// its analysis is handed in, and its derivative array is solved (find_consistent_point).
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
  /// Unknowns that must not move, one flag each, or empty; for policies keep and map, in place of the
  /// differential content. Those with a history may move by what that allows.
  std::vector<std::uint8_t> fixed = {};
  /// The left limit is one of a mode that has been left: how much each unknown may move before that counts
  /// as a jump of something with a history; infinite for unknowns without one (multipliers, those that are
  /// free or did not exist). Empty: values are a user's guesses, and jump without impulses.
  /// If one with a derivative moves by more, is not mapped, and the index is larger than 1, unknowns without
  /// history that nobody stated (x_given) give way; if that is not enough, the impulse map decides. Check
  /// refuses it. What moves by less leaves no impulse. Under policy impulse all that is stated has a history.
  std::vector<double> history = {};
  /// What has a history jumps however little it moves: for differences between starts, which must not change from one way
  /// of finding them to another where movements become small.
  bool every_jump = false;
  /// Equations between the left limit and the new values, for policies keep and map: together with `fixed`
  /// they take the place of the differential content, and must determine it: unknowns that are left
  /// undetermined and equations that contradict each other are failures that name them.
  LimitEquations* equations = nullptr;
  /// Fixed values that cannot hold become wishes of weight 1000 in a sum of squares.
  bool relax = false;
  /// Of the same system, at any of its points: nothing is analysed again.
  const IndexAnalysis* known = nullptr;
  /// Policy check refuses a stated value x_i if the consistent one differs by more than
  /// check_tolerance (|x_i| + nominal_i).
  double check_tolerance = 1e-9;
  /// Length of what follows, with its sign; as in InitializeOptions.
  double time_scale = 1.0;
};

/// A part strength * delta^(order)(t) of an unknown at the instant: order 0 is a Dirac impulse.
struct Impulse {
  std::uint32_t unknown = 0;
  std::string name;
  int order = 0;
  double strength = 0.0;
};

struct Restart {
  std::vector<double> x;
  std::vector<double> xdot;  // those of unknowns without derivative included
  /// All unknowns whose value is not that of the left limit (after mapping), stated or not.
  std::vector<StartChange> changes;
  std::vector<Impulse> impulses;
  /// What decided the values: keep turns into impulse where something with a history jumps, and impulse
  /// into keep where nothing does.
  RestartPolicy used = RestartPolicy::keep;
  /// In words; for example that an impulse depends on the path taken through the instant.
  std::vector<std::string> warnings;
  /// What was found or handed in, with `path` and x of this start; none for a system of index 1 whose
  /// index did not have to be found.
  std::optional<IndexAnalysis> analysis;
  /// What it took: evaluations of the equations, of a derivative array, or of a Jacobian of either, at one
  /// point each; those of an analysis that was needed included.
  std::uint64_t n_evaluations = 0;
};

/// At time t from the left limit (or a user's guess; x_given marks what was stated). Failures say what
/// contradicts what, by name. OptionError: options that do not fit together.
Result<Restart> restart(const System& system, Workspace& workspace, double t,
                        const StartValues& left_limit, const RestartOptions& options = {});

}  // namespace saltus
