// Siconos' own ways with the three problems: Moreau-Jean and Euler-Moreau time stepping, event-driven for the ball.
#include <SiconosKernel.hpp>

#include <cmath>
#include <initializer_list>
#include <iostream>
#include <memory>
#include <sstream>
#include <stdexcept>

#include "contact/siconos_runs.hpp"
#include "support/measure.hpp"

namespace saltus::bench {

namespace {

using std::make_shared;
using std::shared_ptr;

/// Counts what it solves; without an active contact there is nothing to solve.
template <class Problem>
struct Counted : Problem {
  using Problem::Problem;
  std::uint64_t n_solved = 0;
  int compute(double t) override {
    const int info = Problem::compute(t);
    if (this->getSizeOutput() > 0) ++n_solved;
    return info;
  }
};

shared_ptr<SiconosVector> vector_of(std::initializer_list<double> values) {
  auto v = make_shared<SiconosVector>(static_cast<unsigned>(values.size()));
  unsigned i = 0;
  for (const double x : values) (*v)(i++) = x;
  return v;
}
shared_ptr<SimpleMatrix> matrix_of(std::initializer_list<std::initializer_list<double>> rows) {
  auto m = make_shared<SimpleMatrix>(static_cast<unsigned>(rows.size()),
                                     static_cast<unsigned>(rows.begin()->size()));
  unsigned i = 0;
  for (const auto& row : rows) {
    unsigned j = 0;
    for (const double x : row) (*m)(i, j++) = x;
    ++i;
  }
  return m;
}

/// Counts right-hand sides: LSODAR's own counters begin anew at every event.
struct FlyingBall : LagrangianLinearTIDS {
  using LagrangianLinearTIDS::LagrangianLinearTIDS;
  std::uint64_t n_evaluations = 0;
  void computeRhs(double t) override {
    ++n_evaluations;
    LagrangianLinearTIDS::computeRhs(t);
  }
};

struct Driven : LagrangianLinearTIDS {
  using LagrangianLinearTIDS::LagrangianLinearTIDS;
  double weight = 0.0;
  std::uint64_t n_evaluations = 0;
  void computeFExt(double t) override {
    ++n_evaluations;
    (*_fExt)(0) = std::sin(t);
    (*_fExt)(2) = -weight;
  }
};

/// Siconos' system of one dynamical system and one interaction.
template <class Dynamics>
shared_ptr<NonSmoothDynamicalSystem> linked(double t_end, const shared_ptr<Dynamics>& dynamics,
                                            const shared_ptr<NonSmoothLaw>& law,
                                            const shared_ptr<Relation>& relation) {
  auto all = make_shared<NonSmoothDynamicalSystem>(0.0, t_end);
  all->insertDynamicalSystem(dynamics);
  all->link(make_shared<Interaction>(law, relation), dynamics);
  return all;
}

std::vector<double> state_of(const LagrangianDS& body) {
  std::vector<double> x;
  for (unsigned i = 0; i < body.q()->size(); ++i) x.push_back((*body.q())(i));
  for (unsigned i = 0; i < body.velocity()->size(); ++i) x.push_back((*body.velocity())(i));
  return x;
}
std::vector<double> state_of(const FirstOrderLinearTIDS& system) {
  std::vector<double> x;
  for (unsigned i = 0; i < system.x()->size(); ++i) x.push_back((*system.x())(i));
  return x;
}

/// Keeps what Siconos prints away from the table.
class Listener {
 public:
  Listener() : before_(std::cout.rdbuf(heard_.rdbuf())) {}
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  ~Listener() { std::cout.rdbuf(before_); }
  std::string last_line() const {
    std::string text = heard_.str();
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text.substr(text.rfind('\n') + 1);
  }

 private:
  std::ostringstream heard_;
  std::streambuf* before_;
};

/// Whatever it throws is its failure.
template <class Work>
SiconosRun timed(Work&& work) {
  SiconosRun run;
  const Listener listener;
  const double begin = cpu_seconds();
  try {
    work(run, begin);
  } catch (const std::exception& e) {
    run.failure = e.what() + (": " + listener.last_line());
  } catch (...) {
    run.failure = "an exception of no known type";
  }
  run.seconds = cpu_seconds() - begin;
  return run;
}

template <class Dynamics, class Problem>
void step_through(SiconosRun& run, double begin, double t_end, const SiconosScheme& scheme,
                  long n_outputs, const shared_ptr<NonSmoothDynamicalSystem>& all,
                  const shared_ptr<OneStepIntegrator>& integrator,
                  const shared_ptr<Counted<Problem>>& problem,
                  const shared_ptr<Dynamics>& dynamics) {
  auto simulation = make_shared<TimeStepping>(
      all, make_shared<TimeDiscretisation>(0.0, t_end / static_cast<double>(scheme.n_steps)),
      integrator, problem);
  run.seconds_set_up = cpu_seconds() - begin;
  for (long k = 1; k <= scheme.n_steps; ++k) {
    simulation->computeOneStep();
    simulation->nextStep();
    if (k % (scheme.n_steps / n_outputs) == 0) run.outputs.push_back(state_of(*dynamics));
  }
  run.n_steps = static_cast<std::uint64_t>(scheme.n_steps);
  run.n_problems = problem->n_solved;
}

/// Its time discretisation says where it stops for output.
void run_through_events(SiconosRun& run, double begin, double t_end, const SiconosScheme& scheme,
                        long n_outputs, const shared_ptr<NonSmoothDynamicalSystem>& all,
                        const shared_ptr<FlyingBall>& ball) {
  const double interval = t_end / static_cast<double>(n_outputs);
  auto simulation = make_shared<EventDriven>(all, make_shared<TimeDiscretisation>(0.0, interval));
  auto integrator = make_shared<LsodarOSI>();
  static const double usual_tolerance = simulation->toleranceED();  // one for all simulations
  const double given = scheme.tolerance;
  // Where LSODAR finds an event less exactly than this, Siconos refuses its gap as negative.
  simulation->setToleranceED(given > 0.0 ? given : usual_tolerance);
  if (given > 0.0) integrator->setTol(1, given, given);
  simulation->insertIntegrator(integrator);
  auto impact = make_shared<Counted<LCP>>();
  auto acceleration = make_shared<Counted<LCP>>();
  simulation->insertNonSmoothProblem(impact, SICONOS_OSNSP_ED_IMPACT);
  simulation->insertNonSmoothProblem(acceleration, SICONOS_OSNSP_ED_SMOOTH_ACC);
  run.seconds_set_up = cpu_seconds() - begin;
  // Asked for too few outputs, it goes on beyond the end.
  constexpr int most_events = 10000;
  for (int n = 0; run.outputs.size() < static_cast<std::size_t>(n_outputs); ++n) {
    if (n == most_events || !simulation->hasNextEvent())
      throw std::runtime_error("the end was not reached");
    simulation->advanceToEvent();
    simulation->processEvents();
    const double next = interval * static_cast<double>(run.outputs.size() + 1);
    if (simulation->startingTime() > next - 1e-9 * t_end) run.outputs.push_back(state_of(*ball));
  }
  run.n_evaluations = ball->n_evaluations;
  run.n_problems = impact->n_solved + acceleration->n_solved;
}

}  // namespace

std::string siconos_version() { return SALTUS_SICONOS_VERSION; }

SiconosRun run_siconos(const PlainBall& p, const SiconosScheme& scheme, long n_outputs) {
  return timed([&](SiconosRun& run, double begin) {
    auto ball = make_shared<FlyingBall>(vector_of({p.start}), vector_of({0.0}), matrix_of({{1.0}}));
    ball->setFExtPtr(vector_of({-p.g}));
    auto all = linked(p.t_end, ball, make_shared<NewtonImpactNSL>(p.e),
                      make_shared<LagrangianLinearTIR>(matrix_of({{1.0}})));
    if (scheme.event_driven)
      return run_through_events(run, begin, p.t_end, scheme, n_outputs, all, ball);
    step_through(run, begin, p.t_end, scheme, n_outputs, all,
                 make_shared<MoreauJeanOSI>(scheme.theta), make_shared<Counted<LCP>>(), ball);
  });
}

SiconosRun run_siconos(const PlainRelay& p, const SiconosScheme& scheme) {
  return timed([&](SiconosRun& run, double begin) {
    auto a = make_shared<SimpleMatrix>(3, 3);
    for (unsigned i = 0; i < 3; ++i)
      for (unsigned j = 0; j < 3; ++j) (*a)(i, j) = p.a[i][j];
    auto system =
        make_shared<FirstOrderLinearTIDS>(vector_of({p.start[0], p.start[1], p.start[2]}), a);
    // Its relay returns minus the sign.
    auto relation = make_shared<FirstOrderLinearTIR>(matrix_of({{1.0, 0.0, 0.0}}),
                                                     matrix_of({{p.b[0]}, {p.b[1]}, {p.b[2]}}));
    auto all = linked(p.t_end, system, make_shared<RelayNSL>(1), relation);
    step_through(run, begin, p.t_end, scheme, 1, all, make_shared<EulerMoreauOSI>(scheme.theta),
                 make_shared<Counted<Relay>>(), system);
  });
}

SiconosRun run_siconos(const PlainBodies& p, const SiconosScheme& scheme) {
  return timed([&](SiconosRun& run, double begin) {
    // Two positions along the surface, and the height of the first one, which its weight keeps at zero.
    auto bodies = make_shared<Driven>(
        vector_of({p.start_1, p.start_2, 0.0}), vector_of({0.0, 0.0, 0.0}),
        matrix_of({{p.mass_1, 0.0, 0.0}, {0.0, p.mass_2, 0.0}, {0.0, 0.0, p.mass_1}}));
    bodies->weight = p.normal_force;
    bodies->setFExtPtr(vector_of({0.0, 0.0, -p.normal_force}));
    auto relation =
        make_shared<LagrangianLinearTIR>(matrix_of({{0.0, 0.0, 1.0}, {1.0, -1.0, 0.0}}));
    auto all =
        linked(p.t_end, bodies, make_shared<NewtonImpactFrictionNSL>(0.0, 0.0, p.mu, 2), relation);
    step_through(run, begin, p.t_end, scheme, 1, all, make_shared<MoreauJeanOSI>(scheme.theta),
                 make_shared<Counted<FrictionContact>>(2, SICONOS_FRICTION_2D_NSGS), bodies);
    run.n_evaluations = bodies->n_evaluations;
  });
}

}  // namespace saltus::bench
