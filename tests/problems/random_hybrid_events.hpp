// Which events of two runs of a random hybrid DAE are compared, and when they are the same.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "problems/random_hybrid.hpp"

namespace saltus::problems {

struct HybridEvent {
  std::string name;
  double t = 0.0;
  bool may_lack = false;  // another run need not have it
};

inline bool is_of_contact(const std::string& name) {
  return name.starts_with("floor") || name.starts_with("between");
}

inline bool is_of_clock(const std::string& name) {
  return name.starts_with("sampler") || name.starts_with("clock");
}

/// How often a ball bounces before it rests is a matter of the tolerances, and so is between which ticks of clocks: these
/// are counted by the oracle.
inline void leave_out_bounces_before_rest(std::vector<HybridEvent>& events) {
  constexpr std::string_view rest = " comes to rest";
  for (std::size_t k = 0; k < events.size(); ++k) {
    if (!events[k].name.ends_with(rest)) continue;
    const std::string who = events[k].name.substr(0, events[k].name.size() - rest.size()) + " ";
    for (std::size_t i = k; i-- > 0;) {
      if (!events[i].name.starts_with(who)) continue;
      if (events[i].name != who + "touches") break;
      events.erase(events.begin() + static_cast<std::ptrdiff_t>(i));
      --k;
    }
  }
}

/// Two balls on each other hit each other and the floor ever more softly: the same holds for them.
inline void leave_out_stacks(const RandomHybrid& h, std::vector<HybridEvent>& events) {
  for (std::size_t k = 0; k < h.balls.size(); ++k) {
    if (!h.balls[k].carries) continue;
    const std::string floor = "floor" + std::to_string(k) + " ",
                      between = "between" + std::to_string(k) + " ";
    std::erase_if(events, [&](const HybridEvent& e) {
      return e.name.starts_with(floor) || e.name.starts_with(between);
    });
  }
}

/// Friction under the last bounces may stop a block before the ball on it rests, or not until a little later: that is left to
/// the tolerances as well. A ball rests when its hops are as high as some tolerances, of the coarsest run: else one run would
/// leave out what another keeps.
inline void mark_stops_at_rest(const RandomHybrid& h, std::vector<HybridEvent>& events) {
  constexpr double weight = 9.0, some = 10.0, tolerance = 1e-6;
  for (std::size_t k = 0; k < h.balls.size(); ++k) {
    const std::string number = std::to_string(k);
    const auto rest = std::find_if(events.begin(), events.end(), [&](const HybridEvent& e) {
      return e.name == "floor" + number + " comes to rest";
    });
    if (rest == events.end()) continue;
    const double last = std::sqrt(8 * some * tolerance / weight);
    const double until = rest->t + last / (1 - h.balls[k].restitution);
    const auto is_stop = [&](const HybridEvent& e) {
      return e.name == "rub" + number + " stops slipping" && e.t >= rest->t && e.t <= until;
    };
    for (auto e = rest; e != events.end(); ++e) e->may_lack = e->may_lack || is_stop(*e);
  }
}

/// The same events in the same order. Events in another order have changed places if each is where the other run has it,
/// to the error of a time that runs may have.
inline bool same_order(const std::vector<HybridEvent>& one, const std::vector<HybridEvent>& other,
                       double time_error) {
  if (one.size() != other.size()) return false;
  // Times of each event, where orders differ.
  std::map<std::string, std::pair<std::vector<double>, std::vector<double>>> moved;
  for (std::size_t i = 0; i < one.size(); ++i) {
    if (one[i].name == other[i].name) continue;
    moved[one[i].name].first.push_back(one[i].t);
    moved[other[i].name].second.push_back(other[i].t);
  }
  return std::ranges::all_of(moved, [&](const auto& entry) {
    const auto& [here, there] = entry.second;
    return std::ranges::equal(
        here, there, [&](double t, double other_t) { return std::abs(t - other_t) <= time_error; });
  });
}

/// The same as they are, or without those that one of both may lack: at the end, too, those whose time may be beyond it.
inline bool same_events(std::vector<HybridEvent> one, std::vector<HybridEvent> other,
                        double time_error, double t_end) {
  if (same_order(one, other, time_error)) return true;
  const auto may_lack = [&](const HybridEvent& e) {
    return e.may_lack || e.t >= t_end - time_error;
  };
  std::erase_if(one, may_lack);
  std::erase_if(other, may_lack);
  return same_order(one, other, time_error);
}

}  // namespace saltus::problems
