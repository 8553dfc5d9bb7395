// Everything a run holds for one mode: made when the mode is first entered, kept until the run ends.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <saltus/hybrid/options.hpp>
#include <saltus/initialize/restart.hpp>
#include <saltus/integrate/engine.hpp>
#include <saltus/slide/sliding_system.hpp>
#include <saltus/system/configuration.hpp>
#include <saltus/trajectory/report.hpp>
#include <saltus/system/started_system.hpp>

#include "hybrid/core/first_steps.hpp"
#include "hybrid/mode/continued_workspace.hpp"
#include "hybrid/switch/event_kit.hpp"
#include "hybrid/output/output_writer.hpp"
#include "hybrid/mode/reduction.hpp"
#include "hybrid/mode/regularity_monitor.hpp"
#include "hybrid/core/stretch_lengths.hpp"
#include "hybrid/mode/unknown_pairing.hpp"

namespace saltus::detail {

/// What is known of relations where a mode is entered from another one.
struct Arrival {
  /// Impulses of the unknowns of the original system.
  std::span<const Impulse> impulses;
  /// Length of a step, to tell what happens at once.
  double natural_step = 0.0;
};

struct ModeRun;

/// A mode as it was written.
struct ModeAsWritten {
  Configuration configuration;
  std::string name;
  std::shared_ptr<const System> original;
  std::unique_ptr<Workspace> original_workspace;
  std::optional<IndexAnalysis> analysis;  // once it was needed
  /// Entries of its Jacobians that vanish, one flag each: all that were met, with the same index.
  std::vector<std::vector<std::uint8_t>> vanishing;
};

/// As it is integrated.
struct ModeAsIntegrated {
  std::shared_ptr<const System> system;
  std::unique_ptr<Workspace> workspace;
  ScheduledTimes* scheduled = nullptr;
  std::optional<UnknownPairing> pairing;
  EngineOptions engine_options;
  std::unique_ptr<EventKit> kit;                  // if the system switches
  std::unique_ptr<ContinuedWorkspace> continued;  // if its sides may end at surfaces

  /// Motion on surfaces of `base`.
  struct OnSurfaces {
    ModeRun* base = nullptr;
    std::vector<Surface> surfaces;
    SlidingOptions options;
    std::vector<std::string> names;
  };
  std::optional<OnSurfaces> on_surfaces;

  bool has_begun() const { return pairing.has_value(); }
};

/// What moves in it.
struct ModeInMotion {
  EngineKind engine_asked = EngineKind::automatic;
  ConsistentStart start;
  bool starts_between_sides =
      false;  // of a surface that both lead to: relations are those of either
  std::unique_ptr<Engine> engine;
  RegularityMonitor monitor;
  StretchLengths stretches;
  double natural_step = 0.0;  // of the engine, before an event cut its step
  FirstSteps first_steps;

  EngineKind engine_kind() const { return engine ? engine->kind() : engine_asked; }
};

/// What is written down of it.
struct ModeBooks {
  ModeVisit visit;
  std::vector<DecisionRecord> choices;  // not yet reported
  std::vector<std::string> warnings;
  std::vector<std::uint64_t> n_crossings, n_flips, n_pardoned;  // per switch
  std::vector<double> largest;                                  // size of each unknown so far
  /// How far each unknown moved at most within the resolution of time, and when. Empty: never far.
  struct Moved {
    double by = 0.0, t = 0.0;
  };
  std::vector<Moved> moved;
};

/// Stays where it is: the kit and the engine point into it.
struct ModeRun : ModeAsWritten, ModeAsIntegrated, ModeInMotion, ModeBooks {
  ModeRun(ConfigurationSource& source, const RunOptions& options, Configuration configuration);
  ModeRun(const ModeRun&) = delete;
  ModeRun& operator=(const ModeRun&) = delete;

  /// Takes the system from its source.
  Result<void> load();
  /// Makes a system of index 1 of the one that was loaded, the first time, and finds its consistent start
  /// with the truth of all relations: from start values of the original system.
  Result<void> begin(double t, const std::shared_ptr<const System>& started,
                     const Arrival* arrival);
  /// Again, from a consistent point of the original system: nothing is analysed.
  Result<void> begin_again(double t, const Restart& at, const Arrival& arrival);
  /// On surfaces of `base`, whose relations, held values and choice of states it takes over: from a point of
  /// base on them.
  Result<void> begin_on_surfaces(double t, std::span<const double> x, std::span<const double> xdot);

  /// What each unknown may be off by.
  std::vector<double> tolerances_at(std::span<const double> x) const;
  Result<ConsistentStart> find_start(double t, const StartValues& guess) {
    return find_start(*workspace, t, guess);
  }
  /// With derivatives that are to be compared with those of other starts.
  Result<ConsistentStart> find_compared_start(double t, const StartValues& guess) {
    return find_start(*workspace, t, guess, {.compares_derivatives = true});
  }
  /// At a point that may lie a little beyond a surface, with the equations of this side.
  Result<ConsistentStart> find_start_on_side(double t, const StartValues& guess) {
    return find_start(field(), t, guess);
  }
  /// What engines evaluate.
  Workspace& field() { return continued ? *continued : *workspace; }
  /// From t to the next known time at which something is not smooth, which is returned.
  double enter_stretch(double t);
  bool watches_events() const { return kit && options.events.handling == EventHandling::on; }
  bool forward() const { return options.t_end >= options.t_begin; }
  /// Whether the mode has another index than the one it was reduced for: looked at where other entries of its
  /// Jacobians vanish than ever before. At a point of the original system, under the branches and held
  /// values of its workspace.
  bool has_other_index(double t, std::span<const double> x, std::span<const double> xdot);
  /// It will be analysed and reduced anew when it is next entered.
  void forget();
  /// The workspace of the original system gets the branches and held values of the one that runs.
  void tell_original();

  /// A switch that is an exit: numbers of exits follow those of base, two per surface, to its + side and to its
  /// - side.
  struct Exit {
    std::size_t surface = 0;
    int side = 1;
  };
  Exit exit_of(std::uint32_t which) const {
    const std::uint32_t number = which - on_surfaces->base->kit->board.count();
    return {number / 2, number % 2 == 0 ? 1 : -1};
  }
  /// What is known of the events of a relation: those of the mode go on while it slides.
  AccumulationWatch& accumulation_of(std::uint32_t which) const {
    const bool is_of_base = on_surfaces && which < on_surfaces->base->kit->board.count();
    return is_of_base ? on_surfaces->base->kit->accumulation : kit->accumulation;
  }
  SegmentName segment_name() const { return {name, visit.sliding}; }

  ConfigurationSource& source;
  const RunOptions& options;

 private:
  bool is_fresh_ = false;  // loaded, and not used since
  Result<ConsistentStart> find_start(Workspace& at, double t, const StartValues& guess,
                                     InitializeOptions search = {});
  void adopt(std::shared_ptr<const System> taken);
  /// What belongs to its workspace.
  void furnish();
  std::vector<std::uint8_t> vanishing_entries(double t, std::span<const double> x,
                                              std::span<const double> xdot);
  Result<void> begin_reduced(const Reduction& reduction, double t, const Arrival* arrival);
  Result<void> begin_at(double t, const StartValues& guess, const Arrival* arrival);
  std::vector<double> impulses_of_functions(double t, const Arrival& arrival,
                                            const StartValues& at);
};

}  // namespace saltus::detail
