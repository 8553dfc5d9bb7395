#include "lower/compiled/contact_reading.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <saltus/core/text.hpp>

#include "lower/compiled/compiled_system.hpp"
#include "lower/compiled/compiled_workspace.hpp"

namespace saltus::detail {

ContactReading::ContactReading(const ContactPlan& plan, CompiledWorkspace& workspace)
    : plan_(plan),
      workspace_(workspace),
      values_(workspace.evaluator_of(plan.values)),
      accelerations_(workspace.evaluator_of(plan.accelerations)),
      gradients_(workspace.evaluator_of(plan.gradients)),
      kept_gradients_(workspace.evaluator_of(plan.kept_gradients)),
      solver_(plan.motion_pattern, LinearSolverKind::automatic) {}

std::span<const double> ContactReading::run(Points& points, double t, std::span<const double> x,
                                            std::span<const double> xdot) {
  workspace_.run_at_event(points, t, x, xdot);
  return points.evaluator.outputs();
}

std::vector<double> ContactReading::values(double t, std::span<const double> x,
                                           std::span<const double> xdot) {
  const auto out = run(values_, t, x, xdot);
  return {out.begin(), out.end()};
}

std::vector<double> ContactReading::kept_sizes(double t, std::span<const double> x,
                                               std::span<const double> xdot,
                                               std::span<const double> size, Over over) {
  const auto gradient = run(kept_gradients_, t, x, xdot);
  const CscPattern& p = plan_.kept_pattern;
  std::vector<double> sizes(plan_.contacts().size() * ContactPlan::n_kept, 0.0);
  for (std::size_t j = 0; j < x.size(); ++j) {
    for (auto s = static_cast<std::size_t>(p.column_start[j]);
         s < static_cast<std::size_t>(p.column_start[j + 1]); ++s) {
      double& of_row = sizes[static_cast<std::size_t>(p.row[s])];
      const double part = std::abs(gradient[s]) * size[j];
      of_row = over == Over::sum ? of_row + part : std::max(of_row, part);
    }
  }
  return sizes;
}

std::optional<std::string> ContactReading::evaluate(double t, std::span<const double> x,
                                                    ContactMotion& motion) {
  const CompiledSystem& system = workspace_.system();
  const std::size_t n = x.size();
  std::vector<double> point(x.begin(), x.end()), rhs(plan_.motion_rows.size());
  if (auto said = find_motion(t, point, rhs)) return said;
  motion.values = values(t, point, xdot_);
  std::vector<double> nominal(n);
  for (std::uint32_t j = 0; j < n; ++j) nominal[j] = system.nominal(j);
  motion.scales = kept_sizes(t, point, xdot_, nominal, Over::largest);
  const auto accelerations = run(accelerations_, t, point, xdot_);
  motion.free.assign(accelerations.begin(), accelerations.end());
  const auto gradient = run(gradients_, t, point, xdot_);
  if (auto said = check_finite(motion, gradient)) return said;
  write_response(gradient, rhs, motion);
  return std::nullopt;
}

/// Motion without forces: linear in x' and in what is algebraic, else the residual does not vanish. The Jacobian and its
/// factors remain.
std::optional<std::string> ContactReading::find_motion(double t, std::vector<double>& point,
                                                       std::vector<double>& rhs) {
  constexpr double eps = std::numeric_limits<double>::epsilon();
  constexpr int most_iterations = 3;
  const CompiledSystem& system = workspace_.system();
  const std::size_t n = point.size(), nnz = static_cast<std::size_t>(system.pattern().nnz());
  const auto fails = [&](const Evaluation& e) {
    return "equation " + quote(system.equation_name(e.row())) + " cannot be evaluated";
  };
  xdot_.assign(n, 0.0);
  for (const std::uint32_t force : plan_.forces) point[force] = 0.0;
  for (std::size_t j = 0; j < n; ++j) {
    if (!plan_.carries_derivative[j]) point[j] = 0.0;
  }
  residual_.resize(system.n_equations());
  double first = 0.0;
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    if (const Evaluation e = workspace_.residual(t, point, xdot_, residual_); !e) return fails(e);
    for (std::size_t i = 0; i < rhs.size(); ++i) rhs[i] = -residual_[plan_.motion_rows[i]];
    double last = 0.0;
    for (const double r : rhs) last = std::max(last, std::abs(r));
    if (iteration == 0) first = last;
    if (iteration > 0 && last <= 1e4 * eps * first) break;
    df_dx_.resize(nnz);
    df_dxdot_.resize(nnz);
    if (const Evaluation e = workspace_.jacobian(t, point, xdot_, df_dx_, df_dxdot_); !e)
      return fails(e);
    matrix_.clear();
    for (const ContactPlan::Source& s : plan_.motion_sources)
      matrix_.push_back(s.of_xdot ? df_dxdot_[s.slot] : df_dx_[s.slot]);
    if (!solver_.factor(matrix_)) {
      const auto column = static_cast<std::size_t>(solver_.singular_column());
      return "the equations do not determine the derivative of " +
             quote(system.unknown_name(plan_.motion_unknowns[column])) +
             " from given forces of contacts (write constraints as joints)";
    }
    solver_.solve(rhs);
    for (std::size_t k = 0; k < rhs.size(); ++k) {
      const std::uint32_t j = plan_.motion_unknowns[k];
      (plan_.carries_derivative[j] ? xdot_[j] : point[j]) += rhs[k];
    }
  }
  return std::nullopt;
}

/// S and W of (C.2).
void ContactReading::write_response(std::span<const double> gradient, std::vector<double>& rhs,
                                    ContactMotion& motion) {
  const ContactRows& rows = plan_.rows();
  const std::size_t n = xdot_.size();
  motion.effect.assign(rows.n, {});
  motion.response = Matrix(rows.n, rows.n);
  for (std::uint32_t k = 0; k < rows.n; ++k) {
    std::fill(rhs.begin(), rhs.end(), 0.0);
    for (const ContactPlan::Effect& e : plan_.effects[k]) rhs[e.row] -= df_dx_[e.slot];
    solver_.solve(rhs);
    std::vector<double>& effect = motion.effect[k];
    effect.assign(n, 0.0);
    for (std::size_t i = 0; i < rhs.size(); ++i) effect[plan_.motion_unknowns[i]] = rhs[i];
    const CscPattern& p = plan_.gradient_pattern;
    for (std::size_t j = 0; j < n; ++j) {
      if (!plan_.carries_derivative[j]) continue;
      for (auto s = static_cast<std::size_t>(p.column_start[j]);
           s < static_cast<std::size_t>(p.column_start[j + 1]); ++s)
        motion.response(static_cast<std::size_t>(p.row[s]), k) += gradient[s] * effect[j];
    }
  }
}

std::optional<std::string> ContactReading::check_finite(const ContactMotion& motion,
                                                        std::span<const double> gradient) const {
  const auto first_of = [](std::span<const double> values) {
    const auto found = std::ranges::find_if_not(values, [](double v) { return std::isfinite(v); });
    return static_cast<std::size_t>(found - values.begin());
  };
  if (const std::size_t k = first_of(motion.values); k < motion.values.size()) {
    constexpr const char* what[ContactPlan::n_values] = {
        "the gap",  "the velocity of the gap", "the restitution", "the slip velocity", "mu_kinetic",
        "mu_static"};
    const ContactDefinition& c = plan_.contacts()[k / ContactPlan::n_values];
    return std::string(what[k % ContactPlan::n_values]) + " of contact " + quote(c.name) +
           " is not a number";
  }
  const std::size_t row = first_of(motion.free);
  for (const ContactDefinition& c : plan_.contacts()) {
    if (row == c.row || (c.has_friction() && row == c.friction_row))
      return "an acceleration of contact " + quote(c.name) + " is not a number";
  }
  if (first_of(gradient) < gradient.size())
    return "a derivative of a gap or of a slip is not a number";
  return std::nullopt;
}

}  // namespace saltus::detail
