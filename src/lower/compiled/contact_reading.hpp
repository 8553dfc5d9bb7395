// Reads contacts off the equations of a model.
//
// Forces act linearly: the equations of motion without (C.1) give x' = x'_0 + S p, and with the gradients A of the
// contacts' velocities their accelerations
//
//   a = A x' + ... = W p + f,   W = A S.                                                             (C.2)
//
// The same S takes impulses to jumps of x.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <saltus/expr/evaluator.hpp>
#include <saltus/numerics/linear_solver.hpp>

#include "lower/compiled/contact_motion.hpp"
#include "lower/layout/lock_board.hpp"

namespace saltus::detail {

class CompiledWorkspace;

class ContactReading {
 public:
  ContactReading(const ContactPlan& plan, CompiledWorkspace& workspace);

  const ContactPlan& plan() const { return plan_; }
  /// What cannot be evaluated is said in words.
  std::optional<std::string> evaluate(double t, std::span<const double> x, ContactMotion& motion);
  /// Of the motion evaluated last, without forces.
  std::span<const double> xdot() const { return xdot_; }

  /// ContactPlan::Value of each contact.
  std::vector<double> values(double t, std::span<const double> x, std::span<const double> xdot);
  /// Per contact and Kept: |d/dx_i| size_i at a point, the largest or their sum.
  enum class Over : std::uint8_t { largest, sum };
  std::vector<double> kept_sizes(double t, std::span<const double> x, std::span<const double> xdot,
                                 std::span<const double> size, Over over);

 private:
  using Points = Locked<Evaluator<double>>;

  std::optional<std::string> find_motion(double t, std::vector<double>& point,
                                         std::vector<double>& rhs);
  void write_response(std::span<const double> gradient, std::vector<double>& rhs,
                      ContactMotion& motion);
  std::optional<std::string> check_finite(const ContactMotion& motion,
                                          std::span<const double> gradient) const;
  std::span<const double> run(Points& points, double t, std::span<const double> x,
                              std::span<const double> xdot);

  const ContactPlan& plan_;
  CompiledWorkspace& workspace_;
  Points values_, accelerations_, gradients_, kept_gradients_;
  LinearSolver<double> solver_;
  std::vector<double> xdot_, df_dx_, df_dxdot_, matrix_, residual_;
};

}  // namespace saltus::detail
