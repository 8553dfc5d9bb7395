// Item 5: error against work beside Siconos, on three problems with known solutions. Printed, not judged.
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include <saltus/saltus.hpp>

#include "contact/contact.hpp"
#include "contact/peer_table.hpp"
#include "contact/siconos_runs.hpp"
#include "problems/bouncing_ball.hpp"
#include "problems/disode_p3.hpp"
#include "problems/two_body_stick_slip.hpp"
#include "support/measure.hpp"

namespace saltus::bench {

namespace {

using namespace problems;

constexpr double our_tolerances[] = {1e-4, 1e-6, 1e-8, 1e-10};
constexpr double lsodar_tolerances[] = {1e-4, 1e-6, 1e-8, 1e-10, 0.0};  // the last: its usual one
constexpr double thetas[] = {0.5, 1.0};

// ---- how long and how well ---------------------------------------------------------------------------

using ErrorOfOurs = std::function<double(const Solution&)>;
using ErrorOfTheirs = std::function<double(const SiconosRun&)>;

/// From the definition of the model, its compilation included.
PeerRow run_ours(const std::shared_ptr<const ModelDefinition>& model, RunOptions options,
                 const ErrorOfOurs& error) {
  PeerRow row;
  const double begin = cpu_seconds();
  Run run = start_run(model, options);
  row.seconds_set_up = cpu_seconds() - begin;
  while (run.advance()) {
  }
  const Solution s = run.finish();
  row.seconds = cpu_seconds() - begin;
  // One side at a time: on a surface each evaluation counts twice.
  row.n_evaluations = s.report.events.n_evaluations_iterate;
  for (const ModeWork& w : s.report.work) row.n_evaluations += w.n_side_evaluations;
  row.n_steps = s.report.total_work().n_steps;
  row.n_decisions = s.report.events.counts.n_instants;
  if (s.ok()) row.error = error(s);
  if (!s.ok()) row.failure = s.report.message;
  return row;
}

PeerRow as_row(const SiconosRun& run, const ErrorOfTheirs& error) {
  PeerRow row{.failure = run.failure,
              .n_steps = run.n_steps,
              .n_evaluations = run.n_evaluations,
              .n_decisions = run.n_problems,
              .seconds = run.seconds,
              .seconds_set_up = run.seconds_set_up};
  if (run.failure.empty()) row.error = error(run);
  return row;
}

template <class Write>
void add_ours(Contest& c, const std::string& what, double t_end, std::vector<double> times,
              Write&& write, const ErrorOfOurs& error) {
  Model m(what);
  write(m);
  for (const double tolerance : our_tolerances) {
    RunOptions o;
    o.t_end = t_end;
    o.rtol = o.atol = tolerance;
    o.output.points = OutputPoints::times;
    o.output.times = times;
    o.output.dense = times.size() > 1;
    char text[80];
    std::snprintf(text, sizeof text, "%s, tolerance %.0e", what.c_str(), tolerance);
    c.contestants.push_back(
        {true, text, [model = m.build(), o, error] { return run_ours(model, o, error); }});
  }
}

void add_stepping(Contest& c, const char* method, const std::vector<long>& n_steps,
                  const std::function<SiconosRun(const SiconosScheme&)>& run,
                  const ErrorOfTheirs& error) {
  for (const double theta : thetas) {
    for (const long n : n_steps) {
      const SiconosScheme scheme{false, theta, n, 0.0};
      char text[80];
      std::snprintf(text, sizeof text, "%s, theta %g", method, theta);
      c.contestants.push_back(
          {false, text, [scheme, run, error] { return as_row(run(scheme), error); }});
    }
  }
}

// ---- problems ------------------------------------------------------------------------------------------

double ball_height(double t) {
  int n = 0;
  while (n < 1000 && BouncingBall::impact(n + 1) <= t && t < BouncingBall::accumulation) ++n;
  if (t >= BouncingBall::accumulation) return 0.0;
  if (n == 0) return BouncingBall::h - 0.5 * BouncingBall::g * t * t;
  const double since = t - BouncingBall::impact(n);
  const double v = std::sqrt(2 * BouncingBall::g * BouncingBall::h) * std::pow(BouncingBall::e, n);
  return v * since - 0.5 * BouncingBall::g * since * since;
}

void write_contact_ball(Model& m) {
  const Expr h = m.state("h", BouncingBall::h), v = m.state("v", 0.0);
  const Expr force = m.unilateral("floor", h, {.restitution = BouncingBall::e});
  m.equation(der(h) == v);
  m.equation(der(v) == force - BouncingBall::g);
}

void add_ball(Contest& c, double t_end, long n_outputs, const std::vector<long>& n_steps,
              const ErrorOfOurs& ours, const ErrorOfTheirs& theirs) {
  const PlainBall ball{BouncingBall::g, BouncingBall::e, BouncingBall::h, t_end};
  std::vector<double> times;
  for (long k = 1; k <= n_outputs; ++k)
    times.push_back(t_end * static_cast<double>(k) / static_cast<double>(n_outputs));
  add_ours(c, "unilateral()", t_end, times, &write_contact_ball, ours);
  add_stepping(
      c, "Moreau-Jean", n_steps,
      [=](const SiconosScheme& s) { return run_siconos(ball, s, n_outputs); }, theirs);
  for (const double tolerance : lsodar_tolerances) {
    const SiconosScheme scheme{true, 0.0, 0, tolerance};
    char text[80];
    std::snprintf(text, sizeof text, "event-driven, tolerance %.0e", tolerance);
    if (tolerance == 0.0) std::snprintf(text, sizeof text, "event-driven, as it comes");
    c.contestants.push_back(
        {false, text, [=] { return as_row(run_siconos(ball, scheme, n_outputs), theirs); }});
  }
}

Contest flying_ball() {
  Contest c{"bouncing ball, seven impacts: height and velocity at t = 10"};
  const auto exact = bouncing_ball().final_values;
  const auto larger = [exact](double h, double v) {
    return std::max(std::abs(h - exact[0].value), std::abs(v - exact[1].value));
  };
  add_ball(
      c, 10.0, 1, {100, 1000, 10000, 100000},
      [larger](const Solution& s) { return larger(s.final("h"), s.final("v")); },
      [larger](const SiconosRun& r) { return larger(r.outputs.back()[0], r.outputs.back()[1]); });
  return c;
}

Contest resting_ball() {
  Contest c{"bouncing ball into rest (at t = 12.85): height at t = 0.1, 0.2 ... 15, largest error"};
  constexpr long n = 150;
  const auto time = [](long k) { return 15.0 * static_cast<double>(k) / n; };
  add_ball(
      c, 15.0, n, {150, 1500, 15000, 150000},
      [time](const Solution& s) {
        double largest = 0.0;
        for (long k = 1; k <= n; ++k)
          largest = std::max(largest, std::abs(s.at("h", time(k)) - ball_height(time(k))));
        return largest;
      },
      [time](const SiconosRun& r) {
        if (r.outputs.size() != n) return std::nan("");
        double largest = 0.0;
        for (long k = 1; k <= n; ++k)
          largest = std::max(largest, std::abs(r.outputs[static_cast<std::size_t>(k - 1)][0] -
                                               ball_height(time(k))));
        return largest;
      });
  return c;
}

void add_ends(Contest& c, const SlidingProblem& p, const std::string& what,
              const std::function<void(Model&)>& write) {
  add_ours(c, what, p.t_end, {p.t_end}, write, [end = p.final_values](const Solution& s) {
    double largest = 0.0;
    for (const auto& [variable, value] : end)
      largest = std::max(largest, std::abs(s.final(variable) - value));
    return largest;
  });
}
/// `places`: of the values in what Siconos returns.
ErrorOfTheirs end_error_at(const SlidingProblem& p, const std::vector<std::size_t>& places) {
  return [end = p.final_values, places](const SiconosRun& r) {
    double largest = 0.0;
    for (std::size_t i = 0; i < places.size(); ++i)
      largest = std::max(largest, std::abs(r.outputs.back()[places[i]] - end[i].value));
    return largest;
  };
}

Contest relay() {
  const SlidingProblem p = disode_p3();
  Contest c{"relay feedback (DISODE45 problem 3), 55 events: three states at t = 4 pi"};
  add_ends(c, p, "sign()", p.write);
  constexpr double w = DisodeP3::omega, damping = 2 * DisodeP3::zeta * w;
  const PlainRelay plain{
      {{{-(damping + 1), 1.0, 0.0}, {-(damping + w * w), 0.0, 1.0}, {-(w * w), 0.0, 0.0}}},
      {1.0, -2.0, 1.0},
      {p.start.at("y1"), p.start.at("y2"), p.start.at("y3")},
      p.t_end};
  add_stepping(
      c, "Euler-Moreau", {1000, 10000, 100000},
      [plain](const SiconosScheme& s) { return run_siconos(plain, s); },
      end_error_at(p, {0, 1, 2}));
  return c;
}

/// With a height of the first body above the second, as Siconos has it.
void write_two_bodies_in_contact(Model& m) {
  const TwoBodyStates s = two_body_states(m);
  const Expr h = m.state("h", 0.0), u = m.state("u", 0.0);
  const Expr normal = m.unilateral("contact", h);
  const Expr force = m.friction("rubbing", s.v1 - s.v2, normal, {.mu_kinetic = TwoBodies::mu});
  write_two_body_motion(m, s, -force);
  m.equation(der(h) == u);
  m.equation(TwoBodies::m1 * der(u) == normal - TwoBodies::normal_force);
}

Contest two_bodies() {
  const SlidingProblem p = two_body_stick_slip();
  Contest c{"two bodies that stick and slip, 6 events: positions and velocities at t = 10"};
  add_ends(c, p, "sign()", p.write);
  add_ends(c, p, "unilateral() and friction()", &write_two_bodies_in_contact);
  using B = TwoBodies;
  const PlainBodies plain{B::m1,  B::m2, B::mu, B::normal_force, p.start.at("p1"), p.start.at("p2"),
                          p.t_end};
  add_stepping(
      c, "Moreau-Jean", {100, 1000, 10000, 100000},
      [plain](const SiconosScheme& s) { return run_siconos(plain, s); },
      end_error_at(p, {0, 1, 3, 4}));
  return c;
}

}  // namespace

bool show_beside_siconos(int number) {
  const std::string version = siconos_version();
  if (version.empty()) {
    std::printf("%d: Siconos is not installed (printed, not judged) ok\n", number);
    return true;
  }
  const std::string flying = show_contest(flying_ball()), resting = show_contest(resting_ball());
  const std::string with_relay = show_contest(relay()), sticking = show_contest(two_bodies());
  std::printf(
      "%d: smallest errors of ours and of Siconos %s: ball %s, into rest %s, relay %s, two bodies "
      "%s (printed, not judged) ok\n",
      number, version.c_str(), flying.c_str(), resting.c_str(), with_relay.c_str(),
      sticking.c_str());
  return true;
}

}  // namespace saltus::bench
