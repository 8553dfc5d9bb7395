// A two-link arm made to follow a path by relays: each motor pushes with all it has, against the error
// s = e' + 4 e of its joint. Once both errors are zero, the relays together give just the torques that the path
// needs (the equivalent control), and e decays like exp(-4 t). Nothing chatters.
#include <cmath>
#include <cstdio>
#include <fstream>

#include <saltus/saltus.hpp>

namespace {

using namespace saltus;

constexpr double rate = 4.0;  // 1/s, of the error on both surfaces

void write_arm(Model& m) {
  // [model]
  // Two rods of 1 kg and 1 m in a vertical plane, angles from the downward vertical, the second one relative.
  Expr q1 = m.state("q1", 1.0, {.unit = "rad"}), q2 = m.state("q2", -0.5, {.unit = "rad"});
  Expr w1 = m.state("w1", 0.0, {.unit = "rad/s"}), w2 = m.state("w2", 0.0, {.unit = "rad/s"});
  Expr t = m.time();
  Expr path1 = 0.8 * sin(t), path2 = 0.5 * cos(2.0 * t);
  Expr e1 = q1 - path1, e2 = q2 - path2;
  Expr s1 = (w1 - 0.8 * cos(t)) + rate * e1, s2 = (w2 + sin(2.0 * t)) + rate * e2;
  Expr torque1 = -30.0 * sign(s1), torque2 = -10.0 * sign(s2);

  Expr c2 = cos(q2), h = 0.5 * sin(q2);
  Expr m11 = 5.0 / 3.0 + c2, m12 = 1.0 / 3.0 + 0.5 * c2, m22 = 1.0 / 3.0;
  Expr weight2 = 0.5 * 9.81 * sin(q1 + q2), weight1 = 1.5 * 9.81 * sin(q1) + weight2;
  Expr push1 = torque1 + h * w2 * (2.0 * w1 + w2) - weight1,
       push2 = torque2 - h * w1 * w1 - weight2;
  Expr determinant = m11 * m22 - m12 * m12;
  m.equation(der(q1) == w1);
  m.equation(der(q2) == w2);
  m.equation(der(w1) == (m22 * push1 - m12 * push2) / determinant);
  m.equation(der(w2) == (m11 * push2 - m12 * push1) / determinant);
  // [model]
  m.output("e1", e1, "rad");
  m.output("e2", e2, "rad");
  m.output("s1", s1, "rad/s");
  m.output("s2", s2, "rad/s");
  m.output("torque1", torque1, "N m");
  m.output("torque2", torque2, "N m");
}

/// A column of a text plot: the place of a value between two limits.
void show(double value, double limit) {
  constexpr int half = 12;
  const double clamped = std::fmax(-1.0, std::fmin(1.0, value / limit));
  const int place = static_cast<int>(std::lround(half * (1.0 + clamped)));
  std::printf("|%*s%*s", place + 1, "*", 2 * half - place, "");
}

}  // namespace

int main(int argc, char** argv) {
  Model m("two-link arm");
  write_arm(m);
  // [run]
  const Solution s = simulate(m, {.t_end = 4.0,
                                  .rtol = 1e-8,
                                  .atol = 1e-8,
                                  .output = {.points = OutputPoints::grid, .interval = 0.0025}});
  // [run]
  if (!s.ok()) {
    std::printf("%s\n", s.report.message.c_str());
    return 1;
  }
  double both = 0.0;  // from here on it stays on both surfaces
  for (const EventInstant& i : s.instants()) {
    std::printf("%8.5f s: %s", i.t, i.sliding_after.empty() ? "on no surface" : "on");
    for (const std::string& relation : i.sliding_after) std::printf(" %s", relation.c_str());
    std::printf("\n");
    if (i.sliding_after.size() >= 2) both = i.t;
  }

  std::printf("\n  t      e1         e2       torque1 within 30         torque2 within 10\n");
  for (double t = 0.0; t <= 2.01; t += 0.1) {
    std::printf("%4.1f %9.6f %9.6f ", t, s.at("e1", t), s.at("e2", t));
    show(s.at("torque1", t), 30.0);
    show(s.at("torque2", t), 10.0);
    std::printf("|\n");
  }

  // [decay]
  // On both surfaces nothing is left of the arm's dynamics: e' = -4 e.
  const double later = both + 1.0, decay = std::exp(-rate * (later - both));
  const double error1 = std::abs(s.at("e1", later) - s.at("e1", both) * decay);
  const double error2 = std::abs(s.at("e2", later) - s.at("e2", both) * decay);
  // [decay]
  std::printf("\n");
  if (argc > 1) {
    std::ofstream file(argv[1]);
    if (!write_csv(s.trajectory, file)) return 1;
  }
  std::printf(
      "arm: on both surfaces from %.4f s on, errors off exp(-4 t) by %.0e, %u steps, %llu events\n",
      both, std::fmax(error1, error2), s.trajectory.n_steps(),
      static_cast<unsigned long long>(s.event_log.n_events()));
  return both > 0.0 && error1 < 1e-6 && error2 < 1e-6 && s.event_log.n_events() < 10 ? 0 : 1;
}
