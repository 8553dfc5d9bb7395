// A pyramid of bricks on feet, dropped: rows of n, n - 1, …, 1, each brick on two feet near its lower corners, with
// friction. A brick of a higher row stands on two of the row below. Ten bricks (n = 4) have 20 contacts.
// Or a stack: one brick per row, with both feet on the one below.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <saltus/saltus.hpp>

namespace saltus::problems {

struct BrickPile {
  int n_rows = 4;
  double width = 1.0, height = 0.4, foot = 0.45;  // feet to the side of the middle
  double pitch = 1.1;                             // between bricks of a row
  double drop = 0.05;                             // between rows, and to the ground
  double tilt = 0.02, push = 0.1;                 // angles, alternating; velocities by row
  double mu = 0.5, gravity = 9.81;
  std::optional<double> mu_static = std::nullopt;  // mu
  bool is_stack = false;
  double spin = 0.0;  // alternating as the tilt
};

class PileWriter {
 public:
  PileWriter(Model& m, const BrickPile& pile) : m_(m), pile_(pile) {
    for (int row = 0; row < pile.n_rows; ++row) {
      for (int k = 0; k < (pile.is_stack ? 1 : pile.n_rows - row); ++k) add_brick(row, k);
    }
    for (Brick& brick : bricks_) {
      const int next = pile.is_stack ? 0 : 1;
      stand(brick, -1, brick.row > 0 ? &at(brick.row - 1, brick.k) : nullptr);
      stand(brick, 1, brick.row > 0 ? &at(brick.row - 1, brick.k + next) : nullptr);
    }
    Expr energy = 0.0;
    const double inertia = (pile.width * pile.width + pile.height * pile.height) / 12;
    for (const Brick& b : bricks_) {
      m_.equation(der(b.x) == b.vx);
      m_.equation(der(b.y) == b.vy);
      m_.equation(der(b.angle) == b.spin);
      m_.equation(der(b.vx) == b.fx);
      m_.equation(der(b.vy) == b.fy - pile.gravity);
      m_.equation(inertia * der(b.spin) == b.moment);
      energy += 0.5 * (b.vx * b.vx + b.vy * b.vy + inertia * b.spin * b.spin) + pile.gravity * b.y;
    }
    m_.output("energy", energy);
  }

  std::vector<std::string> velocities, gaps;

 private:
  struct Brick {
    int row, k;
    std::string name;
    Expr x, y, angle, vx, vy, spin;
    Expr fx = 0.0, fy = 0.0, moment = 0.0;
  };
  struct Point {
    Expr x, y;
  };

  void add_brick(int row, int k) {
    const double sign = (row + k) % 2 == 0 ? -1.0 : 1.0;
    const std::string name = std::to_string(row + 1) + "." + std::to_string(k + 1);
    const auto state = [&](const char* what, double start) {
      return m_.state(what + (" " + name), start);
    };
    const double place = pile_.is_stack ? 0.0 : pile_.pitch * (k + 0.5 * row);
    bricks_.push_back({row, k, name, state("x", place),
                       state("y", pile_.height * (row + 0.5) + pile_.drop * (row + 1)),
                       state("angle", sign * pile_.tilt), state("vx", pile_.push * (row + 1)),
                       state("vy", 0.0), state("spin", sign * pile_.spin)});
    for (const char* what : {"vx ", "vy ", "spin "}) velocities.push_back(what + name);
  }
  Brick& at(int row, int k) {
    for (Brick& b : bricks_)
      if (b.row == row && b.k == k) return b;
    return bricks_.front();
  }
  static Point velocity(const Brick& b, const Point& p) {
    return {b.vx - b.spin * (p.y - b.y), b.vy + b.spin * (p.x - b.x)};
  }
  static void push(Brick& b, const Point& p, const Expr& fx, const Expr& fy) {
    b.fx += fx;
    b.fy += fy;
    b.moment += (p.x - b.x) * fy - (p.y - b.y) * fx;
  }
  /// A foot of a brick on another one, or on the ground.
  void stand(Brick& b, int side, Brick* below) {
    const double along = side * pile_.foot, up = -pile_.height / 2;
    const Point foot{b.x + along * cos(b.angle) - up * sin(b.angle),
                     b.y + along * sin(b.angle) + up * cos(b.angle)};
    const std::string name = "foot " + b.name + (side < 0 ? " left" : " right");
    const Expr angle = below != nullptr ? below->angle : Expr(0.0);
    const Point normal{-sin(angle), cos(angle)}, tangent{cos(angle), sin(angle)};
    Expr gap = foot.y;
    Point rate = velocity(b, foot);
    if (below != nullptr) {
      gap = (foot.x - below->x) * normal.x + (foot.y - below->y) * normal.y - pile_.height / 2;
      const Point other = velocity(*below, foot);
      rate = {rate.x - other.x, rate.y - other.y};
    }
    m_.output(name + " gap", gap);
    gaps.push_back(name + " gap");
    const Expr n = m_.unilateral(name, gap);
    const Expr f = m_.friction(name + " rubs", rate.x * tangent.x + rate.y * tangent.y, n,
                               {.mu_kinetic = pile_.mu, .mu_static = pile_.mu_static});
    const Expr fx = n * normal.x + f * tangent.x, fy = n * normal.y + f * tangent.y;
    push(b, foot, fx, fy);
    if (below != nullptr) push(*below, foot, -fx, -fy);
  }

  Model& m_;
  BrickPile pile_;
  std::vector<Brick> bricks_;
};

}  // namespace saltus::problems
