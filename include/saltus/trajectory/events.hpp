// What happened at the events of a run: a table, in the order of the run.
//
// An *instant* is a time at which the solution was interrupted, with both limits and everything that
// changed; an *event* is one named thing that happened there. Events of one instant were handled
// together; micro-steps number what followed from what without time passing.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <saltus/system/switching.hpp>

namespace saltus {

enum class EventKind : std::uint8_t {
  scheduled,   // a known time: of a relation of time alone, or a breakpoint of an input
  state,       // a relation crossed
  action,      // a when-clause was carried out
  limit,       // a variable left its declared range
  lock,        // a relation crossed, but no equation changed with it: nothing was interrupted
  structural,  // a transition between modes
};
std::string_view name(EventKind kind) noexcept;

struct Event {
  std::uint32_t instant = 0;
  std::uint32_t micro_step = 0;  // 0: what interrupted the solution; 1, 2, …: what followed from it
  EventKind kind = EventKind::state;
  double t = 0.0;
  std::string name;   // of the relation, when-clause, input or transition
  int direction = 0;  // +1: g rises through zero, -1: falls; 0: no switching function
  Guarantee guarantee = Guarantee::proven;
  std::string cause;  // for what followed: the condition that became true
};

struct LockChange {
  std::string relation;
  bool before = false;
  bool after = false;
};

/// Why a value is not what it was.
enum class JumpCause : std::uint8_t { action, consistency, impulse };
std::string_view name(JumpCause cause) noexcept;

struct Jump {
  std::string variable;  // unknown or discrete
  double before = 0.0;
  double after = 0.0;
  JumpCause cause = JumpCause::action;
  std::string by;  // the action, if one set it
};

struct EventInstant {
  double t = 0.0;
  std::string mode_before, mode_after;
  std::uint32_t first_event = 0;
  std::uint32_t n_events = 0;
  std::uint32_t n_micro_steps = 0;
  bool restarted = false;  // the engine began anew: equations or values have changed
  std::vector<LockChange> locks;
  std::vector<Jump> jumps;
  /// Left and right limits of the recorded variables.
  std::vector<double> x_minus, x_plus;
};

class EventLog {
 public:
  std::span<const Event> events() const { return events_; }
  std::span<const EventInstant> instants() const { return instants_; }
  const EventInstant& instant_of(const Event& event) const { return instants_[event.instant]; }
  /// Counts also what was not kept.
  std::uint64_t n_events(EventKind kind) const { return counts_[static_cast<std::size_t>(kind)]; }
  std::uint64_t n_instants() const { return n_instants_; }

  /// Appends an instant with its events, or only counts them.
  void add(EventInstant instant, std::vector<Event> events, bool keep);

 private:
  static constexpr std::size_t n_kinds = 6;
  std::vector<Event> events_;
  std::vector<EventInstant> instants_;
  std::uint64_t counts_[n_kinds] = {};
  std::uint64_t n_instants_ = 0;
};

/// In words: why an event fired and what it led to.
std::string explain(const EventLog& log, const Event& event);

}  // namespace saltus
