// What a run of a random hybrid DAE must do on every engine, as seen in its rows and events: clauses follow their
// conditions, clocks tick as often as they should, and meet, balls stay above their floors. Engines that err alike are
// found by it.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <saltus/saltus.hpp>

#include "problems/random_hybrid.hpp"

namespace saltus::problems {

class RandomHybridOracle {
 public:
  RandomHybridOracle(const RandomHybrid& h, const Solution& s) : h_(h), s_(s) {}

  /// Of any run that was finished; empty: nothing.
  std::string sunk_ball() const {
    constexpr double much = 1e-3;
    for (std::size_t k = 0; k < h_.balls.size(); ++k) {
      const RandomHybrid::Wave& floor = h_.balls[k].floor;
      for (std::size_t row = 0; row < s_.trajectory.times().size(); ++row) {
        const double t = s_.trajectory.times()[row];
        const double gap = column("y" + std::to_string(k), row) -
                           floor.size * std::sin(floor.rate * t + floor.phase);
        if (gap < -much)
          return "at t = " + to_text(t) + " ball " + std::to_string(k) + " is below its floor";
      }
    }
    return {};
  }

  /// Of a run that says it is sure; empty: nothing.
  std::string complaint() const {
    for (std::size_t k = 0; k < h_.clauses.size(); ++k)
      if (std::string said = overlooked(k); !said.empty()) return said;
    return clocks();
  }

 private:
  /// How clearly a relation is true: above zero where it is.
  double margin(const RandomHybrid::Test& test, std::size_t row) const {
    const double value = read(test.at, row) - test.level;
    return test.above ? value : -value;
  }
  double margin(const RandomHybrid::Condition& c, std::size_t row) const {
    using Joined = RandomHybrid::Joined;
    const double first = margin(c.first, row);
    if (c.joined == Joined::alone) return first;
    const double second = margin(c.second, row);
    if (c.joined == Joined::either) return std::max(first, second);
    const double both = std::min(first, second);
    return c.joined == Joined::both ? both : -both;
  }
  /// Relations are strict: exactly on its threshold none is true.
  bool holds(const RandomHybrid::Condition& c, std::size_t row) const {
    using Joined = RandomHybrid::Joined;
    const bool first = margin(c.first, row) > 0;
    if (c.joined == Joined::alone) return first;
    const bool second = margin(c.second, row) > 0;
    if (c.joined == Joined::either) return first || second;
    return (first && second) == (c.joined == Joined::both);
  }
  double read(const RandomHybrid::Place& at, std::size_t row) const {
    constexpr const char* names[] = {"x", "z", "force", "", "n", "memory", "y"};
    if (at.what == RandomHybrid::Read::time) return s_.trajectory.times()[row];
    return column(names[static_cast<int>(at.what)] + std::to_string(at.number), row);
  }
  double column(const std::string& name, std::size_t row) const {
    auto found = columns_.find(name);
    if (found == columns_.end())
      found = columns_.emplace(name, s_.trajectory.masked_column(name).values).first;
    return found->second[row];
  }

  /// A condition that was false, or not true at the start, and is true now, both by much more than the tolerances,
  /// has become true in between. What is exactly on a threshold at the start is on its false side.
  std::string overlooked(std::size_t k) const {
    const RandomHybrid::Clause& c = h_.clauses[k];
    if (c.does == RandomHybrid::Does::only_sets) return {};
    constexpr double much = 1e-3;
    const std::string n = "n" + std::to_string(k);
    bool was_true = holds(c.when, 0);
    double n_then = 0.0;
    const auto& times = s_.trajectory.times();
    for (std::size_t row = 0; row < times.size(); ++row) {
      const double now = margin(c.when, row), n_now = column(n, row);
      if (now < -much) {
        was_true = false;
        n_then = n_now;
      }
      // What follows from a change of mode is carried out in the same instant, after a row of its own.
      const bool is_last = row + 1 == times.size() || times[row + 1] != times[row];
      if (now < much || was_true || !is_last) continue;
      if (n_now == n_then)
        return "at t = " + to_text(times[row]) + " clause" + std::to_string(k) +
               " has been overlooked";
      was_true = true;
    }
    return {};
  }

  /// Times of ticks are decimals of two digits: those of one decimal are one instant.
  std::string clocks() const {
    std::map<long, double> instants;
    for (std::size_t k = 0; k < h_.samplers.size(); ++k) {
      const std::string name = "sampler" + std::to_string(k);
      long ticks = 0;
      for (const Event& e : s_.events()) {
        if (e.kind != EventKind::action || e.name != name) continue;
        ++ticks;
        const double t = instants.emplace(std::lround(100 * e.t), e.t).first->second;
        if (t != e.t) return "clocks do not meet at t = " + to_text(e.t);
      }
      const long asked = std::lround(std::floor(h_.t_end / h_.samplers[k].interval + 1e-9));
      if (ticks != asked)
        return name + " has ticked " + std::to_string(ticks) + " times instead of " +
               std::to_string(asked);
    }
    return {};
  }

  const RandomHybrid& h_;
  const Solution& s_;
  mutable std::map<std::string, std::vector<double>> columns_;
};

}  // namespace saltus::problems
