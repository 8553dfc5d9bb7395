// What can be asked about events.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <saltus/core/options.hpp>
#include <saltus/slide/surface.hpp>

namespace saltus {

/// Whether relations are watched at all.
enum class EventHandling : std::uint8_t {
  on,
  off,  // the first configuration stays locked: the model is run as if it could not switch
};
constexpr auto option_choices(EventHandling) {
  return std::array{Choice{"on", EventHandling::on}, Choice{"off", EventHandling::off}};
}

/// Where in a step an event takes place.
enum class LocationKind : std::uint8_t {
  exact,     // at its time, with a state that satisfies the equations there
  step_end,  // at the end of the step in which it was found: for comparison
};
constexpr auto option_choices(LocationKind) {
  return std::array{Choice{"exact", LocationKind::exact},
                    Choice{"step_end", LocationKind::step_end}};
}

/// A variable leaves its declared range.
enum class RangePolicy : std::uint8_t { stop, warn, ignore };
constexpr auto option_choices(RangePolicy) {
  return std::array{Choice{"stop", RangePolicy::stop}, Choice{"warn", RangePolicy::warn},
                    Choice{"ignore", RangePolicy::ignore}};
}

/// Both sides of a surface lead to it.
enum class SurfacePolicy : std::uint8_t {
  slide,  // the solution stays on it as long as they do
  cross,  // the relation switches all the same, again and again
  stop,   // the run pauses: whoever steps it decides (Run::choose)
};
constexpr auto option_choices(SurfacePolicy) {
  return std::array{Choice{"slide", SurfacePolicy::slide}, Choice{"cross", SurfacePolicy::cross},
                    Choice{"stop", SurfacePolicy::stop}};
}

/// A side does not exist beyond its surface, and an inner point of a step lies there.
enum class BeyondPolicy : std::uint8_t {
  continued,  // along its slope: a step that ends there is cut at the event
  refused,    // the step is repeated smaller
};
constexpr auto option_choices(BeyondPolicy) {
  return std::array{Choice{"continued", BeyondPolicy::continued},
                    Choice{"refused", BeyondPolicy::refused}};
}

/// Which motion on a surface is meant where the equations of its sides leave a choice.
enum class SlidingField : std::uint8_t {
  filippov,            // the mixture of both motions
  equivalent_control,  // the motion of the mixture of both equations
  blended,             // the same, also of constraints that only one side has
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
  /// For switching functions that cannot be enclosed: looks per step.
  int samples_per_step = 8;
  /// Enclosures prove that no crossing was missed. Without them signs at the ends of steps are compared.
  bool prove = true;
  LocationKind location = LocationKind::exact;
  /// Events take place a little beyond their surface (before it, if they set unknowns), so that none is
  /// found twice. Without this, at the zero itself: for comparison.
  bool offset = true;
  RangePolicy range = RangePolicy::warn;
  /// By the name of a relation: it switches only once its function is so far beyond zero.
  std::vector<Named<double>> hysteresis = {};
  /// By the name of a relation: having switched, it does not switch again for so long.
  std::vector<Named<double>> dwell = {};
  /// Crossings that follow the first one within this time are handled together with it, as far as that
  /// does not cost accuracy. 0: only those at the same time.
  double concurrency = 0.0;
  /// Events of a relation that accumulate: by its name, the action that is carried out at the limit. For
  /// all others the run ends there.
  std::vector<Named<std::string>> accumulation = {};
  /// A limit is predicted where what is left until there is at most this part of the time since intervals began to
  /// shrink.
  double accumulation_window = 1e-2;
  /// At one instant; twice the number of actions if that is more.
  int max_micro_steps = 100;
  /// What happens where both sides of a surface lead to it; for single relations by their name.
  SurfacePolicy surface = SurfacePolicy::slide;
  std::vector<Named<std::string>> surface_of = {};
  /// Where inner points of a step lie beyond the end of a side.
  BeyondPolicy beyond = BeyondPolicy::continued;
  SlidingField sliding_field = SlidingField::filippov;
  /// On two surfaces at once.
  SlidingRule sliding_rule = SlidingRule::bilinear;
  /// Keep the table of events; it is counted in any case.
  bool keep = true;
};
template <class V>
void describe(EventOptions& o, V& field) {
  field("handling", o.handling).help("off: the first configuration stays locked");
  field("samples_per_step", o.samples_per_step)
      .bounds(2, 1000)
      .help("looks at switching functions that cannot be enclosed");
  field("prove", o.prove).help("prove that no crossing was missed; else compare signs only");
  field("location", o.location).help("where in a step an event takes place");
  field("offset", o.offset).help("place events a little beyond their surface");
  field("range", o.range).help("what happens when a variable leaves its declared range");
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
      .help("part of the past that may be left until the limit");
  field("max_micro_steps", o.max_micro_steps).at_least(1).help("at one instant");
  field("surface", o.surface).help("what happens where both sides of a surface lead to it");
  field("surface_of", o.surface_of).help("the same by the name of a relation: slide, cross, stop");
  field("beyond", o.beyond)
      .help("inner points of a step beyond a surface at which their side ends");
  field("sliding_field", o.sliding_field).help("which motion on a surface is meant");
  field("sliding_rule", o.sliding_rule).help("which motion on two surfaces at once is meant");
  field("keep", o.keep).help("keep the table of events");
}

}  // namespace saltus
