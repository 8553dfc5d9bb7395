// A small sphere rolls on a big one, but is started where it cannot be: 0.1 m above it, and spinning too fast
// (Compere's dissertation, section 3.6). Two ways out: a start that satisfies the constraints, with a report of
// what was changed; or relays that drive the sphere onto them and then hold it there.
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <numbers>

#include <saltus/saltus.hpp>

namespace {

using namespace saltus;

constexpr double big = 0.55, small = 0.05, mass = 1.0, inertia = 0.4 * mass * small * small;

enum class Way { constraints, relays };

void write_spheres(Model& m, Way way) {
  const double pi = std::numbers::pi, turn = 45.0 / 8 * pi / 180, faster = (big + small) / small;
  const auto coordinate = [&](const char* name, double start, double speed) {
    return m.state(name, start, {.derivative_start = speed});
  };
  Expr rho = coordinate("rho", 0.7, 0.0), alpha = coordinate("alpha", 0.0, -turn),
       beta = coordinate("beta", pi / 2, turn), phi = coordinate("phi", 0.0, 1.2 * faster * turn),
       theta = coordinate("theta", pi / 2, 1.5 * faster * turn),
       psi = coordinate("psi", pi / 2, 0.0);
  Expr rp = der(rho), ap = der(alpha), bp = der(beta), fp = der(phi), tp = der(theta),
       sp = der(psi);
  Expr ca = cos(alpha), sa = sin(alpha), ct = cos(theta), st = sin(theta);
  Expr cs = cos(psi), ss = sin(psi);

  // [constraints]
  Expr distance = rho - (big + small);
  Expr slip1 = (big + small) * ap - small * (fp * st * cs - tp * ss);
  Expr slip2 = (big + small) * bp - small * (fp * st * ss + tp * cs);
  std::array<Expr, 3> force;
  if (way == Way::constraints) {
    force = {m.algebraic("force1"), m.algebraic("force2"), m.algebraic("force3")};
    m.equation("distance", distance == 0.0);
    m.equation("rolling 1", slip1 == 0.0);
    m.equation("rolling 2", slip2 == 0.0);
  } else {
    // Forces of limited size against each error; a distance closes at 2/s once v_rho + 2 distance is zero.
    force = {-0.05 * sign(slip1), -0.05 * sign(slip2), -0.2 * sign(rp + 2.0 * distance)};
  }
  // [constraints]

  m.equation(mass * der(rp) - mass * rho * (ap * ap + bp * bp * ca * ca) == force[2]);
  m.equation(mass * rho * rho * der(ap) + mass * rho * (2.0 * rp * ap + rho * bp * bp * ca * sa) ==
             (big + small) * force[0]);
  m.equation(mass * rho * rho * ca * ca * der(bp) +
                 2.0 * mass * rho * (rp * bp * ca * ca - rho * bp * ap * ca * sa) ==
             (big + small) * force[1]);
  m.equation(inertia * (der(fp) + ct * der(sp) - tp * sp * st) ==
             -small * st * (cs * force[0] + ss * force[1]));
  m.equation(inertia * (der(tp) + fp * sp * st) == small * (ss * force[0] - cs * force[1]));
  m.equation(inertia * (ct * der(fp) + der(sp) - fp * tp * st) == 0.0);

  m.output("distance", distance, "m");
  m.output("slip1", slip1, "m/s");
  m.output("slip2", slip2, "m/s");
  m.output("energy",
           0.5 * mass * (rp * rp + rho * rho * (ap * ap + bp * bp * ca * ca)) +
               0.5 * inertia * (fp * fp + tp * tp + sp * sp + 2.0 * fp * sp * ct),
           "J");
}

Solution run(Way way) {
  Model m(way == Way::constraints ? "rolling spheres" : "spheres driven by relays");
  write_spheres(m, way);
  return simulate(m, {.t_end = 8.0, .rtol = 1e-9, .atol = 1e-9});
}

double largest_energy_change(const Solution& s, double from) {
  double least = s.at("energy", from), most = least;
  for (const double t : s.trajectory.times()) {
    if (t < from) continue;
    least = std::fmin(least, s.at("energy", t));
    most = std::fmax(most, s.at("energy", t));
  }
  return most - least;
}

}  // namespace

int main(int argc, char** argv) {
  const Solution corrected = run(Way::constraints), driven = run(Way::relays);
  for (const Solution* s : {&corrected, &driven}) {
    if (s->ok()) continue;
    std::printf("%s: %s\n", s->report.model.c_str(), s->report.message.c_str());
    return 1;
  }
  std::printf("Corrected before the run:\n");
  for (const DecisionRecord& d : corrected.report.choices) {
    if (d.name.find("start") != std::string::npos)
      std::printf("  %s: %s -> %s\n", d.name.c_str(), d.given.c_str(), d.used.c_str());
  }
  std::printf("Driven in by relays:\n");
  double reached = 0.0;
  for (const EventInstant& i : driven.instants()) {
    std::printf("  %8.5f s: on %zu of 3 surfaces\n", i.t, i.sliding_after.size());
    if (i.sliding_after.size() == 3) reached = i.t;
  }
  std::printf("\n    corrected                       driven\n");
  std::printf(
      "   t   energy    energy  distance   |slip1|   |slip2| energy from 4 to 12 mJ (| "
      "corrected)\n");
  for (double t = 0.0; t <= 8.0; t += 0.25) {
    std::printf("%5.2f %8.6f %9.6f %9.6f %9.6f %9.6f ", t, corrected.at("energy", t),
                driven.at("energy", t), driven.at("distance", t), std::fabs(driven.at("slip1", t)),
                std::fabs(driven.at("slip2", t)));
    std::string line(41, ' ');
    const auto mark = [&](const Solution& s, char c) {
      const double place = (s.at("energy", t) - 0.004) / 0.008 * 40.0;
      line[static_cast<std::size_t>(std::lround(std::fmax(0.0, std::fmin(40.0, place))))] = c;
    };
    mark(corrected, '|');
    mark(driven, '*');
    std::printf("%s\n", line.c_str());
  }
  // [judge]
  // Rolling needs no work. Driven, the distance still closes like exp(-2 t) once all surfaces are reached, and
  // energy tends to a constant with it.
  const double kept = largest_energy_change(corrected, 0.0);
  const double later = reached + 2.0;
  const double closing = driven.at("distance", reached) * std::exp(-2.0 * (later - reached));
  const double closes = std::abs(driven.at("distance", later) - closing);
  const double settled = largest_energy_change(driven, 7.0);
  // [judge]
  // Held by relays or by constraints, the motion is as smooth: about as many steps.
  const std::uint32_t n_driven = driven.trajectory.n_steps(),
                      n_corrected = corrected.trajectory.n_steps();
  const bool right =
      reached > 0.0 && kept < 1e-8 && closes < 1e-7 && settled < 1e-7 && n_driven < 2 * n_corrected;
  std::printf("\n");
  const Solution* written[] = {&driven, &corrected};
  for (int i = 1; i < argc && i <= 2; ++i) {
    std::ofstream file(argv[i]);
    if (!write_csv(written[i - 1]->trajectory, file)) return 1;
  }
  std::printf(
      "spheres: on all surfaces from %.4f s on, distance off by %.0e, energy moves by %.0e "
      "after 7 s (corrected: %.0e), %u steps (%u)\n",
      reached, closes, settled, kept, n_driven, n_corrected);
  return right ? 0 : 1;
}
