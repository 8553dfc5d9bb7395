// The models of twins.py in C++, run on request: a line "NAME T_END TOLERANCE" on standard input is answered by the
// seconds of the processor that the run took, what the last row holds bit by bit, and a sum over all rows.
#include <bit>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <iostream>
#include <string>

#include <saltus/saltus.hpp>

namespace {

using namespace saltus;

void belt(Model& m) {
  Expr x = m.state("x", 0.0), v = m.state("v", 0.0);
  Expr slip = v - 0.2;
  m.equation(der(x) == v);
  m.equation(der(v) == -3.0 * x - sign(slip) / (1.0 + 3.0 * abs(slip)));
}

void relay(Model& m) {
  Expr y1 = m.state("y1", 0.0), y2 = m.state("y2", 0.2), y3 = m.state("y3", 0.06);
  Expr side = sign(y1);
  m.equation(der(y1) == -3.5 * y1 + y2 - side);
  m.equation(der(y2) == -627.5 * y1 + y3 + 2.0 * side);
  m.equation(der(y3) == -625.0 * y1 - side);
}

void pendulum(Model& m) {
  Expr x = m.state("x", 1.0), y = m.state("y", 0.0), u = m.state("u", 0.0), v = m.state("v", 0.0);
  Expr force = m.algebraic("force");
  m.equation(der(x) == u);
  m.equation(der(y) == v);
  m.equation(der(u) == -force * x);
  m.equation(der(v) == -force * y - 9.81);
  m.equation(x * x + y * y == 1.0);
}

void ball(Model& m) {
  Expr h = m.state("h", 10.0), v = m.state("v", 0.0);
  m.equation(der(h) == v);
  m.equation(der(v) == -9.81);
  m.when("bounce", h < 0.0, {{v, -1.0 * pre(v)}});
}

/// Of the bits of all times and values: equal only if all of them are.
std::uint64_t hash_of(const Trajectory& trajectory) {
  std::uint64_t hash = 1469598103934665603ULL;
  const auto add = [&](double value) {
    hash = (hash ^ std::bit_cast<std::uint64_t>(value)) * 1099511628211ULL;
  };
  for (std::uint32_t r = 0; r < trajectory.n_rows(); ++r) {
    add(trajectory.times()[r]);
    for (const double value : trajectory.row(r)) add(value);
  }
  return hash;
}

}  // namespace

int main() {
  std::string name;
  double t_end = 0.0, tolerance = 0.0;
  while (std::cin >> name >> t_end >> tolerance) {
    Model m(name);
    if (name == "belt") belt(m);
    if (name == "relay") relay(m);
    if (name == "pendulum") pendulum(m);
    if (name == "ball") ball(m);
    RunOptions options;
    options.t_end = t_end;
    options.rtol = options.atol = tolerance;
    const std::clock_t begin = std::clock();
    const Solution solution = simulate(m, options);
    const double took = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    std::printf("%.9f %llu %u\n", took,
                static_cast<unsigned long long>(hash_of(solution.trajectory)),
                solution.trajectory.n_rows());
    std::fflush(stdout);
  }
  return 0;
}
