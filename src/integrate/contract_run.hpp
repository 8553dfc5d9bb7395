// Problems with closed solutions, and engines run on them by check_engine.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <saltus/integrate/contract.hpp>
#include <saltus/system/function_system.hpp>

namespace saltus::detail {

struct ClosedProblem {
  std::shared_ptr<const System> system;
  std::function<void(double t, std::span<double> x)> solution;

  std::vector<double> at(double t) const {
    std::vector<double> x(system->size());
    solution(t, x);
    return x;
  }
};

/// Three unknowns that stay between -1 and 1, nonlinear, t in the equations.
ClosedProblem turning_problem();
/// x' = -2 sqrt(x): x = (1 - t)², out of domain where x < 0.
ClosedProblem draining_problem();
/// x' = 1; with `end` out of domain, or throwing, for t > 1/2.
enum class RampEnd : std::uint8_t { none, out_of_domain, throws };
ClosedProblem ramp_problem(RampEnd end);

/// The tolerance of all checks.
inline constexpr double contract_rtol = 1e-6;
inline constexpr double contract_atol = 1e-6;
/// An engine passes if its error stays below this many tolerances: engines control the error of a
/// step, and a BDF engine adds up some hundred steps that all err in one direction.
inline constexpr double contract_accuracy = 2000.0;

/// The largest component of |x - wanted| / (rtol |wanted| + atol).
double in_tolerances(std::span<const double> x, std::span<const double> wanted);

/// One engine on one problem; what it does wrong becomes a sentence.
class ContractRun {
 public:
  ContractRun(const EngineFactory& make, const ClosedProblem& problem, std::string what,
              std::vector<std::string>& findings);

  Engine& engine() { return *engine_; }
  const ClosedProblem& problem() const { return problem_; }
  /// Adds "<what>: <sentence>".
  void find(const std::string& sentence);

  /// At the closed solution; false after a failure, which is a finding.
  bool start(double t, double t_towards, const StartHint& hint = {});
  /// Steps to t_end and looks at each of them; false if that does not succeed, which is a finding.
  bool advance(double t_end, const std::function<void()>& after_step = {});
  /// Steps towards t_end until the first failure; false if there is none. What must hold after a
  /// failure is checked.
  bool advance_to_failure(double t_end);
  /// Is the present point where the closed solution is?
  void check_accuracy();

 private:
  bool one_step(double t_end);
  void check_counts();

  ClosedProblem problem_;
  std::string what_;
  std::vector<std::string>& findings_;
  std::unique_ptr<Workspace> workspace_;
  std::unique_ptr<Engine> engine_;
  WorkCounts counts_;
  Result<void> last_ = {};
};

}  // namespace saltus::detail
