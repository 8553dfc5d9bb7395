// Where a solution leaves its surface, by the multipliers of its states.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <saltus/core/error.hpp>
#include <saltus/slide/sliding_system.hpp>
#include <saltus/system/switching.hpp>

namespace saltus {

namespace {

/// 1 - u or 1 + u along the states of a step.
class ExactExit {
 public:
  ExactExit(Workspace& workspace, const StepPolynomial& step, std::uint32_t which)
      : step_(step), x_(step.n), xdot_(step.n) {
    sliding_ = workspace.ability<Sliding>();
    auto* functions = workspace.ability<SwitchingFunctions>();
    SALTUS_ASSERT(sliding_ != nullptr && functions != nullptr);
    const std::uint32_t n_exits = 2 * sliding_->n_surfaces();
    SALTUS_ASSERT(which + n_exits >= functions->count() && which < functions->count());
    const std::uint32_t exit = which + n_exits - functions->count();
    u_.resize(sliding_->n_surfaces());
    surface_ = exit / 2;
    side_ = exit % 2 == 0 ? 1.0 : -1.0;
  }

  bool evaluate(double t, double& g) {
    step_.state_at(t, x_);
    step_.derivative_at(t, xdot_);
    if (!sliding_->exact_multipliers(t, x_, xdot_, u_)) return false;
    g = 1.0 - side_ * u_[surface_];
    return std::isfinite(g);
  }

 private:
  StepPolynomial step_;
  Sliding* sliding_;
  std::uint32_t surface_ = 0;
  double side_ = 1.0;
  std::vector<double> x_, xdot_, u_;
};

}  // namespace

/// Secants. The second point is a small part of the step away; what lies outside of the step is cut off.
double refine_exit(Workspace& sliding, const StepPolynomial& step, std::uint32_t which, double t) {
  constexpr int most_steps = 12;
  ExactExit exit(sliding, step, which);
  const double first = std::min(step.t_left, step.t_right),
               last = std::max(step.t_left, step.t_right);
  const double unit =
      std::max(std::abs(t) * std::numeric_limits<double>::epsilon(), 0x1p-52 * (last - first));
  double a = std::clamp(t, first, last), g_a = 0.0;
  if (!exit.evaluate(a, g_a)) return t;
  double b = a + (a + 1e-3 * (last - first) <= last ? 1e-3 : -1e-3) * (last - first), g_b = 0.0;
  if (!exit.evaluate(b, g_b)) return t;
  if (std::abs(g_a) < std::abs(g_b)) {
    std::swap(a, b);
    std::swap(g_a, g_b);
  }
  // b is the better one.
  for (int k = 0; k < most_steps && g_b != 0.0 && g_a != g_b; ++k) {
    const double next = std::clamp(b - g_b * (b - a) / (g_b - g_a), first, last);
    if (std::abs(next - b) <= 2 * unit) return next;
    double g = 0.0;
    if (!exit.evaluate(next, g)) return b;
    // Rounding of u, or no zero here.
    if (std::abs(g) >= std::abs(g_b)) return std::abs(g_b) < 1e-6 ? b : t;
    a = b;
    g_a = g_b;
    b = next;
    g_b = g;
  }
  return b;
}

}  // namespace saltus
