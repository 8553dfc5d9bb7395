// Random hybrid DAEs: states, implicit algebraic unknowns, constrained motions of index 2 and 3, branches, relays that
// attract, clauses that count, reset or set, clocks, and pairs of modes. A model is plain data, so that it can be built,
// printed as a program, and made smaller piece by piece.
//
//   x_i' = -decay_i x_i + drive_i(t) + sum of terms,   z_k + cubic_k z_k^3 = sum of x + drive_k(t),
//   p' = force - p + x (index 2) or p'' = force - p' + x (index 3) with p = path(t): the force follows.
#pragma once

#include <cmath>
#include <cstdint>
#include <iterator>
#include <random>
#include <utility>
#include <vector>

namespace saltus::problems {

struct RandomHybrid {
  /// size sin(rate t + phase)
  struct Wave {
    double size = 0.0, rate = 1.0, phase = 0.0;
  };
  /// by x[state]
  struct Coupling {
    std::uint32_t state = 0;
    double by = 0.0;
  };
  struct State {
    double start = 0.0, decay = 1.0;
    Wave drive;
    std::vector<Coupling> of = {};
  };
  struct Implicit {
    double cubic = 0.0;
    Wave drive;
    std::vector<Coupling> of = {};
  };
  struct Constrained {
    std::uint32_t index = 2;
    Wave path;
    Coupling pushed_by;  // x that pushes against the path
    Coupling pushes;     // what the force does to an x
  };
  /// What a relation reads.
  enum class Read : std::uint8_t { state, implicit, force, time };
  struct Place {
    Read what = Read::state;
    std::uint32_t number = 0;
  };
  /// x[drives]' has -strength sign(place - level - wave(t)).
  struct Relay {
    Place at;
    double level = 0.0;
    Wave moves;
    double strength = 1.0;
    std::uint32_t drives = 0;
  };
  /// x[drives]' has where(place > level, above, below).
  struct Branch {
    Place at;
    double level = 0.0, above = 0.0, below = 0.0;
    std::uint32_t drives = 0;
  };
  enum class Does : std::uint8_t { counts, resets, kicks, sets_gain };
  /// When place > level (or <): count; x[target] = value; x[target] += value; its gain = value.
  struct Clause {
    Place at;
    bool rising = true;
    double level = 0.0;
    Does does = Does::counts;
    std::uint32_t target = 0;
    double value = 0.0;
  };
  /// Samples x[reads] for x[drives]'. Times are decimals, so that clocks may meet.
  struct Sampler {
    double start = 0.1, interval = 0.1;
    std::uint32_t reads = 0, drives = 0;
    double gain = 0.0;
  };
  /// Two modes: x[drives]' has `one` until place > high, then `other` until place < low.
  struct Pair {
    Place at;
    double low = -0.5, high = 0.5, one = 1.0, other = -1.0;
    std::uint32_t drives = 0;
  };

  std::uint64_t seed = 0;
  double t_end = 5.0;
  std::vector<State> states;
  std::vector<Implicit> implicit;
  std::vector<Constrained> constrained;
  std::vector<Relay> relays;
  std::vector<Branch> branches;
  std::vector<Clause> clauses;
  std::vector<Sampler> samplers;
  std::vector<Pair> pairs;  // at most one

  bool is_ode() const { return implicit.empty() && constrained.empty(); }
};

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
    made_.branches.push_back({at, level, above, below, any_state()});
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
    made_.clauses.push_back({at, at.what == Read::time || rising, level, does, target, value});
  }
  void add_sampler() {
    constexpr double intervals[] = {0.01, 0.07, 0.1, 0.25, 0.3, 0.5, 1.0};
    const double interval = intervals[random_.below(std::size(intervals))];
    const std::uint32_t reads = any_state(), drives = any_state();
    made_.samplers.push_back({interval, interval, reads, drives, random_.between(-0.8, 0.8)});
  }
  void add_pair() {
    const RandomHybrid::Place at = place();
    const double middle = random_.between(-0.3, 0.3), width = random_.between(0.05, 0.4);
    const double low = std::round(1000 * (middle - width)) / 1000;
    const double high = std::round(1000 * (middle + width)) / 1000;
    const double one = random_.between(0.1, 1.5), other = random_.between(-1.5, -0.1);
    made_.pairs.push_back({at, low, high, one, other, any_state()});
  }

  RandomNumbers random_;
  RandomHybrid made_;
};

inline RandomHybrid random_hybrid(std::uint64_t seed) { return RandomHybridMaker(seed).make(); }

}  // namespace saltus::problems
