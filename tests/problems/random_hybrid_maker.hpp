// Random hybrid DAEs, by number.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <random>
#include <utility>
#include <vector>

#include "problems/random_hybrid.hpp"

namespace saltus::problems {

/// Numbers with few decimals: a model that is printed is the model that was run.
class RandomNumbers {
 public:
  explicit RandomNumbers(std::uint64_t seed) : random_(seed) {}
  std::uint32_t below(std::size_t n) { return static_cast<std::uint32_t>(random_() % n); }
  bool one_in(std::uint32_t n) { return below(n) == 0; }
  double between(double low, double high) {
    constexpr double steps = 1000;
    const double part = static_cast<double>(random_() >> 11) * 0x1p-53;
    return std::round(steps * (low + part * (high - low))) / steps;
  }

 private:
  std::mt19937_64 random_;
};

class RandomHybridMaker {
 public:
  explicit RandomHybridMaker(std::uint64_t seed) : random_(seed) { made_.seed = seed; }

  RandomHybrid make() {
    // Half of them end where clocks tick and times are round.
    made_.t_end = random_.one_in(2) ? 5.0 : 5.037;
    const std::uint32_t n = 1 + random_.below(3);
    for (std::uint32_t i = 0; i < n; ++i) add_state(n);
    for (std::uint32_t k = random_.below(3); k > 0; --k)
      made_.implicit.push_back({random_.between(0.1, 0.8), wave(0.5), some_couplings()});
    if (random_.one_in(4)) add_constrained();
    for (std::uint32_t k = random_.below(3); k > 0; --k) add_relay();
    for (std::uint32_t k = random_.below(3); k > 0; --k) add_branch();
    for (std::uint32_t k = random_.below(3); k > 0; --k) add_clause();
    for (std::uint32_t k = random_.below(3); k > 0; --k) add_sampler();
    if (random_.one_in(4)) add_pair();
    join_conditions();
    add_more_that_switches();
    if (random_.one_in(4)) add_block();
    if (made_.constrained.empty() && random_.one_in(6)) add_balls();
    return made_;
  }

 private:
  RandomHybrid::Wave wave(double largest) {
    const double size = random_.between(0.1, largest), rate = random_.between(0.5, 4.0);
    return {size, rate, random_.between(0.0, 3.0)};
  }
  RandomHybrid::Coupling coupling() {
    const std::uint32_t state = any_state();
    return {state, random_.between(-1.0, 1.0)};
  }
  std::vector<RandomHybrid::Coupling> some_couplings() {
    std::vector<RandomHybrid::Coupling> of;
    for (std::uint32_t k = 1 + random_.below(2); k > 0; --k) of.push_back(coupling());
    return of;
  }
  std::uint32_t any_state() { return random_.below(made_.states.size()); }
  RandomHybrid::Place place() {
    using Read = RandomHybrid::Read;
    const std::uint32_t kind = random_.below(4);
    if (kind == 1 && !made_.implicit.empty())
      return {Read::implicit, random_.below(made_.implicit.size())};
    if (kind == 2 && !made_.constrained.empty())
      return {Read::force, random_.below(made_.constrained.size())};
    return {Read::state, any_state()};
  }
  void add_state(std::uint32_t n) {
    RandomHybrid::State x{random_.between(-1.0, 1.0), random_.between(0.1, 3.0), wave(1.5)};
    if (n > 1) {
      const std::uint32_t other = random_.below(n);
      x.of.push_back({other, random_.between(-1.0, 1.0)});
    }
    made_.states.push_back(std::move(x));
  }
  void add_constrained() {
    const std::uint32_t index = 2 + random_.below(2);
    const RandomHybrid::Wave path = wave(0.8);
    const RandomHybrid::Coupling pushed_by = coupling();
    made_.constrained.push_back({index, path, pushed_by, {any_state(), 0.2}});
  }
  void add_relay() {
    const RandomHybrid::Place at = place();
    const double level = random_.between(-0.4, 0.4);
    RandomHybrid::Wave moves = wave(0.4);
    if (random_.one_in(2)) moves = {};
    const double strength = random_.between(0.3, 2.0);
    // A relay drives what it reads, mostly: then it attracts.
    const bool own = at.what == RandomHybrid::Read::state && !random_.one_in(4);
    made_.relays.push_back({at, level, moves, strength, own ? at.number : any_state()});
  }
  void add_branch() {
    const RandomHybrid::Place at = place();
    const double level = random_.between(-0.6, 0.6), above = random_.between(-1.0, 1.0);
    const double below = random_.between(-1.0, 1.0);
    made_.branches.push_back({{{at, true, level}}, above, below, any_state()});
  }
  void add_clause() {
    using Read = RandomHybrid::Read;
    RandomHybrid::Place at = place();
    const bool rising = random_.one_in(2);
    double level = random_.between(-0.6, 0.6);
    if (random_.one_in(5)) {
      at = {Read::time, 0};
      level = 0.5 * (1 + random_.below(10));  // the end among them
    } else if (at.what == Read::state && random_.one_in(6)) {
      level = made_.states[at.number].start;  // on the threshold from the beginning
    }
    const auto does = static_cast<RandomHybrid::Does>(random_.below(4));
    const std::uint32_t target = any_state();
    const double value = random_.between(-0.8, 0.8);
    const RandomHybrid::Test first{at, at.what == Read::time || rising, level};
    made_.clauses.push_back({{first}, does, target, value});
  }
  void add_sampler() {
    constexpr double intervals[] = {0.01, 0.07, 0.1, 0.25, 0.3, 0.5, 1.0};
    const double interval = intervals[random_.below(std::size(intervals))];
    const std::uint32_t reads = any_state(), drives = any_state();
    made_.samplers.push_back({interval, interval, reads, drives, random_.between(-0.8, 0.8), -1});
  }
  void add_pair() {
    const RandomHybrid::Place at = place();
    const double middle = random_.between(-0.3, 0.3), width = random_.between(0.05, 0.4);
    const double low = std::round(1000 * (middle - width)) / 1000;
    const double high = std::round(1000 * (middle + width)) / 1000;
    const double one = random_.between(0.1, 1.5), other = random_.between(-1.5, -0.1);
    made_.pairs.push_back({at, low, high, one, other, any_state(), false});
  }

  /// A second relation for some conditions; some branches are chosen by time, some switch late.
  void join_conditions() {
    for (RandomHybrid::Branch& b : made_.branches) {
      if (random_.one_in(6)) b.when.first = {{RandomHybrid::Read::time, 0}, true, round_time()};
      if (random_.one_in(4)) {
        join(b.when, 0);
      } else if (b.when.first.at.what != RandomHybrid::Read::time && random_.one_in(5)) {
        b.hysteresis = random_.between(0.05, 0.2);
      }
    }
    for (std::uint32_t k = 0; k < made_.clauses.size(); ++k)
      if (random_.one_in(4)) join(made_.clauses[k].when, k);
  }
  double round_time() { return 0.5 * (1 + random_.below(10)); }
  void join(RandomHybrid::Condition& condition, std::uint32_t earlier_clauses) {
    using Read = RandomHybrid::Read;
    condition.joined = static_cast<RandomHybrid::Joined>(1 + random_.below(3));
    condition.second = {place(), random_.one_in(2), random_.between(-0.6, 0.6)};
    const std::uint32_t other = random_.below(6);
    if (other == 0) condition.second = {{Read::time, 0}, random_.one_in(2), round_time()};
    if (other == 1 && earlier_clauses > 0)
      condition.second = {{Read::count, random_.below(earlier_clauses)}, true, 0.5};
  }
  void add_more_that_switches() {
    if (random_.one_in(4)) add_kink();
    if (random_.one_in(4)) add_switch();
    if (!made_.clauses.empty() && random_.one_in(3)) add_following_clause();
    for (std::uint32_t k = 1; k < made_.samplers.size(); ++k)
      if (random_.one_in(2)) made_.samplers[k].follows = static_cast<std::int32_t>(k - 1);
    if (!made_.pairs.empty() && random_.one_in(3)) make_a_stop(made_.pairs.front());
  }
  void add_kink() {
    const auto bend = static_cast<RandomHybrid::Bend>(random_.below(3));
    const double level = random_.between(-0.5, 0.5), gain = random_.between(-0.8, 0.8);
    const RandomHybrid::Place at = place();
    made_.kinks.push_back({at, bend, level, gain, any_state()});
  }
  void add_switch() {
    const RandomHybrid::Place at = place();
    const double middle = random_.between(-0.3, 0.3), width = random_.between(0.05, 0.3);
    const double low = std::round(1000 * (middle - width)) / 1000;
    const double high = std::round(1000 * (middle + width)) / 1000;
    const double gain = random_.between(0.2, 1.5);
    const bool own = at.what == RandomHybrid::Read::state;
    made_.switches.push_back({at, low, high, gain, own ? at.number : any_state()});
  }
  /// Behind another clause, at the same instant: it may write what is there already.
  void add_following_clause() {
    using Does = RandomHybrid::Does;
    const RandomHybrid::Place after{RandomHybrid::Read::count, random_.below(made_.clauses.size())};
    const double level = 0.5 + random_.below(2), value = random_.one_in(2) ? 1.0 : 0.5;
    const bool changes = random_.one_in(3);
    const std::uint32_t target = any_state();
    made_.clauses.push_back(
        {{{after, true, level}}, changes ? Does::kicks : Does::only_sets, target, value});
  }
  /// What is held is not set by clauses, and begins before its stop.
  void make_a_stop(RandomHybrid::Pair& pair) {
    using Does = RandomHybrid::Does;
    pair.stops = true;
    pair.low = random_.one_in(4) ? 0.0 : 0.05;
    pair.at = {RandomHybrid::Read::state, pair.drives};
    pair.high = std::max(pair.high, made_.states[pair.drives].start + 0.05);
    for (RandomHybrid::Clause& c : made_.clauses)
      if (c.target == pair.drives && (c.does == Does::resets || c.does == Does::kicks))
        c.does = Does::counts;
  }

  void add_block() {
    RandomHybrid::Block block;
    block.start = random_.between(-1.0, 1.0);
    block.mu = random_.between(0.2, 1.0);
    const bool more_at_rest = random_.one_in(2);
    block.mu_static = more_at_rest ? block.mu + random_.between(0.05, 0.3) : block.mu;
    block.surface = wave(0.8);
    if (random_.one_in(3)) block.surface = {};
    block.drive = wave(1.5);
    block.pushed_by = coupling();
    block.pushes = {any_state(), random_.between(-0.5, 0.5)};
    made_.blocks.push_back(block);
  }
  /// Contacts stand beside everything but modes and constraints.
  void add_balls() {
    made_.pairs.clear();
    for (std::uint32_t k = 1 + random_.below(2); k > 0; --k) add_ball();
    const RandomHybrid::Place height{RandomHybrid::Read::height, 0};
    for (RandomHybrid::Clause& c : made_.clauses)
      if (c.when.first.at.what == RandomHybrid::Read::state && random_.one_in(3))
        c.when.first = {height, random_.one_in(2), random_.between(0.3, 0.8)};
  }
  void add_ball() {
    RandomHybrid::Ball ball;
    ball.start = random_.between(0.5, 1.5);
    if (random_.one_in(2)) ball.restitution = random_.between(0.2, 0.8);
    ball.floor = wave(0.3);
    if (random_.one_in(2)) ball.floor = {};
    if (random_.one_in(2)) {
      ball.mu = random_.between(0.1, 0.5);
      ball.mu_static = ball.mu + (random_.one_in(2) ? 0.1 : 0.0);
      ball.surface = wave(1.0);
      ball.drive = wave(3.0);
    }
    ball.pushed_by = coupling();
    ball.pushes = {any_state(), random_.between(-0.5, 0.5)};
    ball.carries = random_.one_in(4);
    made_.balls.push_back(ball);
  }

  RandomNumbers random_;
  RandomHybrid made_;
};

inline RandomHybrid random_hybrid(std::uint64_t seed) { return RandomHybridMaker(seed).make(); }

}  // namespace saltus::problems
