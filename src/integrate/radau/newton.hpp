// Simplified Newton iteration for the stages, Hairer & Wanner II, section IV.8, for F(t, x, x') = 0.
//
// Unknown Z_i = X_i - x, with K = A^-1 Z / h:
//   F(t_i, x + Z_i, K_i) = 0,   (A^-1/h (x) E + I (x) J) dZ = -F.
// With Z = T W the matrix falls apart into a real and a complex one of the size of the system.
#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <vector>

#include "integrate/radau/matrices.hpp"

namespace saltus::detail {

struct NewtonGoal {
  /// The iteration ends once theta / (1 - theta) |dZ| <= tolerance, the norm being that of the
  /// weights; theta is the observed rate of convergence.
  double tolerance = 0.0;
  int max_iterations = 7;
  /// Goes on until rounding errors keep dZ from shrinking; weights are those of rounding then.
  bool to_rounding = false;
  /// What theta is at most, where the matrix does not change: then the first correction may be enough. 0: not known.
  double known_theta = 0.0;
};

/// Watches |dZ| shrink.
class NewtonMonitor {
 public:
  enum class Verdict : std::uint8_t { go_on, converged, too_slow, diverged };

  /// Corrections up to `rounding` are rounding errors of the stages.
  NewtonMonitor(const NewtonGoal& goal, double rounding) : goal_(goal), rounding_(rounding) {}
  Verdict judge(double norm);

  int iterations() const { return iterations_; }
  /// The rate of convergence, after a single iteration what is known of it.
  double theta() const { return theta_; }
  /// After too_slow: what to multiply the step by.
  double step_factor() const { return step_factor_; }

 private:
  Verdict judge_rounding(double norm);
  Verdict judge_rate(double norm);

  NewtonGoal goal_;
  double rounding_;
  int iterations_ = 0;
  double norm_ = 0.0;
  double quotient_ = 0.0;
  double theta_ = 0.0;
  bool is_late_ = false;  // the quotient before tells nothing
  double step_factor_ = 0.5;
};

struct NewtonReport {
  enum class Outcome : std::uint8_t { converged, not_converged, refused, failed };
  Outcome outcome = Outcome::converged;
  int iterations = 0;
  double theta = 0.0;
  double step_factor = 0.5;
};

class RadauNewton {
 public:
  explicit RadauNewton(std::size_t n);

  /// z: guess on entry, solution on return if it converged. Zero as a guess is the left end of the
  /// step, which no stage check may refuse (it may lie on the very surface).
  NewtonReport solve(Problem& problem, RadauMatrices& matrices, const RadauFrame& frame,
                     const NewtonGoal& goal, std::span<const double> weights, std::span<double> z);

 private:
  Evaluation residuals(Problem& problem, const RadauFrame& frame, std::span<const double> z);
  Evaluation first_residuals(Problem& problem, const RadauFrame& frame, std::span<const double> z);
  void solve_linear(RadauMatrices& matrices);
  double norm(std::span<const double> weights) const;

  std::size_t n_;
  std::vector<double> x_;
  std::vector<double> k_;         // stage derivatives, then increments
  std::vector<double> residual_;  // of all stages
  std::vector<double> transformed_;
  std::vector<std::complex<double>> pair_;
};

}  // namespace saltus::detail
