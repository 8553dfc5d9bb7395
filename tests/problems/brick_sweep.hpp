// Bricks dropped in many ways, by number: a single brick on its edge, stacks, pyramids. Even numbers are there to
// learn from, odd ones to tell what was learnt.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "problems/brick_pile.hpp"

namespace saltus::problems {

struct SweptBricks {
  BrickPile pile;
  std::string family;
  double t_end = 5.0;
};

/// Of any eight numbers in a row four are single bricks, two are stacks of 2 to 5 and two pyramids of 3, 6 or 10.
inline SweptBricks swept_bricks(std::uint32_t number) {
  // The generator's numbers are the same everywhere, those of the library's distributions are not.
  std::mt19937 random(20261116U + number);
  const auto between = [&](double low, double high) {
    return low + (high - low) * (static_cast<double>(random()) / 4294967296.0);
  };
  const auto one_of = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  SweptBricks c;
  BrickPile& p = c.pile;
  p.mu = between(0.2, 0.8);
  if (one_of(2) == 1) p.mu_static = 1.25 * p.mu;
  switch (number / 2 % 4) {
    case 2:
      c.family = "stack";
      p.is_stack = true;
      p.n_rows = 2 + one_of(4);
      p.tilt = between(0.0, 0.05);
      p.push = between(0.0, 0.2);
      break;
    case 3:
      c.family = "pyramid";
      p.n_rows = 2 + one_of(3);
      p.tilt = between(0.0, 0.05);
      p.push = between(0.0, 0.2);
      break;
    default:
      // Flat to slender: the latter rock from foot to foot.
      c.family = "brick";
      p.is_stack = true;
      p.n_rows = 1;
      p.height = between(0.3, 1.2);
      p.tilt = between(-0.3, 0.3);
      p.spin = between(-1.5, 1.5);
      p.push = between(-1.0, 1.0);
      break;
  }
  // No foot begins below what it is to stand on.
  p.drop = between(0.02, 0.06) + 2 * p.foot * std::abs(p.tilt);
  return c;
}

struct BricksEnd {
  bool ok = false;
  bool at_rest = false;
  /// The largest at the end, the deepest gap and the largest gain of energy between looks at the solution.
  double velocity = 0.0, depth = 0.0, gain = 0.0;
  std::size_t n_events = 0;
  double t_reached = 0.0;
  std::string message;
};

inline BricksEnd drop_bricks(const SweptBricks& c, double tolerance,
                             EngineKind engine = EngineKind::radau) {
  Model m("bricks");
  const PileWriter pile(m, c.pile);
  RunOptions options;
  options.t_end = c.t_end;
  options.rtol = options.atol = tolerance;
  options.engine = engine;
  const Solution s = simulate(m, options);
  BricksEnd end;
  end.ok = s.ok();
  end.message = s.report.message;
  end.t_reached = s.report.t_reached;
  end.n_events = s.report.events.counts.n_instants;
  double before = s.at("energy", 0.0);
  constexpr int n_looks = 500;
  for (int i = 1; i <= n_looks; ++i) {
    const double t = end.t_reached * i / n_looks, now = s.at("energy", t);
    end.gain = std::max(end.gain, now - before);
    before = now;
    for (const std::string& gap : pile.gaps) end.depth = std::max(end.depth, -s.at(gap, t));
  }
  for (const std::string& v : pile.velocities)
    end.velocity = std::max(end.velocity, std::abs(s.final(v)));
  // What is left of velocities that are kept at zero is the error of the integration.
  end.at_rest = end.ok && end.velocity <= 10 * tolerance;
  return end;
}

}  // namespace saltus::problems
