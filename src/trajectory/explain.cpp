// An event in words. One line per question a reader has: what happened and when, how sure it is, what
// came with it, what followed, which modes were tried, what changed, how the run went on.
#include <algorithm>
#include <cmath>

#include <saltus/core/error.hpp>
#include <saltus/core/text.hpp>
#include <saltus/trajectory/events.hpp>

#include "trajectory/jumps.hpp"
#include "trajectory/mode_words.hpp"
#include "trajectory/sliding_words.hpp"
#include "trajectory/words.hpp"

namespace saltus {

namespace {

using detail::counted;
using detail::enumeration;
using detail::jump_text;
using detail::rounded;
using detail::sentence;

constexpr int digits_of_times = 10;

std::string at_time(double t) { return "t = " + rounded(t, digits_of_times); }

class Explanation {
 public:
  Explanation(const EventLog& log, const Event& event)
      : log_(log),
        event_(event),
        instant_(log.instant_of(event)),
        events_(log.events_of(instant_)) {}

  std::string text() {
    say(opening());
    say(certainty());
    say(origin());
    say(companions());
    say_surfaces();
    say_what_followed();
    if (is_flip_alone()) return out_;
    say(other_locks());
    for (const std::string& line : detail::candidate_sentences(instant_, events_, event_))
      say(line);
    say(mode_change());
    say(detail::presence_sentence(log_, instant_));
    say(detail::impulse_sentence(instant_));
    say_jumps();
    say(detail::conserved_sentence(instant_));
    if (instant_.jumps.empty() && instant_.restarted) say("No value jumped.");
    say(onward());
    return out_;
  }

 private:
  void say(const std::string& line) {
    if (!line.empty()) out_ += line + '\n';
  }

  void say_surfaces() {
    if (event_.kind == EventKind::lock) return;
    say(detail::surface_sentence(instant_, event_));
    say(detail::sliding_sentence(instant_, event_));
    for (const std::string& line : detail::surface_table(instant_)) say(line);
  }

  static std::string called(const Event& e) {
    return e.text.empty() || e.text == e.name ? quote(e.name)
                                              : quote(e.name) + ", that is " + quote(e.text) + ",";
  }

  /// "became true", by what the locks were before and after the whole instant.
  std::string turn(const Event& e) const {
    if (e.kind == EventKind::enter_sliding) return "began to hold the solution on its surface";
    if (e.kind == EventKind::exit_sliding) return "let the solution go from its surface";
    const auto lock = std::ranges::find(instant_.locks, e.name, &LockChange::relation);
    if (lock == instant_.locks.end()) return "crossed its surface";
    if (lock->before != lock->after) return lock->after ? "became true" : "became false";
    return lock->after ? "became false, and true again by what followed"
                       : "became true, and false again by what followed";
  }

  static std::string through_zero(const Event& e) {
    if (e.direction == 0) return "";
    const bool rises = e.direction > 0;
    std::string text = ": its switching function ";
    text += e.waited ? (rises ? "had risen " : "had fallen ") : (rises ? "rose " : "fell ");
    if (e.hysteresis > 0) {
      text += rounded(e.hysteresis) + (rises ? " above" : " below") +
              " zero, the width of its hysteresis (events.hysteresis)";
    } else {
      text += "through zero";
    }
    return e.waited ? text + ", before its dwell time (events.dwell) ended here" : text;
  }

  bool is_range_left() const {
    const auto lock = std::ranges::find(instant_.locks, event_.name, &LockChange::relation);
    return lock != instant_.locks.end() ? !lock->after : event_.direction < 0;
  }

  bool is_flip_alone() const {
    return std::ranges::all_of(events_, [](const Event& e) { return e.kind == EventKind::lock; });
  }

  std::string opening() const {
    const std::string when = "At " + at_time(event_.t) + ", ";
    switch (event_.kind) {
      case EventKind::scheduled:
        if (event_.direction == 0)
          return when + quote(event_.name) +
                 " was due: a time known beforehand, at which a step ended exactly.";
        return when + called(event_) + " " + turn(event_) + through_zero(event_) +
               ". The time was known beforehand, and a step ended exactly there.";
      case EventKind::state:
        return when + called(event_) + " " + turn(event_) + through_zero(event_) + ".";
      case EventKind::action:
        return when + carried_out(event_) + ".";
      case EventKind::limit:
        return when + "the declared range " + quote(event_.name) +
               (is_range_left() ? " was left." : " was entered again.");
      case EventKind::lock:
        return when + called(event_) + " " + turn(event_) + through_zero(event_) + ". " +
               why_nothing_followed();
      case EventKind::enter_sliding:
        return when + "the solution " + (is_begun_on() ? "began on" : "came to") +
               " the surface of " + called(event_) +
               (event_.cause.empty() || !is_begun_on() ? std::string()
                                                       : " in mode " + quote(instant_.mode_after)) +
               " and stays on it.";
      case EventKind::exit_sliding:
        return when + "the solution left the surface of " + called(event_) +
               ", on which it had stayed.";
      case EventKind::structural:
        return when + taken(event_) + ".";
    }
    return when + quote(event_.name) + ".";
  }

  /// At the start of a run, or of a mode that was entered there: nothing crossed.
  bool is_begun_on() const {
    return event_.direction == 0 &&
           (event_.micro_step == 0 || instant_.mode_before != instant_.mode_after);
  }

  std::string why_nothing_followed() const {
    std::string text =
        "It interrupted nothing: every condition that chooses an equation, an output or an action "
        "is as it was. Only its lock was turned, so that its "
        "next crossing is seen from the right side";
    if (is_flip_alone()) return text + ", and the integration went on without a restart.";
    return text + ". Other changes at this instant have other causes.";
  }

  std::string certainty() const {
    if (event_.direction == 0 || event_.kind == EventKind::scheduled ||
        event_.kind == EventKind::action || event_.micro_step > 0)
      return "";
    std::string text;
    switch (event_.guarantee) {
      case Guarantee::proven:
        text = "Proven: along the computed step no earlier crossing was overlooked";
        break;
      case Guarantee::heuristic:
        text =
            "Heuristic: this crossing is real, but it was found by samples (the relation cannot be "
            "enclosed, or events.prove is off); two crossings between neighbouring samples would "
            "go unseen. More events.samples_per_step or a smaller max_step look closer";
        break;
      case Guarantee::marginal:
        text =
            "Marginal: the surface was touched, or passed by less than the tolerances resolve. The "
            "tolerances may decide whether the event happens: compare with a run at tighter ones";
        break;
    }
    if (event_.time_width > 0 && !event_.waited)
      text += ". Its time is located within " + rounded(event_.time_width, 2) +
              " s on the computed solution";
    if (instant_.near_side && event_.kind == EventKind::state)
      text += ". The state was taken from before the surface, which it must not pass";
    return text + ".";
  }

  /// Of what did not interrupt the solution by itself.
  std::string origin() const {
    if (event_.micro_step == 0) return "";
    std::vector<std::string> roots;
    for (const Event& e : events_) {
      if (e.micro_step != 0 || e.kind == EventKind::lock) continue;
      roots.push_back(quote(e.name) + (e.direction == 0 ? "" : " (" + turn(e) + ")"));
    }
    if (roots.empty()) return "";  // the run itself set it off
    return "It was micro-step " + std::to_string(event_.micro_step) +
           " of the events that followed, without time passing, from " + enumeration(roots) + ".";
  }

  std::string companions() const {
    std::vector<std::string> names;
    for (const Event& e : events_) {
      if (&e == &event_ || e.micro_step != event_.micro_step || e.kind == EventKind::lock) continue;
      names.push_back(quote(e.name));
    }
    std::string text;
    if (!names.empty() && event_.kind != EventKind::lock)
      text = "At the same instant: " + enumeration(names) + ".";
    if (event_.t != instant_.t)
      text += (text.empty() ? "" : " ") +
              std::string("Events this close are handled together, at ") + at_time(instant_.t) +
              " (region of concurrency).";
    return text;
  }

  /// "the when-clause 'bounce' was carried out, because 'h <= 0' became true, and set …".
  std::string carried_out(const Event& e) const {
    std::string text = "the when-clause " + quote(e.name) + " was carried out";
    if (!e.cause.empty()) text += " because " + quote(e.cause) + " became true";
    std::vector<std::string> set;
    for (const Jump& jump : instant_.jumps) {
      const bool then = jump.micro_step == 0 || jump.micro_step == e.micro_step;
      if (jump.cause == JumpCause::action && jump.by == e.name && then)
        set.push_back(jump_text(jump));
    }
    if (!set.empty()) text += "; it set " + enumeration(set);
    return text;
  }

  /// "the transition 'open' took the model from mode 'closed' to mode 'opened' because 'i < 0' held". A
  /// guard may have been true before the mode was entered: it does not say "became".
  std::string taken(const Event& e) const {
    std::string text = "the transition " + quote(e.name) + " took the model " +
                       detail::way_of(instant_, events_, e);
    if (e.cause.empty()) return text;
    if (detail::is_replaced_by_mode(instant_, e.cause))
      return text + " because the solution would slide on the surface of " + quote(e.cause) +
             ", and this mode is the motion there";
    return text + " because " + quote(e.cause) + " held";
  }

  /// Where no single transition has told it.
  std::string mode_change() const {
    if (instant_.mode_before == instant_.mode_after) return "";
    std::size_t n_told = 0;
    for (const Event& e : events_) {
      if (e.kind != EventKind::structural) continue;
      if (&e == &event_ || e.micro_step > event_.micro_step) ++n_told;
    }
    if (n_told == 1 && std::ranges::count(events_, EventKind::structural, &Event::kind) == 1)
      return "";
    const bool is_chain = std::ranges::count(events_, EventKind::structural, &Event::kind) > 1;
    return std::string(is_chain ? "In all, the" : "The") + " mode changed from " +
           quote(instant_.mode_before) + " to " + quote(instant_.mode_after) + ".";
  }

  void say_what_followed() {
    if (event_.kind == EventKind::lock) return;
    std::uint32_t last = event_.micro_step;
    for (const Event& e : events_) {
      if (e.micro_step <= event_.micro_step || e.kind == EventKind::lock) continue;
      const bool new_step = e.micro_step != last;
      last = e.micro_step;
      std::string line = new_step ? "Micro-step " + std::to_string(e.micro_step) + ": "
                                  : "In the same micro-step: ";
      if (e.kind == EventKind::action) {
        line += carried_out(e);
      } else if (e.kind == EventKind::structural) {
        line += taken(e);
      } else {
        line += called(e) + " " + turn(e);
      }
      say(line + ".");
    }
  }

  std::string other_locks() const {
    std::vector<std::string> changes;
    for (const LockChange& lock : instant_.locks) {
      const bool is_told = std::ranges::any_of(events_, [&](const Event& e) {
        // What interrupted is told as the origin of what followed.
        return e.name == lock.relation &&
               (&e == &event_ || e.micro_step > event_.micro_step || e.micro_step == 0) &&
               e.kind != EventKind::lock;
      });
      if (is_told || lock.before == lock.after) continue;
      changes.push_back(quote(lock.relation) + (lock.after ? " (now true)" : " (now false)"));
    }
    if (changes.empty()) return "";
    return counted(changes.size(), "other relation") +
           " changed at this instant: " + enumeration(changes) + ".";
  }

  void say_jumps() {
    say(changed_by(JumpCause::map, "The transition set "));
    say(changed_by(JumpCause::equation,
                   "Equations of the transition between both sides of the event took "));
    say(changed_by(JumpCause::impulse, instant_.impulses.empty()       ? "An impulse took "
                                       : instant_.impulses.size() == 1 ? "This impulse took "
                                                                       : "These impulses took "));
    say(changed_by(JumpCause::least_squares,
                   "As least_squares was asked for, the nearest consistent values were taken, "
                   "regardless of conserved quantities: "));
    say(changed_by(JumpCause::consistency, instant_.mode_before == instant_.mode_after
                                               ? std::string("To hold again, the equations took ")
                                               : "To hold, the equations of mode " +
                                                     quote(instant_.mode_after) + " took "));
  }

  std::string changed_by(JumpCause cause, const std::string& begin) const {
    std::vector<std::string> texts;
    std::size_t n_unnoticed = 0;
    for (const Jump* jump : detail::largest_first(instant_.jumps, cause)) {
      if (detail::is_unnoticeable(*jump)) {
        ++n_unnoticed;
        continue;
      }
      texts.push_back(jump_text(*jump) + " (by " + rounded(jump->after - jump->before) +
                      (jump->unit.empty() ? "" : " " + jump->unit) + ")");
    }
    std::string text = texts.empty() ? "" : begin + enumeration(texts);
    if (texts.size() > 1) text += "; the largest change first";
    if (!text.empty()) text += '.';
    if (n_unnoticed > 0)
      text += (text.empty() ? "" : " ") + counted(n_unnoticed, "value") +
              " changed by less than a hundredth of the tolerance.";
    return text;
  }

  std::string onward() const {
    const auto last = std::ranges::find_if(events_, [](const Event& e) { return e.terminal; });
    if (last != events_.end()) {
      const std::string end = "The run ends here, as " + quote(last->name) + " demands";
      return sentence(last->note.empty() ? end : end + ": " + last->note);
    }
    const std::string note = event_.note.empty() ? "" : "Note: " + sentence(event_.note) + " ";
    if (instant_.restarted)
      return note + "The integration began anew from here, as equations or values have changed.";
    return note + "The integration went on without a restart.";
  }

  const EventLog& log_;
  const Event& event_;
  const EventInstant& instant_;
  std::span<const Event> events_;
  std::string out_;
};

}  // namespace

std::string explain(const EventLog& log, const Event& event) {
  const auto is_same = [&](const Event& e) {
    return &e == &event || (e.name == event.name && e.micro_step == event.micro_step &&
                            e.kind == event.kind && e.t == event.t);
  };
  if (event.instant < log.instants().size()) {
    const auto events = log.events_of(log.instant_of(event));
    const auto found = std::ranges::find_if(events, is_same);
    if (found != events.end()) return Explanation(log, *found).text();
  }
  throw Error("the event " + quote(event.name) + " at t = " + to_text(event.t) +
              " is not in this log");
}

}  // namespace saltus
