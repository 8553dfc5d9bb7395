// A pyramid of ten bricks on two feet each is dropped: 20 contacts with friction. With modes every foot has four states,
// so the pile has 4^20; by hand there is one brick alone.
#include "two_forms.hpp"

using namespace saltus;

namespace {

constexpr double width = 1.0, height = 0.4, foot = 0.45, pitch = 1.1, drop = 0.05, tilt = 0.05;
constexpr double inertia = (width * width + height * height) / 12, gravity = 9.81, mu = 0.5;

// [model]
struct Brick {
  Expr x, y, angle, vx, vy, spin, fx = 0.0, fy = 0.0, moment = 0.0;
};

// A foot of a brick, beside its middle, on top of what is below.
void stand(Model& m, const std::string& name, Brick& b, double side, Brick& below) {
  const Expr px = side * cos(b.angle) + height / 2 * sin(b.angle);  // from the middle of the brick
  const Expr py = side * sin(b.angle) - height / 2 * cos(b.angle);
  const Expr qx = b.x + px - below.x, qy = b.y + py - below.y;  // of what is below
  const Expr vx = b.vx - b.spin * py - below.vx + below.spin * qy;
  const Expr vy = b.vy + b.spin * px - below.vy - below.spin * qx;
  const Expr c = cos(below.angle), s = sin(below.angle);
  const Expr n = m.unilateral(name, c * qy - s * qx - height / 2);
  const Expr f = m.friction(name + " rubs", c * vx + s * vy, n, {.mu_kinetic = mu});
  const Expr fx = c * f - s * n, fy = s * f + c * n;
  b.fx += fx, b.fy += fy, b.moment += px * fy - py * fx;
  below.fx -= fx, below.fy -= fy, below.moment -= qx * fy - qy * fx;
}

void with_blocks(Model& m, int n_rows, double push) {
  std::vector<std::vector<Brick>> rows{{{0.0, -height / 2, 0.0, 0.0, 0.0, 0.0}}};  // the ground
  for (int row = 1; row <= n_rows; ++row) {
    rows.emplace_back();
    for (int k = 0; k <= n_rows - row; ++k) {
      const std::string name = std::to_string(row) + "." + std::to_string(k + 1);
      const double at = pitch * (k + 0.5 * row), up = height * (row - 0.5) + drop * row;
      Expr x = m.state("x " + name, at, {.derivative_start = push * row});
      Expr y = m.state("y " + name, up, {.derivative_start = 0.0});
      Expr angle =
          m.state("angle " + name, (row + k) % 2 == 0 ? tilt : -tilt, {.derivative_start = 0.0});
      rows[row].push_back({x, y, angle, der(x), der(y), der(angle)});
      stand(m, name + " left", rows[row][k], -foot, rows[row - 1][row > 1 ? k : 0]);
      stand(m, name + " right", rows[row][k], foot, rows[row - 1][row > 1 ? k + 1 : 0]);
    }
  }
  for (int row = 1; row <= n_rows; ++row) {
    for (const Brick& b : rows[row]) {
      m.equation(der(b.vx) == b.fx);
      m.equation(der(b.vy) == b.fy - gravity);
      m.equation(inertia * der(b.spin) == b.moment);
    }
  }
}
// [model]

// [modes]
// One brick on the ground. A foot is open, sticks, or slips forward or backward: 16 modes.
enum State { open, sticks, forward, backward };

void brick_by_hand(Model& m, double push) {
  Expr x = m.state("x", 0.5 * pitch, {.derivative_start = push});
  Expr y = m.state("y", height / 2 + drop, {.derivative_start = 0.0});
  Expr angle = m.state("angle", -tilt, {.derivative_start = 0.0});
  Expr fx = 0.0, fy = 0.0, moment = 0.0;
  std::vector<Expr> n, f, gap, slip;
  for (const double side : {-foot, foot}) {
    const Expr px = side * cos(angle) + height / 2 * sin(angle);
    const Expr py = side * sin(angle) - height / 2 * cos(angle);
    n.push_back(m.algebraic(side < 0 ? "left" : "right"));
    f.push_back(m.algebraic(side < 0 ? "left rubs" : "right rubs"));
    gap.push_back(y + py);
    slip.push_back(der(x) - der(angle) * py);
    fx += f.back(), fy += n.back(), moment += px * n.back() - py * f.back();
  }
  m.equation(der(der(x)) == fx);
  m.equation(der(der(y)) == fy - gravity);
  m.equation(inertia * der(der(angle)) == moment);

  std::vector<ModeId> modes;  // by the states of both feet
  for (int s = 0; s < 16; ++s) modes.push_back(m.mode(std::to_string(s)));
  for (int s = 0; s < 16; ++s) {
    for (const int k : {0, 1}) {
      const int mine = k == 0 ? s % 4 : s / 4, other = k == 0 ? s / 4 : s % 4;
      const ModeId mode = modes[s];
      // What one foot does may change what the other does, if it stands.
      const auto leave = [&](const std::string& how, const Cond& guard, std::vector<State> to) {
        std::vector<ModeId> candidates;
        for (const State a : to) {
          for (const State b : {sticks, forward, backward, open}) {
            if (other != open || b == open)
              candidates.push_back(modes[k == 0 ? a + 4 * b : b + 4 * a]);
          }
        }
        m.transition(std::to_string(s) + std::to_string(k) + how, mode, candidates, guard,
                     {.priority = k});
      };
      if (mine == open) {
        m.equation(mode, n[k] == 0.0);
        m.equation(mode, f[k] == 0.0);
        leave(" touches", gap[k] < 0.0, {sticks, forward, backward});
        continue;
      }
      m.equation(mode, gap[k] == 0.0);
      m.require(mode, n[k] >= 0.0);
      leave(" lifts", n[k] < 0.0, {open});
      if (mine == sticks) {
        // Two that stick share what holds them.
        m.equation(mode, k == 1 && other == sticks ? f[0] == f[1] : slip[k] == 0.0);
        m.require(mode, f[k] <= mu * n[k]);
        m.require(mode, f[k] >= -mu * n[k]);
        leave(" gives way forward", f[k] < -mu * n[k], {forward});
        leave(" gives way backward", f[k] > mu * n[k], {backward});
      } else {
        const double sign = mine == forward ? 1.0 : -1.0;
        m.equation(mode, f[k] == -sign * mu * n[k]);
        m.require(mode, sign * slip[k] >= 0.0);
        leave(" stops", sign * slip[k] < 0.0, {sticks, mine == forward ? backward : forward});
      }
    }
  }
}
// [modes]

}  // namespace

int main(int argc, char** argv) {
  constexpr double t_end = 0.6;
  const Solution pile = two_forms::run(
      "pile", [](Model& m) { with_blocks(m, 4, 0.1); }, t_end);
  if (!pile.ok()) return 1;
  std::printf("%zu events, the last at %.5f s\n", pile.events().size(), pile.events().back().t);

  const Solution one = two_forms::run(
      "one brick", [](Model& m) { with_blocks(m, 1, 1.0); }, t_end);
  const Solution hand = two_forms::run(
      "by hand", [](Model& m) { brick_by_hand(m, 1.0); }, t_end);
  for (const Event& e : one.events())
    if (e.kind == EventKind::state) std::printf("%8.5f %s\n", e.t, e.name.c_str());
  const std::vector<two_forms::Column> columns = {{"x 1.1", "x"},
                                                  {"y 1.1", "y"},
                                                  {"angle 1.1", "angle"},
                                                  {"1.1 left.force", "left"},
                                                  {"1.1 right.force", "right"},
                                                  {"1.1 left rubs.force", "left rubs"},
                                                  {"1.1 right rubs.force", "right rubs"}};
  const bool same = two_forms::agree("one brick", two_forms::apart(one, hand, columns, t_end));
  return two_forms::write_files(argc, argv, {&pile}) && same ? 0 : 1;
}
