// BDF of variable order and step: SUNDIALS IDA behind the interface of an engine.
#pragma once

#include <vector>

#include "integrate/problem.hpp"
#include "integrate/sundials/handles.hpp"
#include "integrate/sundials/local_time.hpp"
#include "integrate/sundials/measured_convergence.hpp"
#include "integrate/sundials/newton_matrix.hpp"

namespace saltus::detail::sundials {

class IdaEngine final : public Engine {
 public:
  explicit IdaEngine(Problem problem);

  EngineKind kind() const override { return EngineKind::ida; }
  std::optional<LinearSolverKind> linear_solver() const override { return newton_.kind(); }
  Result<void> start(const EnginePoint& point, double t_towards, const StartHint& hint) override;
  Result<void> step(double t_bound) override;
  StepPolynomial last_step() override;
  Result<void> shorten(double t) override;

  double t() const override { return t_; }
  std::span<const double> x() const override { return x_.values(); }
  std::span<const double> xdot() const override { return xdot_.values(); }
  const WorkCounts& work() const override { return problem_.work; }
  void set_stage_check(StageCheck check) override { problem_.stage_check = std::move(check); }

 private:
  static int on_residual(double tau, N_Vector x, N_Vector xdot, N_Vector f, void* engine);
  static int on_weights(N_Vector x, N_Vector weights, void* engine);

  /// How the point reached was reached; decides where the step polynomial comes from.
  enum class StepKind : std::uint8_t {
    none,
    integrated,  // a step of IDA's
    read,        // IDA was within rounding of the bound and read its polynomial there
    straight,    // along a line: to a bound within rounding of the start, or over several steps of
                 // IDA's that are shorter than an ulp of t
  };
  enum class State : std::uint8_t { must_start, fresh, running, must_restart };

  void set_up_ida();
  void begin(double h);
  Result<void> step_straight(double t_bound);
  void take_point(int flag, StepKind kind, double tau, double t);
  void recover_slope();
  bool keep_sign();
  void after_step();
  StepKind count();
  void read_derivative(double tau, int k, double* row);
  void make_polynomial();

  Problem problem_;
  LocalTime clock_;
  ExceptionFence fence_;
  Context context_;
  // The point reached, and where IDA puts the next one: after a failure the former is untouched.
  Vector x_, xdot_, x_next_, xdot_next_;
  Vector row_;
  NewtonMatrix newton_;
  MeasuredConvergence convergence_;
  IdaMemory ida_;

  State state_ = State::must_start;
  double t_ = 0.0;
  double tau_ = 0.0;  // of the step as IDA made it, not rounded to an ulp of t
  double t_towards_ = 0.0;
  double restart_step_ = 0.0;  // 0: IDA's choice

  int n_corrected_steps_ = 0;  // in a row

  StepKind step_kind_ = StepKind::none;
  double t_left_ = 0.0;
  double t_right_ = 0.0;  // of the step as IDA made it; t_ after shorten() is earlier
  double tau_left_ = 0.0;
  int degree_ = 0;
  bool polynomial_made_ = false;
  std::vector<double> coefficients_;

  /// IDA's counters begin again at each start; ours go on.
  struct Seen {
    long n_steps = 0, n_error_failures = 0, n_solve_failures = 0, n_iterations = 0;
  } seen_;
};

}  // namespace saltus::detail::sundials
