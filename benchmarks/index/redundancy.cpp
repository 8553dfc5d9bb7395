// Item 5: redundant and contradicting equations, singular points.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include <saltus/simulate.hpp>

#include "index/index.hpp"
#include "support/measure.hpp"

namespace saltus::bench {

namespace {

constexpr EngineKind redundancy_engines[] = {EngineKind::ida, EngineKind::radau};

struct RodPoint {
  double x = 1.0, y = 0.0, u = 0.0, v = 0.0;
};

/// `copies` of the rod, each with a multiplier of its own; the last one drifts.
void write_rods(Model& m, int copies, double drift_rate = 0.0, RodPoint start = {}) {
  Expr x = m.state("x", start.x), y = m.state("y", start.y);
  Expr u = m.state("u", start.u), v = m.state("v", start.v);
  Expr force(0.0);
  for (int k = 0; k < copies; ++k) force += m.algebraic("lambda " + std::to_string(k));
  m.equation("x", der(x) == u);
  m.equation("y", der(y) == v);
  m.equation("u", der(u) == -force * x);
  m.equation("v", der(v) == -force * y - 9.81);
  m.equation("rod", x * x + y * y == 1.0);
  m.output("du", der(u));
  m.output("dv", der(v));
  for (int k = 1; k < copies; ++k) {
    const double factor = 1.0 + k;
    m.equation(k == 1 ? "rod again" : "rod once more",
               factor * (x * x + y * y) == factor * (1.0 + drift_rate * m.time()));
  }
}

RunOptions with_tolerance(EngineKind engine, double tolerance, double t_end) {
  return {.t_end = t_end, .rtol = tolerance, .atol = tolerance, .engine = engine};
}

/// x and y at 400 times up to 10.
struct PendulumCourse {
  std::vector<double> x, y;
  bool ok = false;
};

PendulumCourse pendulum_course(int copies, EngineKind engine, double tolerance) {
  Model m("pendulum");
  write_rods(m, copies);
  RunOptions o = with_tolerance(engine, tolerance, 10.0);
  o.output.points = OutputPoints::grid;
  o.output.interval = 0.025;
  const Solution s = simulate(m, o);
  PendulumCourse course;
  course.ok = s.ok();
  for (std::uint32_t r = 0; r < s.trajectory.n_rows(); ++r) {
    course.x.push_back(s.trajectory.row(r)[s.trajectory.index_of("x")]);
    course.y.push_back(s.trajectory.row(r)[s.trajectory.index_of("y")]);
  }
  return course;
}

/// Anywhere: at one time alone, two runs may happen to be in step with the truth.
double largest_error(const PendulumCourse& course, const PendulumCourse& truth) {
  if (!course.ok || !truth.ok || course.x.size() != truth.x.size()) return 1e300;
  double error = 0.0;
  for (std::size_t k = 0; k < truth.x.size(); ++k) {
    error =
        std::max({error, std::abs(course.x[k] - truth.x[k]), std::abs(course.y[k] - truth.y[k])});
  }
  return error;
}

/// Errors of single runs scatter when steps change ever so little: the geometric mean over tolerances
/// within a factor of two.
double typical_error(int copies, EngineKind engine, double tolerance, const PendulumCourse& truth) {
  double logs = 0.0;
  for (const double part : {0.5, 0.7, 1.0, 1.4, 2.0}) {
    logs += std::log(largest_error(pendulum_course(copies, engine, part * tolerance), truth)) / 5;
  }
  return std::exp(logs);
}

void compare_errors(Item& item) {
  // tests/reference/pendulum_index3.json, t = 10, holds the run that serves as truth.
  constexpr double x_end = 0.2750874625761168600543914493, y_end = -0.9614192050991250642651350686;
  PendulumCourse truth = pendulum_course(1, EngineKind::dop853, 1e-13);
  const double its_error =
      truth.ok ? std::max(std::abs(truth.x.back() - x_end), std::abs(truth.y.back() - y_end)) : 1;
  item.at_most("course taken for true ends within", its_error, 1e-10);
  double worst = 0.0;
  for (const EngineKind engine : redundancy_engines) {
    for (const double tolerance : {1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10}) {
      double errors[3];
      for (const int copies : {1, 2, 3}) {
        errors[copies - 1] = typical_error(copies, engine, tolerance, truth);
      }
      worst = std::max({worst, errors[1] / errors[0], errors[2] / errors[0]});
      std::printf("   %-5s %5.0e: one rod %.2e, two %.2e, three %.2e\n",
                  std::string(name(engine)).c_str(), tolerance, errors[0], errors[1], errors[2]);
    }
  }
  item.at_most("error with duplicates / without", worst, 5.0);
}

void compare_accelerations(Item& item) {
  const RodPoint consistent{0.8, -0.6, 0.3, 0.4};
  double reference[2] = {0, 0}, worst = 0.0;
  for (const int copies : {1, 2, 3}) {
    Model m("pendulum");
    write_rods(m, copies, 0.0, consistent);
    const Solution s = simulate(m, with_tolerance(EngineKind::radau, 1e-6, 1.0));
    if (!s.ok()) worst = 1e300;
    // Delivered at the start itself, as the equations have it.
    const auto start = s.trajectory.row(0);
    for (int i = 0; i < 2; ++i) {
      const double acceleration = start[s.trajectory.index_of(i == 0 ? "du" : "dv")];
      if (copies == 1) reference[i] = acceleration;
      worst = std::max(worst, std::abs(acceleration - reference[i]));
    }
  }
  item.at_most("accelerations differ by", worst, 1e-10);
}

bool names_the_rods(const std::string& message) {
  return message.find("'rod'") != std::string::npos &&
         message.find("'rod again'") != std::string::npos &&
         message.find("contradict each other") != std::string::npos;
}

void catch_drift(Item& item) {
  constexpr double rate = 1e-6;
  bool caught = true, left_alone = true;
  for (const EngineKind engine : redundancy_engines) {
    Model drifting("drifting"), twin("twin");
    write_rods(drifting, 2, rate);
    write_rods(twin, 2);
    const Solution s = simulate(drifting, with_tolerance(engine, 1e-8, 10.0));
    caught = caught && !s.ok() && names_the_rods(s.report.message);
    std::printf("   %s, drift 1e-6 t at 1e-8: %s\n", std::string(name(engine)).c_str(),
                s.report.message.c_str());
    const Solution loose = simulate(drifting, with_tolerance(engine, 1e-4, 10.0));
    const Solution exact = simulate(twin, with_tolerance(engine, 1e-8, 10.0));
    left_alone = left_alone && loose.ok() && exact.ok();
    RunOptions squares = with_tolerance(engine, 1e-8, 10.0);
    squares.redundant = RedundantEquations::least_squares;
    const Solution on = simulate(drifting, squares);
    bool recorded = false;
    for (const DecisionRecord& d : on.report.choices) {
      recorded = recorded || d.name == "redundant equations";
    }
    caught = caught && on.ok() && recorded;
  }
  item.holds("drifting duplicate caught by name at 1e-8, goes on as least squares", caught);
  item.holds("let alone at 1e-4 and without drift", left_alone);
}

/// Relative to the length of the run; infinite if it was not found.
double location_error(const Model& m, const RunOptions& options, double truth,
                      const char* equation) {
  const Solution s = simulate(m, options);
  std::printf("   %s at %g: %s\n", std::string(name(options.engine)).c_str(), options.rtol,
              s.report.message.c_str());
  const bool reported = s.report.outcome == Outcome::failed &&
                        s.report.message.find("singular") != std::string::npos &&
                        s.report.message.find(equation) != std::string::npos;
  if (!reported || s.trajectory.t_end() != s.report.t_reached) return 1e300;
  // "at t = T the equations become singular", or "singular at about t = T" if steps ended before.
  const std::string about = "singular at about t = ";
  const std::size_t at = s.report.message.find(about);
  const double t = at == std::string::npos
                       ? std::stod(s.report.message.substr(std::string("at t = ").size()))
                       : std::stod(s.report.message.substr(at + about.size()));
  return std::abs(t - truth) / std::abs(options.t_end - options.t_begin);
}

void locate_zero_coefficient(Item& item) {
  double worst = 0.0;
  for (const EngineKind engine :
       {EngineKind::ida, EngineKind::radau, EngineKind::dopri5, EngineKind::dop853}) {
    Model m("line");
    Expr x = m.state("x", -1.0);
    m.equation("ratio", m.time() * der(x) == x);
    RunOptions o = with_tolerance(engine, 1e-6, 1.0);
    o.t_begin = -1.0;
    worst = std::max(worst, location_error(m, o, 0.0, "'ratio'"));
  }
  item.at_most("t x' = x located to", worst, 1e-6);
}

/// x = 2 + t / 2 pulls crank and rod, of lengths 1 and 2, straight at t = 2.
void locate_driven_slider(Item& item) {
  double worst = 0.0;
  for (const EngineKind engine : redundancy_engines) {
    for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
      Model m("driven slider-crank");
      Expr phi = m.algebraic("phi", {.guess = 1.0}), psi = m.algebraic("psi", {.guess = 0.5});
      m.equation("reach", cos(phi) + 2.0 * cos(psi) == 2.0 + 0.5 * m.time());
      m.equation("height", sin(phi) == 2.0 * sin(psi));
      worst = std::max(worst,
                       location_error(m, with_tolerance(engine, tolerance, 4.0), 2.0, "'reach'"));
    }
  }
  item.at_most("driven slider-crank", worst, 1e-6);
}

constexpr double crank_inertia = 1.0, rod_inertia = 0.5, slider_mass = 0.7, first_angle = 0.3;

/// Index 3; crank and rod of equal length, moving by their own inertia.
void write_free_slider_crank(Model& m) {
  Expr phi = m.state("phi", first_angle), psi = m.state("psi", first_angle);
  Expr x = m.state("x", 2 * std::cos(first_angle));
  Expr w = m.state("w", 1.0), s = m.state("s", 1.0), v = m.state("v", -2 * std::sin(first_angle));
  Expr f = m.algebraic("f"), g = m.algebraic("g");
  m.equation(der(phi) == w);
  m.equation(der(psi) == s);
  m.equation(der(x) == v);
  m.equation("crank", crank_inertia * der(w) == f * sin(phi) - g * cos(phi));
  m.equation("rod", rod_inertia * der(s) == f * sin(psi) + g * cos(psi));
  m.equation("slider", slider_mass * der(v) == f);
  m.equation("reach", cos(phi) + cos(psi) == x);
  m.equation("height", sin(phi) == sin(psi));
}

/// Until both are upright: energy gives the angular velocity, Simpson's rule the time.
double time_to_dead_point() {
  const auto inertia = [](double a) {
    return crank_inertia + rod_inertia + 4 * slider_mass * std::sin(a) * std::sin(a);
  };
  const double quarter = std::acos(0.0);
  constexpr int n = 2000;
  double time = 0.0;
  for (int i = 0; i <= n; ++i) {
    const double a = first_angle + (quarter - first_angle) * i / n;
    const int weight = i == 0 || i == n ? 1 : i % 2 == 1 ? 4 : 2;
    time +=
        weight * (quarter - first_angle) / (3 * n) * std::sqrt(inertia(a) / inertia(first_angle));
  }
  return time;
}

void locate_free_slider(Item& item) {
  Model m("slider-crank");
  write_free_slider_crank(m);
  for (const EngineKind engine : redundancy_engines) {
    const double error =
        location_error(m, with_tolerance(engine, 1e-8, 3.0), time_to_dead_point(), "'height'");
    // Where branches meet, an error of the tolerance in the state is one of its square root in time.
    item.at_most("free slider-crank of equal lengths (" + std::string(name(engine)) + ")", error,
                 1e-4);
  }
}

}  // namespace

bool show_redundancy(int number) {
  Item item(number);
  compare_errors(item);
  compare_accelerations(item);
  catch_drift(item);
  locate_zero_coefficient(item);
  locate_driven_slider(item);
  locate_free_slider(item);
  return item.print();
}

}  // namespace saltus::bench
