// Ten blocks above each other are dropped: each lands on those that already lie. With modes every set of closed
// contacts is one, 1024 in all.
#include "two_forms.hpp"

using namespace saltus;

namespace {

constexpr double apart_at_first = 0.3, gravity = 9.81;  // blocks are 1 high

double mass_of(int i) { return 1.0 + 0.3 * i; }

// [model]
void with_blocks(Model& m, int n) {
  std::vector<Expr> y, v, force;
  for (int i = 0; i < n; ++i) {
    const std::string block = std::to_string(i + 1);
    y.push_back(m.state("y" + block, 0.5 + i + apart_at_first * (i + 1)));
    v.push_back(m.state("v" + block, 0.0));
    const Expr gap = i > 0 ? y[i] - y[i - 1] - 1.0 : y[0] - 0.5;
    force.push_back(m.unilateral("under " + block, gap));
  }
  for (int i = 0; i < n; ++i) {
    const Expr load = i + 1 < n ? force[i + 1] : 0.0;
    m.equation(der(y[i]) == v[i]);
    m.equation(mass_of(i) * (der(v[i]) + gravity) == force[i] - load);
  }
}
// [model]

// [modes]
void by_hand(Model& m, int n) {
  std::vector<Expr> y, v, force, gap;
  for (int i = 0; i < n; ++i) {
    const std::string block = std::to_string(i + 1);
    y.push_back(m.state("y" + block, 0.5 + i + apart_at_first * (i + 1)));
    v.push_back(m.state("v" + block, 0.0));
    gap.push_back(i > 0 ? y[i] - y[i - 1] - 1.0 : y[0] - 0.5);
    force.push_back(m.algebraic("force" + block));
  }
  for (int i = 0; i < n; ++i) {
    const Expr load = i + 1 < n ? force[i + 1] : 0.0;
    m.equation(der(y[i]) == v[i]);
    m.equation(mass_of(i) * (der(v[i]) + gravity) == force[i] - load);
  }
  // Bit i of a set: contact i is closed.
  std::vector<ModeId> modes;
  for (unsigned set = 0; set < 1U << n; ++set) modes.push_back(m.mode(std::to_string(set)));
  for (unsigned set = 0; set < modes.size(); ++set) {
    for (int i = 0; i < n; ++i) {
      const unsigned other = set ^ 1U << i;
      const std::string name = std::to_string(set) + " to " + std::to_string(other);
      if ((set >> i & 1U) != 0) {
        m.equation(modes[set], gap[i] == 0.0);
        m.transition(name, modes[set], modes[other], force[i] < 0.0);
      } else {
        m.equation(modes[set], force[i] == 0.0);
        m.transition(name, modes[set], modes[other], gap[i] < 0.0);
      }
    }
  }
}
// [modes]

}  // namespace

int main(int argc, char** argv) {
  constexpr int n = 10;
  constexpr double t_end = 2.0;
  const Solution s = two_forms::run(
      "stack", [](Model& m) { with_blocks(m, n); }, t_end);
  if (!s.ok()) return 1;
  for (const Event& e : s.events())
    if (e.kind == EventKind::state) std::printf("%8.5f %s\n", e.t, e.name.c_str());
  const int n_hand = argc > 2 ? std::atoi(argv[2]) : n;
  const Solution hand = two_forms::run(
      "by hand", [=](Model& m) { by_hand(m, n_hand); }, t_end);
  std::vector<two_forms::Column> columns;
  for (int i = 1; i <= n_hand; ++i) {
    const std::string block = std::to_string(i);
    columns.push_back({"y" + block});
    columns.push_back({"v" + block});
    columns.push_back({"under " + block + ".force", "force" + block});
  }
  const bool same = two_forms::agree("stack", two_forms::apart(s, hand, columns, t_end));
  return two_forms::write_files(argc, argv, {&s}) && same ? 0 : 1;
}
