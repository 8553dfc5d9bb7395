// A log written by hand: a switch closes, and of the two modes the diode could be in, one is refused by its
// impulse; later a chain of transitions passes a mode without time.
#pragma once

#include <string>
#include <vector>

#include <saltus/trajectory.hpp>

#include "unit/trajectory/bounce_log.hpp"

namespace saltus::test {

/// The closing at t = 0.25, with everything that a transition can leave behind.
inline BounceParts closing_parts() {
  BounceParts parts;
  EventInstant& instant = parts.instant;
  instant.t = 0.25;
  instant.mode_before = "conducting, open";
  instant.mode_after = "blocking, closed";
  instant.n_micro_steps = 1;
  instant.restarted = true;
  instant.locks = {{"time >= 0.25", false, true}};
  Jump set{"v", -3, 1.5, JumpCause::map, "close"};
  set.unit = "m/s";
  Jump between{"w", 2, 4, JumpCause::equation, "close"};
  Jump flux{"phi", 1, 0.7547, JumpCause::impulse};
  flux.unit = "V s";
  Jump near{"q", 8, 9, JumpCause::least_squares};
  Jump voltage{"u", 0, 10, JumpCause::consistency};
  voltage.unit = "V";
  instant.jumps = {set, between, flux, near, voltage};
  instant.impulses = {{"uL", 0, -0.2453, "V"}};
  instant.candidates = {
      {"conducting, closed",
       "close",
       1,
       false,
       "it requires iD >= 0, but iD gets an impulse of -0.2453 A s",
       {{"iD", 0, -0.2453, "A"}},
       false,
       true},
      {"blocking, closed", "close", 1, true, "", {{"uL", 0, -0.2453, "V"}}},
  };
  instant.conserved = {{"charge", 1.5, 1.5, "A s", true}, {"momentum", 3, 2.5, "kg m/s", false}};
  instant.x_minus = {1, 2, 0, 5};
  instant.x_plus = {1, 0, 3, 5};
  instant.minus_present = {1, 1, 0, 1};
  instant.plus_present = {1, 0, 1, 1};
  parts.events = {made_event("time >= 0.25", EventKind::scheduled, 0.25, 1),
                  made_event("close", EventKind::structural, 0.25, 0, 1, "gate")};
  return parts;
}

/// From 'a' by 'first' to 'b', which 'second' leaves at once for 'c'.
inline BounceParts chain_parts() {
  BounceParts parts;
  EventInstant& instant = parts.instant;
  instant.t = 0.5;
  instant.mode_before = "a";
  instant.mode_after = "c";
  instant.n_micro_steps = 2;
  instant.restarted = true;
  instant.locks = {{"x < 0", false, true}};
  instant.candidates = {{"b", "first", 1, false, "'second' led on because 'y > 0' held", {}, true},
                        {"d", "second", 2, false, "it requires z <= 0", {{"z", 1, 2.5, "m/s"}}},
                        {"c", "second", 2, true}};
  parts.events = {made_event("x < 0", EventKind::state, 0.5, -1),
                  made_event("first", EventKind::structural, 0.5, 0, 1, "x < 0"),
                  made_event("second", EventKind::structural, 0.5, 0, 2, "y > 0")};
  return parts;
}

inline EventLog transition_log(bool keep = true) {
  EventLog log;
  log.set_variables({"i", "iD", "uD", "phi"});
  const BounceParts closing = closing_parts(), chain = chain_parts();
  log.add(closing.instant, closing.events, keep);
  log.add(chain.instant, chain.events, keep);
  return log;
}

}  // namespace saltus::test
