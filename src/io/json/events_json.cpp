#include "io/json/events_json.hpp"

#include <algorithm>

namespace saltus::detail {

namespace {

std::uint64_t widened(std::uint32_t n) { return n; }

void put_switches(const RunReport& report, JsonWriter& json) {
  json.key("switches");
  json.open_array();
  for (const SwitchWork& watched : report.switches) {
    json.open_object();
    json.member("name", watched.name);
    json.member("n_steps", watched.n_steps);
    json.member("n_proven", watched.n_proven);
    json.member("n_heuristic", watched.n_heuristic);
    json.member("n_marginal", watched.n_marginal);
    json.member("n_evaluations", watched.n_evaluations);
    json.member("n_events", watched.n_events);
    json.member("n_flips", watched.n_flips);
    json.close_object();
  }
  json.close_array();
}

void put_marginal(const RunReport& report, JsonWriter& json) {
  json.key("marginal");
  json.open_array();
  for (const MarginalMark& mark : report.marginal) {
    json.open_object();
    json.member("relation", mark.relation);
    json.member("t_from", mark.t_from);
    json.member("t_to", mark.t_to);
    json.member("t", mark.t);
    json.member("distance", mark.distance);
    json.member("error", mark.error);
    json.close_object();
  }
  json.close_array();
}

void put_event(const Event& event, JsonWriter& json) {
  json.open_object();
  json.member("t", event.t);
  json.member("instant", widened(event.instant));
  json.member("micro_step", widened(event.micro_step));
  json.member("kind", name(event.kind));
  json.member("name", event.name);
  json.member("text", event.text);
  json.member("direction", static_cast<double>(event.direction));
  json.member("guarantee", guarantee_word(event));
  json.member("time_width", event.time_width);
  json.member("hysteresis", event.hysteresis);
  json.member("waited", event.waited);
  json.member("cause", event.cause);
  json.member("terminal", event.terminal);
  json.member("note", event.note);
  json.close_object();
}

void put_limits(std::string_view key, const std::vector<double>& values,
                const std::vector<std::uint8_t>& present, const Trajectory& trajectory,
                JsonWriter& json) {
  json.key(key);
  json.open_object();
  for (std::size_t i = 0; i < std::min(values.size(), trajectory.variables().size()); ++i) {
    json.key(trajectory.variables()[i].name);
    if (!present.empty() && present[i] == 0) {
      json.null();
    } else {
      json.value(values[i]);
    }
  }
  json.close_object();
}

void put_impulses(const std::vector<ImpulseRecord>& impulses, JsonWriter& json) {
  json.key("impulses");
  json.open_array();
  for (const ImpulseRecord& impulse : impulses) {
    json.open_object();
    json.member("variable", impulse.variable);
    json.member("unit", impulse.unit);
    json.member("order", static_cast<double>(impulse.order));
    json.member("strength", impulse.strength);
    json.close_object();
  }
  json.close_array();
}

void put_transition(const EventInstant& instant, JsonWriter& json) {
  put_impulses(instant.impulses, json);
  json.key("candidates");
  json.open_array();
  for (const CandidateRecord& candidate : instant.candidates) {
    json.open_object();
    json.member("mode", candidate.mode);
    json.member("transition", candidate.transition);
    json.member("micro_step", widened(candidate.micro_step));
    json.member("taken", candidate.taken);
    json.member("passed", candidate.passed);
    json.member("verdict", candidate.verdict);
    put_impulses(candidate.impulses, json);
    json.close_object();
  }
  json.close_array();
  json.key("conserved");
  json.open_array();
  for (const ConservedRecord& quantity : instant.conserved) {
    json.open_object();
    json.member("name", quantity.name);
    json.member("unit", quantity.unit);
    json.member("before", quantity.before);
    json.member("after", quantity.after);
    json.member("kept", quantity.kept);
    json.close_object();
  }
  json.close_array();
}

void put_names(std::string_view key, const std::vector<std::string>& names, JsonWriter& json) {
  json.key(key);
  json.open_array();
  for (const std::string& name : names) json.value(std::string_view(name));
  json.close_array();
}

void put_surfaces(const EventInstant& instant, JsonWriter& json) {
  put_names("sliding_before", instant.sliding_before, json);
  put_names("sliding_after", instant.sliding_after, json);
  json.key("surface_candidates");
  json.open_array();
  for (const SurfaceCandidateRecord& candidate : instant.surface_candidates) {
    json.open_object();
    json.member("text", candidate.text);
    json.member("taken", candidate.taken);
    json.member("consistent", candidate.consistent);
    json.member("verdict", candidate.verdict);
    json.key("motions");
    json.open_array();
    for (const SurfaceMotion& motion : candidate.motions) {
      json.open_object();
      json.member("relation", motion.relation);
      json.key("truth");
      if (motion.truth) {
        json.value(*motion.truth);
      } else {
        json.null();
      }
      json.member("rate", motion.rate);
      json.member("multiplier", motion.multiplier);
      json.close_object();
    }
    json.close_array();
    json.close_object();
  }
  json.close_array();
}

void put_changes(const EventInstant& instant, JsonWriter& json) {
  json.key("locks");
  json.open_array();
  for (const LockChange& lock : instant.locks) {
    json.open_object();
    json.member("relation", lock.relation);
    json.member("before", lock.before);
    json.member("after", lock.after);
    json.close_object();
  }
  json.close_array();
  json.key("jumps");
  json.open_array();
  for (const Jump& jump : instant.jumps) {
    json.open_object();
    json.member("variable", jump.variable);
    json.member("unit", jump.unit);
    json.member("discrete", jump.discrete);
    json.member("before", jump.before);
    json.member("after", jump.after);
    json.member("cause", name(jump.cause));
    json.member("by", jump.by);
    json.member("micro_step", widened(jump.micro_step));
    json.member("in_tolerances", jump.in_tolerances);
    json.close_object();
  }
  json.close_array();
}

void put_instant(const EventInstant& instant, const Trajectory& trajectory, JsonWriter& json) {
  json.open_object();
  json.member("t", instant.t);
  json.member("mode_before", instant.mode_before);
  json.member("mode_after", instant.mode_after);
  json.member("first_event", widened(instant.first_event));
  json.member("n_events", widened(instant.n_events));
  json.member("n_micro_steps", widened(instant.n_micro_steps));
  json.member("n_iterations", widened(instant.n_iterations));
  json.member("restarted", instant.restarted);
  json.member("near_side", instant.near_side);
  put_changes(instant, json);
  put_transition(instant, json);
  put_surfaces(instant, json);
  put_limits("x_minus", instant.x_minus, instant.minus_present, trajectory, json);
  put_limits("x_plus", instant.x_plus, instant.plus_present, trajectory, json);
  json.close_object();
}

}  // namespace

void put_event_report(const RunReport& report, JsonWriter& json) {
  const EventWork& work = report.events;
  put_switches(report, json);
  put_marginal(report, json);
  json.key("event_names");
  json.open_array();
  for (const std::string& known : report.event_names) json.value(std::string_view(known));
  json.close_array();
  json.key("events");
  json.open_object();
  json.member("off", work.off);
  json.key("of_kind");
  json.open_object();
  for (std::size_t k = 0; k < n_event_kinds; ++k)
    json.member(name(static_cast<EventKind>(k)), work.counts.of_kind[k]);
  json.close_object();
  json.member("n_instants", work.counts.n_instants);
  json.member("n_interruptions", work.counts.n_interruptions);
  json.member("n_restarts", work.counts.n_restarts);
  json.member("n_micro_steps", work.counts.n_micro_steps);
  json.member("n_iterations", work.counts.n_iterations);
  json.member("n_heuristic", work.counts.n_heuristic);
  json.member("n_marginal", work.counts.n_marginal);
  json.member("n_simultaneous", work.counts.n_simultaneous);
  json.member("n_rejected", work.counts.n_rejected);
  json.member("n_passed", work.counts.n_passed);
  json.member("n_impulses", work.counts.n_impulses);
  json.member("n_not_conserved", work.counts.n_not_conserved);
  json.member("n_located", work.n_located);
  json.member("n_evaluations_locate", work.n_evaluations_locate);
  json.member("n_evaluations_iterate", work.n_evaluations_iterate);
  json.member("n_evaluations_analyse", work.n_evaluations_analyse);
  json.member("n_continued", work.n_continued);
  json.member("n_evaluations_one_sided", work.n_evaluations_one_sided);
  json.member("n_one_sided_steps", work.n_one_sided_steps);
  json.member("all_transitions_smooth", report.all_transitions_smooth());
  json.member("smoothness", smoothness_sentence(report));
  json.close_object();
}

void put_event_log(const EventLog* log, const Trajectory& trajectory, JsonWriter& json) {
  if (log == nullptr) {
    for (const char* key : {"events", "instants", "n_events_not_kept"}) {
      json.key(key);
      json.null();
    }
    return;
  }
  json.key("events");
  json.open_array();
  for (const Event& event : log->events()) put_event(event, json);
  json.close_array();
  json.key("instants");
  json.open_array();
  for (const EventInstant& instant : log->instants()) put_instant(instant, trajectory, json);
  json.close_array();
  json.member("n_events_not_kept", log->n_not_kept());
}

}  // namespace saltus::detail
