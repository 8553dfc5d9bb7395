// A log written by hand: a block on a belt comes to rest relative to it, crosses another surface meanwhile,
// and is torn off. The function of "v1 > v2" is v1 - v2.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <saltus/trajectory.hpp>

#include "unit/trajectory/bounce_log.hpp"

namespace saltus::test {

inline SurfaceCandidateRecord way(std::string text, std::vector<SurfaceMotion> motions,
                                  std::string verdict = "") {
  SurfaceCandidateRecord made;
  made.text = std::move(text);
  made.motions = std::move(motions);
  made.taken = made.consistent = verdict.empty();
  made.verdict = std::move(verdict);
  return made;
}

/// Both sides lead to the surface.
inline BounceParts sticking_parts() {
  BounceParts parts;
  EventInstant& instant = parts.instant;
  instant.t = 1;
  instant.restarted = true;
  instant.sliding_after = {"v1 > v2"};
  instant.surface_candidates = {way("v1 > v2 true", {{"v1 > v2", true, -0.3, 1}},
                                    "v1 > v2 does not stay true: it moves at -0.3"),
                                way("v1 > v2 false", {{"v1 > v2", false, 0.5, -1}},
                                    "v1 > v2 does not stay false: it moves at 0.5"),
                                way("sliding on v1 > v2", {{"v1 > v2", std::nullopt, 0, 0.25}})};
  parts.events = {made_event("v1 > v2", EventKind::enter_sliding, 1, -1)};
  parts.events[0].time_width = 1e-15;
  return parts;
}

/// The side with "v1 > v2" no longer leads back.
inline BounceParts slipping_parts() {
  BounceParts parts;
  EventInstant& instant = parts.instant;
  instant.t = 2;
  instant.restarted = true;
  // While it slid, the lock stood on true: it did not turn.
  instant.locks = {{"v1 > v2", true, true}};
  instant.sliding_before = {"v1 > v2"};
  instant.surface_candidates = {way("v1 > v2 true", {{"v1 > v2", true, 3e-12, 1}}),
                                way("v1 > v2 false", {{"v1 > v2", false, 0.8, -1}},
                                    "v1 > v2 does not stay false: it moves at 0.8"),
                                way("sliding on v1 > v2", {{"v1 > v2", std::nullopt, 0, 1.0000001}},
                                    "its multiplier leaves [-1, 1]")};
  parts.events = {made_event("v1 > v2", EventKind::exit_sliding, 2, 1)};
  return parts;
}

/// A second surface is reached and kept while it slides on the first one: nine ways.
inline BounceParts corner_parts() {
  BounceParts parts;
  EventInstant& instant = parts.instant;
  instant.t = 3;
  instant.restarted = true;
  instant.sliding_before = {"a > 0"};
  instant.sliding_after = {"a > 0", "b > 0"};
  const auto motion = [](const char* relation, int state, double rate) {
    SurfaceMotion made;
    made.relation = relation;
    if (state != 0) made.truth = state > 0;
    made.rate = rate;
    made.multiplier = state;
    return made;
  };
  for (const int a : {1, -1, 0})
    for (const int b : {1, -1, 0})
      instant.surface_candidates.push_back(
          way("a " + std::to_string(a) + ", b " + std::to_string(b),
              // Rates depend on the other one's state: only those with a kept count.
              {motion("a > 0", a, a == 0 ? 0 : -2.0 * a), motion("b > 0", b,
                                                                 b == 0   ? 0
                                                                 : a == 0 ? -0.25 * b
                                                                          : 7.0)},
              a == 0 && b == 0 ? "" : "no"));
  parts.events = {made_event("b > 0", EventKind::enter_sliding, 3, 1)};
  return parts;
}

inline EventLog slide_log(bool keep = true) {
  EventLog log;
  for (const BounceParts& parts : {sticking_parts(), slipping_parts(), corner_parts()})
    log.add(parts.instant, parts.events, keep);
  return log;
}

}  // namespace saltus::test
