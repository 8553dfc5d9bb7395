// Oracles for problems that slide: the same engine on the smooth equations of each stretch, those on a surface by
// hand. An evaluation on a surface counts as often as sides meet there.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "events/oracle.hpp"
#include "problems/sliding_problem.hpp"

namespace saltus::bench {

/// What the engine can reach.
struct LocatedRun {
  bool ok = false;
  std::string message;
  std::vector<double> time_errors;
  double end_error = 0.0;  // largest of |x - reference| / (1 + |reference|)
};

class SlidingOracle {
 public:
  explicit SlidingOracle(const problems::SlidingProblem& problem);
  ~SlidingOracle();

  /// Told the time and state of every event: what the smooth stretches cost. The cheaper one of carried steps
  /// and fresh ones.
  OracleRun told(EngineKind engine, double tolerance) {
    return oracle_.best({.engine = engine, .tolerance = tolerance});
  }

  /// Told which event is next and by which function of the state it is known, it finds the time on the engine's own
  /// step, and goes on from there: what errors the engine itself makes.
  LocatedRun located(EngineKind engine, double rtol, double atol);

 private:
  struct Stretch;
  using State = problems::NamedState;
  std::shared_ptr<const System> system_for(const std::string& mode);
  State named(const System& system, std::span<const double> x) const;
  void land_on_surface(std::size_t event, double t, State& state) const;
  double find_event(std::size_t event, const System& system, const StepPolynomial& step) const;
  double look_until(std::size_t event) const;
  bool has_passed(std::size_t event, double t, const State& state) const;

  problems::SlidingProblem problem_;
  Oracle oracle_;
  std::map<std::string, std::shared_ptr<const System>> systems_;
};

}  // namespace saltus::bench
