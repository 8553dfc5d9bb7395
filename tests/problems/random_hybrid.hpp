// Random hybrid DAEs: states, implicit algebraic unknowns, constrained motions of index 2 and 3, branches, relays that
// attract, memories, clauses that count, reset, set or follow from others, clocks, pairs of modes, friction and contacts. A
// model is plain data, so that it can be built, printed as a program, and made smaller piece by piece.
//
//   x_i' = -decay_i x_i + drive_i(t) + sum of terms,   z_k + cubic_k z_k^3 = sum of x + drive_k(t),
//   p' = force - p + x (index 2) or p'' = force - p' + x (index 3) with p = path(t): the force follows.
#pragma once

#include <cstdint>
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
  /// What a relation reads: x, z, force, time, n of a clause, the memory of a switch, the height of a ball.
  enum class Read : std::uint8_t { state, implicit, force, time, count, memory, height };
  struct Place {
    Read what = Read::state;
    std::uint32_t number = 0;
  };
  /// place > level, or place < level
  struct Test {
    Place at;
    bool above = true;
    double level = 0.0;
  };
  enum class Joined : std::uint8_t { alone, both, either, not_both };
  struct Condition {
    Test first;
    Joined joined = Joined::alone;
    Test second = {};
  };
  /// x[drives]' has -strength sign(place - level - wave(t)).
  struct Relay {
    Place at;
    double level = 0.0;
    Wave moves;
    double strength = 1.0;
    std::uint32_t drives = 0;
  };
  /// x[drives]' has where(condition, above, below). With a hysteresis a relation that stands alone switches late.
  struct Branch {
    Condition when;
    double above = 0.0, below = 0.0;
    std::uint32_t drives = 0;
    double hysteresis = 0.0;
  };
  /// x[drives]' has gain abs(place - level), max(place, level) or min(place, level).
  enum class Bend : std::uint8_t { absolute, maximum, minimum };
  struct Kink {
    Place at;
    Bend bend = Bend::absolute;
    double level = 0.0, gain = 1.0;
    std::uint32_t drives = 0;
  };
  /// only_sets: a gain, to what it may be already, and counts nothing.
  enum class Does : std::uint8_t { counts, resets, kicks, sets_gain, only_sets };
  /// When the condition becomes true: count; x[target] = value; x[target] = x[target]/2 + value (which
  /// stays bounded, however often); its gain = value.
  struct Clause {
    Condition when;
    Does does = Does::counts;
    std::uint32_t target = 0;
    double value = 0.0;
  };
  /// A memory of 1 or -1, set by clauses at place > high and place < low: x[drives]' has -gain times it.
  struct Switch {
    Place at;
    double low = -0.2, high = 0.2, gain = 1.0;
    std::uint32_t drives = 0;
  };
  /// Samples x[reads] for x[drives]', or what an earlier sampler held before. Times are decimals, so that clocks may meet.
  struct Sampler {
    double start = 0.1, interval = 0.1;
    std::uint32_t reads = 0, drives = 0;
    double gain = 0.0;
    std::int32_t follows = -1;
  };
  /// Two modes: x[drives]' has `one` until place > high, then `other` until place < low. If it stops, x[drives] is held
  /// at `high` from there on, until the push that holds it pulls by more than `low`: a mode of index 2.
  struct Pair {
    Place at;
    double low = -0.5, high = 0.5, one = 1.0, other = -1.0;
    std::uint32_t drives = 0;
    bool stops = false;
  };
  /// A block with friction on a surface that moves: s' = drive(t) + x - 0.2 s + friction under a weight of 1.
  struct Block {
    double start = 0.0, mu = 0.4, mu_static = 0.4;
    Wave surface, drive;
    Coupling pushed_by, pushes;
  };
  /// A ball above a floor that moves: y'' = -9 - 0.1 y' + x + contact. With friction also u' = drive(t) - 0.3 u +
  /// friction. Another ball may lie above it.
  struct Ball {
    double start = 1.0, restitution = 0.0, mu = 0.0, mu_static = 0.0;
    Wave floor, surface, drive;
    Coupling pushed_by, pushes;
    bool carries = false;
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
  std::vector<Kink> kinks;
  std::vector<Switch> switches;
  std::vector<Block> blocks;
  std::vector<Ball> balls;

  /// Engines that ask for x' = f(x) can run it.
  bool is_ode() const {
    return implicit.empty() && constrained.empty() && balls.empty() &&
           (pairs.empty() || !pairs.front().stops);
  }
};

}  // namespace saltus::problems
