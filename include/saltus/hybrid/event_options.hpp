// Options of events: location, sliding, chattering and accumulation.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <saltus/core/options.hpp>
#include <saltus/slide/surface.hpp>

namespace saltus {

/// Selects whether relations are watched.
enum class EventHandling : std::uint8_t {
  on,
  off,  // the first configuration stays locked: the model runs as if it could not switch
};
constexpr auto option_choices(EventHandling) {
  return std::array{Choice{"on", EventHandling::on}, Choice{"off", EventHandling::off}};
}

/// Selects where in a step an event takes place.
enum class LocationKind : std::uint8_t {
  exact,     // at its time, with a state that satisfies the equations there
  step_end,  // at the end of the step that contains it; for comparison
};
constexpr auto option_choices(LocationKind) {
  return std::array{Choice{"exact", LocationKind::exact},
                    Choice{"step_end", LocationKind::step_end}};
}

/// The reaction to a variable leaving its declared range.
enum class RangePolicy : std::uint8_t { stop, warn, ignore };
constexpr auto option_choices(RangePolicy) {
  return std::array{Choice{"stop", RangePolicy::stop}, Choice{"warn", RangePolicy::warn},
                    Choice{"ignore", RangePolicy::ignore}};
}

/// The reaction to a surface to which both sides lead.
enum class SurfacePolicy : std::uint8_t {
  slide,  // the solution stays on the surface as long as both sides lead to it
  /// The relation switches at every crossing; for comparison. The run fails once it chatters (at
  /// least 100 events, the last of them within the error of its function).
  cross,
  /// The run pauses and lets the caller choose (Run::choose).
  stop,
};
constexpr auto option_choices(SurfacePolicy) {
  return std::array{Choice{"slide", SurfacePolicy::slide}, Choice{"cross", SurfacePolicy::cross},
                    Choice{"stop", SurfacePolicy::stop}};
}

/// The treatment of inner points of a step that lie beyond a surface at which their side ends.
enum class BeyondPolicy : std::uint8_t {
  continued,  // the side is continued along its slope; a step that ends there is cut at the event
  refused,    // the step is repeated with a smaller size
};
constexpr auto option_choices(BeyondPolicy) {
  return std::array{Choice{"continued", BeyondPolicy::continued},
                    Choice{"refused", BeyondPolicy::refused}};
}

/// The motion on a surface, if the equations of its sides leave a choice.
enum class SlidingField : std::uint8_t {
  filippov,            // mixes the motions of both sides
  equivalent_control,  // mixes the equations of both sides
  blended,             // as equivalent_control, also for constraints of one side only
};
constexpr auto option_choices(SlidingField) {
  return std::array{Choice{"filippov", SlidingField::filippov},
                    Choice{"equivalent_control", SlidingField::equivalent_control},
                    Choice{"blended", SlidingField::blended}};
}

constexpr auto option_choices(SlidingRule) {
  return std::array{Choice{"bilinear", SlidingRule::bilinear},
                    Choice{"moments", SlidingRule::moments}, Choice{"reject", SlidingRule::reject}};
}

struct EventOptions {
  EventHandling handling = EventHandling::on;
  /// Samples per step, for switching functions without enclosures.
  int samples_per_step = 8;
  /// Enclosures prove that no crossing was missed. If false, signs at the ends of steps are
  /// compared.
  bool prove = true;
  LocationKind location = LocationKind::exact;
  /// Events take place a little beyond their surface (before it, if they set unknowns), so that
  /// none is found twice. If false, they take place at the zero itself; for comparison.
  bool offset = true;
  RangePolicy range = RangePolicy::warn;
  /// By the name of a relation: it switches only once its function is this far beyond zero.
  std::vector<Named<double>> hysteresis = {};
  /// By the name of a relation: after switching, it does not switch again for this time.
  std::vector<Named<double>> dwell = {};
  /// Crossings within this time after the first one are handled together with it, if that costs no
  /// accuracy. 0: only simultaneous crossings.
  double concurrency = 0.0;
  /// By the name of a relation whose events accumulate: the action carried out at the limit. For
  /// all other relations the run ends there.
  std::vector<Named<std::string>> accumulation = {};
  /// A limit is predicted once the remaining time until the limit is at most this fraction of the
  /// time since intervals began to shrink.
  double accumulation_window = 1e-2;
  /// At one instant. Twice the number of actions is allowed if that is more.
  int max_micro_steps = 100;
  /// For surfaces to which both sides lead; surface_of applies to single relations by name.
  SurfacePolicy surface = SurfacePolicy::slide;
  std::vector<Named<SurfacePolicy>> surface_of = {};
  /// For inner points of a step beyond the end of a side.
  BeyondPolicy beyond = BeyondPolicy::continued;
  SlidingField sliding_field = SlidingField::filippov;
  /// For two surfaces at once.
  SlidingRule sliding_rule = SlidingRule::bilinear;
  /// Keeps the table of events. Events are counted in any case.
  bool keep = true;
};
template <class V>
void describe(EventOptions& o, V& field) {
  field("handling", o.handling).help("off: the first configuration stays locked");
  field("samples_per_step", o.samples_per_step)
      .bounds(4, 20)
      .help("points of a step at which functions that cannot be enclosed are evaluated");
  field("prove", o.prove).help("prove that no crossing was missed; else compare signs only");
  field("location", o.location).help("where in a step an event takes place");
  field("offset", o.offset).help("place events a little beyond their surface");
  field("range", o.range).help("reaction to a variable leaving its declared range");
  field("hysteresis", o.hysteresis).at_least(0).help("width by which a relation switches late");
  field("dwell", o.dwell).at_least(0).unit("s").help("time a relation does not switch again");
  field("concurrency", o.concurrency)
      .at_least(0)
      .unit("s")
      .help("crossings within this time are handled together");
  field("accumulation", o.accumulation)
      .help("action to carry out where events of a relation accumulate; else the run ends");
  field("accumulation_window", o.accumulation_window)
      .above(0)
      .below(1)
      .help("part of the past that may remain until the limit");
  field("max_micro_steps", o.max_micro_steps)
      .at_least(1)
      .help("most rounds of events at one instant");
  field("surface", o.surface).help("reaction to a surface to which both sides lead");
  field("surface_of", o.surface_of).help("surface for single relations: slide, cross, stop");
  field("beyond", o.beyond)
      .help("inner points of a step beyond a surface at which their side ends");
  field("sliding_field", o.sliding_field).help("motion along a surface");
  field("sliding_rule", o.sliding_rule).help("motion along two surfaces at once");
  field("keep", o.keep).help("keep the table of events");
}

}  // namespace saltus
