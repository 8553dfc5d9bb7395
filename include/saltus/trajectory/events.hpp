// Records the events of a run: a table, in the order of the run.
//
// An *instant* is a time at which the solution was interrupted, with both limits and everything
// that changed. An *event* is one named thing that happened there. Events of one instant were
// handled together; micro-steps number the events that followed from others without time passing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <saltus/system/switching.hpp>

namespace saltus {

enum class EventKind : std::uint8_t {
  scheduled,      // a known time: of a relation of time alone, or a breakpoint of an input
  state,          // a relation crossed
  action,         // a when-clause was executed
  limit,          // a variable left its declared range
  lock,           // a relation crossed, but no equation changed with it: nothing was interrupted
  structural,     // a transition between modes
  enter_sliding,  // the solution stays on the surface of a relation from here on
  exit_sliding,   // the solution leaves the surface on which it stayed
};
/// In the order of the enumeration.
inline constexpr std::array<std::string_view, 8> event_kind_names{
    "scheduled", "state", "action", "limit", "lock", "structural", "enter_sliding", "exit_sliding"};
inline constexpr std::size_t n_event_kinds = event_kind_names.size();
std::string_view name(EventKind kind) noexcept;
std::string_view name(Guarantee guarantee) noexcept;

struct Event {
  std::uint32_t instant = 0;
  std::uint32_t micro_step = 0;  // 0: interrupted the solution; 1, 2, …: followed from it
  EventKind kind = EventKind::state;
  double t = 0.0;
  std::string name = {};  // of the relation, when-clause, input or transition
  /// +1: g rises through zero as time increases, -1: falls; 0: no g. At the end of sliding: the
  /// side to which the solution leaves.
  int direction = 0;
  Guarantee guarantee = Guarantee::proven;
  std::string cause = {};  // for events that followed: the condition that became true
  /// The relation as it is written, if `name` is a given name; empty: the name is the text.
  std::string text = {};
  /// The crossing lies between t - time_width and t (the other way round in a run backward in
  /// time).
  double time_width = 0.0;
  /// How far beyond zero g had to be for its relation to switch (events.hysteresis).
  double hysteresis = 0.0;
  /// g was beyond the surface before, and its dwell time (events.dwell) has ended now
  bool waited = false;
  bool terminal = false;  // ended the run
  std::string note =
      {};  // a further sentence: message of a terminal action, effect of a limit's policy
};

/// The truth of a relation before and after the whole instant: equal if later events of the instant
/// reverted it.
struct LockChange {
  std::string relation = {};
  bool before = false;
  bool after = false;
};

/// Says why a value jumped.
enum class JumpCause : std::uint8_t {
  action,         // a when-clause set it
  consistency,    // the equations leave no choice
  impulse,        // so that conserved quantities are kept
  map,            // an expression of the transition
  equation,       // equations of the transition between both limits
  least_squares,  // the nearest consistent values, as requested
};
std::string_view name(JumpCause cause) noexcept;

struct Jump {
  std::string variable = {};  // unknown or discrete
  double before = 0.0;
  double after = 0.0;
  JumpCause cause = JumpCause::action;
  std::string by = {};  // the action, if one set it
  std::string unit = {};
  bool discrete = false;
  std::uint32_t micro_step = 0;  // at which it was set
  /// The size of the jump, |after - before|, in units of the tolerance of the variable, by which
  /// jumps are ordered; 0: unknown.
  double in_tolerances = 0.0;
};

/// A part strength * delta^(order)(t) of a variable at the instant.
struct ImpulseRecord {
  std::string variable = {};
  int order = 0;  // 0: a Dirac impulse
  double strength = 0.0;
  std::string unit = {};  // of the variable; a strength has this unit times s^(order + 1)
};

/// A mode that was entered tentatively, from the state before the event.
struct CandidateRecord {
  std::string mode = {};
  std::string transition = {};  // that leads to it
  std::uint32_t micro_step = 0;
  bool taken = false;
  /// Why the mode was not taken, or that it was left at once and by which transition; empty if it
  /// was taken. A part of a sentence: "it requires iD >= 0, but iD gets an impulse of -0.25 A s".
  std::string verdict = {};
  std::vector<ImpulseRecord> impulses = {};
  /// The mode was admissible, but a transition of its own left it without time passing
  /// ("mythical").
  bool passed = false;
  bool verdict_tells_impulses = false;

  bool rejected() const { return !taken && !passed; }
};

/// Describes how the solution would continue from the surface of one relation.
struct SurfaceMotion {
  std::string relation = {};
  std::optional<bool> truth = {};  // empty: the solution slides on its surface
  double rate = 0.0;  // of its switching function, in the direction of the run; 0 while it slides
  /// While it slides, from -1 (as where the function is negative) to 1; else the sign of the
  /// function there.
  double multiplier = 0.0;
};

/// A way to continue from a point on surfaces of relations: "v1 > v2 true", "sliding on v1 > v2".
struct SurfaceCandidateRecord {
  std::string text = {};
  bool taken = false;
  bool consistent = false;
  std::string verdict = {};  // why not, with numbers, relations by name; empty if consistent
  /// One per surface, named after its first relation; empty if they are not known.
  std::vector<SurfaceMotion> motions = {};
};

/// A quantity that a transition declares to be the same on both sides.
struct ConservedRecord {
  std::string name = {};
  double before = 0.0;
  double after = 0.0;
  std::string unit = {};
  bool kept = true;  // the difference is within the tolerances
};

struct EventInstant {
  double t = 0.0;
  std::string mode_before = {}, mode_after = {};
  std::uint32_t first_event = 0;
  std::uint32_t n_events = 0;
  std::uint32_t n_micro_steps = 0;
  std::uint32_t n_iterations = 0;  // solutions for consistent values until nothing changed any more
  bool restarted = false;          // the engine restarted: equations or values have changed
  bool near_side = false;  // the state before is from this side of the surface, else just beyond it
  std::vector<LockChange> locks = {};
  std::vector<Jump> jumps = {};
  std::vector<ImpulseRecord> impulses = {};  // of the mode that was taken
  std::vector<CandidateRecord> candidates = {};
  std::vector<ConservedRecord> conserved = {};
  /// Relations on whose surfaces the solution stays, before and after.
  std::vector<std::string> sliding_before = {}, sliding_after = {};
  std::vector<SurfaceCandidateRecord> surface_candidates = {};
  /// Limits of the recorded variables before and after, in the order of the run. The limit of a
  /// variable that does not exist is 0, so check the flags first (empty: all exist).
  std::vector<double> x_minus = {}, x_plus = {};
  std::vector<std::uint8_t> minus_present = {}, plus_present = {};

  bool exists_before(std::size_t variable) const {
    return variable < x_minus.size() && (minus_present.empty() || minus_present[variable] != 0);
  }
  bool exists_after(std::size_t variable) const {
    return variable < x_plus.size() && (plus_present.empty() || plus_present[variable] != 0);
  }
};

/// Counts everything that happened, whether it was kept or not.
struct EventCounts {
  std::array<std::uint64_t, n_event_kinds> of_kind{};
  std::uint64_t n_instants = 0;
  std::uint64_t n_interruptions = 0;  // instants with more than flips of locks and ranges
  std::uint64_t n_restarts = 0;
  std::uint64_t n_micro_steps = 0;
  std::uint64_t n_iterations = 0;
  std::uint64_t n_heuristic = 0;  // events with that guarantee
  std::uint64_t n_marginal = 0;
  std::uint64_t n_simultaneous = 0;   // instants at which several relations crossed by themselves
  std::uint64_t n_rejected = 0;       // candidate modes that were entered and not admissible
  std::uint64_t n_passed = 0;         // modes that were left at once
  std::uint64_t n_impulses = 0;       // of the modes that were taken, one per variable and order
  std::uint64_t n_not_conserved = 0;  // times a quantity declared as conserved was not

  std::uint64_t of(EventKind kind) const { return of_kind[static_cast<std::size_t>(kind)]; }
  std::uint64_t total() const;

  friend bool operator==(const EventCounts&, const EventCounts&) = default;
};

class EventLog {
 public:
  std::span<const Event> events() const { return events_; }
  std::span<const EventInstant> instants() const { return instants_; }
  const EventInstant& instant_of(const Event& event) const { return instants_[event.instant]; }
  std::span<const Event> events_of(const EventInstant& instant) const {
    return events().subspan(instant.first_event, instant.n_events);
  }
  /// Returns the counts, including events that were not kept.
  const EventCounts& counts() const { return counts_; }
  std::uint64_t n_events(EventKind kind) const { return counts_.of(kind); }
  std::uint64_t n_events() const { return counts_.total(); }
  std::uint64_t n_instants() const { return counts_.n_instants; }
  std::uint64_t n_not_kept() const { return n_events() - events_.size(); }

  /// Appends an instant with its events, or only counts them: then nothing is stored. Sets
  /// Event::instant, first_event and n_events. A limit that is NaN counts as not existing.
  void add(EventInstant instant, std::vector<Event> events, bool keep);

  /// Returns the names of the recorded variables, in the order of the limits. Without them, texts
  /// cannot name the variables that appeared or disappeared.
  std::span<const std::string> variables() const { return variables_; }
  void set_variables(std::vector<std::string> names) { variables_ = std::move(names); }

 private:
  std::vector<std::string> variables_;
  std::vector<Event> events_;
  std::vector<EventInstant> instants_;
  EventCounts counts_;
};

/// Explains in words why an event fired and what it led to, a line per question. Throws Error if
/// the event is not of this log.
std::string explain(const EventLog& log, const Event& event);

/// Returns the guarantee in a word: `exact` for a scheduled time, `-` for events that followed
/// without a search.
std::string guarantee_word(const Event& event);

/// Returns what an event changed, in a few words: "v: -4.43 -> 3.99 m/s". Subsequent changes by the
/// equations, and impulses, are listed with the last transition of the instant, or with its first
/// event if there is none.
std::string changes_text(const EventLog& log, const Event& event);

/// Returns the verdict on a way to continue from surfaces: "taken", "possible as well", or why not.
std::string verdict_text(const SurfaceCandidateRecord& candidate);

/// Returns all of them on a line: "v > 0 true: it moves at -0.3; sliding on v > 0: taken". If there
/// are more than `most`, the line ends with "and 7 more"; the possible ones come first.
std::string ways_text(std::span<const SurfaceCandidateRecord> candidates, std::size_t most = 9);

/// Returns a line per event in aligned columns: time, kind, name, direction, guarantee, changes. If
/// there are more than max_rows events, the last lines say how many.
std::string to_text(const EventLog& log, std::size_t max_rows = 50);

}  // namespace saltus
