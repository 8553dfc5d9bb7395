// A log written by hand: a ball with a counter bounces; a relation crosses without consequences; a
// range is left; a scheduled time ends the run.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <saltus/trajectory.hpp>

namespace saltus::test {

inline Event made_event(std::string name, EventKind kind, double t, int direction = 0,
                        std::uint32_t micro_step = 0, std::string cause = "") {
  Event event;
  event.name = std::move(name);
  event.kind = kind;
  event.t = t;
  event.direction = direction;
  event.micro_step = micro_step;
  event.cause = std::move(cause);
  return event;
}

struct BounceParts {
  EventInstant instant;
  std::vector<Event> events;
};

/// The impact at t = 0.5, with everything an instant can have.
inline BounceParts bounce_parts() {
  BounceParts parts;
  EventInstant& instant = parts.instant;
  instant.t = 0.5;
  instant.mode_before = instant.mode_after = "flight";
  instant.n_micro_steps = 2;
  instant.n_iterations = 3;
  instant.restarted = true;
  instant.near_side = true;
  instant.locks = {{"h <= 0", false, true}, {"v > 0", false, true}};
  Jump v{"v", -4.5, 3.6, JumpCause::action, "bounce"};
  v.unit = "m/s";
  v.micro_step = 1;
  Jump n{"n", 3, 4, JumpCause::action, "count"};
  n.discrete = true;
  n.micro_step = 2;
  Jump force{"F", 0, 2.25, JumpCause::consistency};
  force.unit = "N";
  force.in_tolerances = 12;
  Jump sound{"p", 1, 1.0000001, JumpCause::consistency};
  sound.unit = "Pa";
  sound.in_tolerances = 200;
  instant.jumps = {v, n, force, sound};
  instant.x_minus = {1e-12, -4.5};
  instant.x_plus = {1e-12, 3.6};
  parts.events = {made_event("h <= 0", EventKind::state, 0.5, -1),
                  made_event("bounce", EventKind::action, 0.5, 0, 1, "h <= 0"),
                  made_event("count", EventKind::action, 0.5, 0, 2, "v > 0 and armed")};
  parts.events[0].time_width = 1e-16;
  return parts;
}

inline EventLog bounce_log(bool keep = true) {
  EventLog log;
  const BounceParts bounce = bounce_parts();
  log.add(bounce.instant, bounce.events, keep);

  EventInstant flip;
  flip.t = 0.75;
  flip.mode_before = flip.mode_after = "flight";
  flip.locks = {{"x > 0", true, false}};
  Event crossing = made_event("x > 0", EventKind::lock, 0.75, -1);
  crossing.guarantee = Guarantee::heuristic;
  log.add(flip, {crossing}, keep);

  EventInstant warned;
  warned.t = 1;
  warned.mode_before = warned.mode_after = "flight";
  Event left = made_event("h <= 10", EventKind::limit, 1, -1);
  left.guarantee = Guarantee::marginal;
  left.note = "ranges are reported, not enforced";
  log.add(warned, {left}, keep);

  EventInstant last;
  last.t = 2;
  last.mode_before = last.mode_after = "flight";
  last.restarted = true;
  last.n_micro_steps = 1;
  last.locks = {{"time >= 2", false, true}};
  Event due = made_event("time >= 2", EventKind::scheduled, 2, 1);
  Event done = made_event("done", EventKind::action, 2, 0, 1, "time >= 2");
  done.terminal = true;
  done.note = "long enough";
  log.add(last, {due, done}, keep);
  return log;
}

}  // namespace saltus::test
