#include <saltus/initialize/consistent.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <saltus/core/text.hpp>
#include <saltus/numerics/norms.hpp>
#include <saltus/system/abilities.hpp>

#include "initialize/start_matrix.hpp"

namespace saltus {

namespace {

using detail::JacobianValues;
using detail::StartMatrix;

// Beyond this size the rank of E is not decided by a dense decomposition.
constexpr std::uint32_t largest_dense = 500;

std::string at_time(double t) { return "start at t = " + to_text(t) + ": "; }

class Search {
 public:
  Search(const System& system, Workspace& workspace, double t, const StartValues& guess,
         std::span<const double> weights, const InitializeOptions& options)
      : system_(system),
        workspace_(workspace),
        t_(t),
        guess_(guess),
        weights_(weights),
        options_(options),
        n_(system.size()),
        x_(guess.x),
        xdot_(guess.xdot) {}

  Result<ConsistentStart> run() {
    if (auto ok = check_guess(); !ok) return ok.failure();
    if (auto* form = workspace_.ability<ExplicitForm>()) return from_explicit_form(*form);
    make_room();
    if (const auto e = residual(t_, x_, xdot_, f_); !e) return not_evaluated(e);
    if (auto ok = choose_matrix(); !ok) return ok.failure();
    if (auto ok = iterate(); !ok) return ok.failure();
    complete_derivatives();
    return result();
  }

 private:
  void make_room() {
    for (auto* v : {&f_, &w_, &x_part_, &xdot_part_, &x_trial_, &xdot_trial_}) v->resize(n_);
    xdot_scale_.assign(n_, 1.0);
    const auto nnz = static_cast<std::size_t>(system_.pattern().nnz());
    jacobian_ = {std::vector<double>(nnz), std::vector<double>(nnz)};
  }
  Evaluation residual(double t, std::span<const double> x, std::span<const double> xdot,
                      std::span<double> f) {
    ++n_evaluations_;
    return workspace_.residual(t, x, xdot, f);
  }
  Evaluation jacobian_here() {
    ++n_evaluations_;
    return workspace_.jacobian(t_, x_, xdot_, jacobian_.df_dx, jacobian_.df_dxdot);
  }

  /// x' = f(t, x): nothing to search, and no Jacobian is needed.
  Result<ConsistentStart> from_explicit_form(ExplicitForm& form) {
    ++n_evaluations_;
    if (const auto e = form.derivative(t_, x_, xdot_); !e) return not_evaluated(e);
    return result();
  }

  Result<void> check_guess() const {
    if (system_.n_equations() != n_) {
      return Failure{FailureCode::singular, at_time(t_) + "the system has " +
                                                std::to_string(system_.n_equations()) +
                                                " equations for " + std::to_string(n_) +
                                                " unknowns and has to be reduced first"};
    }
    for (std::uint32_t i = 0; i < n_; ++i) {
      if (std::isfinite(x_[i]) && std::isfinite(xdot_[i])) continue;
      return Failure{FailureCode::not_finite, at_time(t_) + "the start value of '" +
                                                  system_.unknown_name(i) + "' is not finite"};
    }
    return {};
  }

  Failure not_evaluated(const Evaluation& e) const {
    const bool failed = e.status() == Evaluation::Status::failed;
    return {failed ? FailureCode::external_failed : FailureCode::out_of_domain,
            at_time(t_) + "equation '" + system_.equation_name(e.row()) +
                "' cannot be evaluated; other start values or guesses may help"};
  }

  /// Selecting columns is cheap and keeps the pattern; where that is singular, a rank decision on E
  /// finds combinations of derivatives that no equation contains.
  Result<void> choose_matrix() {
    if (const auto e = jacobian_here(); !e) {
      return not_evaluated(e);
    }
    matrix_ = detail::make_selecting_matrix(system_, workspace_);
    const bool regular = matrix_->factor(jacobian_);
    if (regular && !matrix_->is_doubtful()) return {};
    if (n_ > largest_dense) return regular ? Result<void>() : singular();
    auto selecting = std::move(matrix_);
    matrix_ = detail::make_projecting_matrix(system_, stated_beside_guesses());
    moves_combinations_ = matrix_->factor(jacobian_);
    if (moves_combinations_) return {};
    // In doubt, an index analysis decides; where there is none, what can be factored is used.
    if (!regular || workspace_.ability<DerivativeLevels<Quad>>() != nullptr) return singular();
    matrix_ = std::move(selecting);
    return {};
  }

  /// Where E x has to change unknowns with a derivative, those that are guesses come first. Empty if there are none.
  std::vector<std::uint8_t> stated_beside_guesses() const {
    std::vector<std::uint8_t> stated(n_, 0);
    bool some_are_stated = false, some_are_guesses = false;
    for (std::uint32_t i = 0; i < n_; ++i) {
      if (!system_.carries_derivative()[i]) continue;
      stated[i] = guess_.x_given[i];
      (guess_.x_given[i] ? some_are_stated : some_are_guesses) = true;
    }
    if (!some_are_stated || !some_are_guesses) stated.clear();
    return stated;
  }

  Failure singular() const {
    return {FailureCode::singular,
            at_time(t_) + matrix_->describe_singularity(system_) +
                " (the system does not have index 1 there: an equation is missing or repeated, a "
                "constraint is hidden, or the start values are special)"};
  }

  /// Weighted size of a step. Derivatives have no tolerances: each is measured by its own size, or
  /// by a change of nominal size over the run if it is smaller. measure_derivatives() fixes these, so
  /// that steps that are compared are measured alike.
  double size_of_step(std::span<const double> x_part, std::span<const double> xdot_part) const {
    constexpr double relative = 1e-6;
    double xdot_size = 0.0;
    for (std::uint32_t i = 0; i < n_; ++i) {
      xdot_size = std::max(xdot_size, std::abs(xdot_part[i]) / (relative * xdot_scale_[i]));
    }
    return std::max(wrms_norm(x_part, weights_), xdot_size);
  }

  void measure_derivatives() {
    const double run = std::max(std::abs(options_.time_scale), std::numeric_limits<double>::min());
    for (std::uint32_t i = 0; i < n_; ++i) {
      xdot_scale_[i] =
          std::max({std::abs(xdot_[i]), std::abs(xdot_part_[i]), system_.nominal(i) / run});
    }
  }

  /// w <- -(E + dF/dx Q)^-1 f, split into what moves x and what moves x'.
  void newton_step(std::span<double> x_part, std::span<double> xdot_part) {
    for (std::uint32_t i = 0; i < n_; ++i) w_[i] = -f_[i];
    matrix_->solve(w_);
    matrix_->split(w_, x_part, xdot_part);
  }

  Result<void> iterate() {
    // Of the tolerances: a step that no longer shrinks and is below it is the noise of equations that contain differences.
    constexpr double noise = 0.1;
    double last_size = std::numeric_limits<double>::infinity();
    double refused = last_size;
    for (n_iterations_ = 0; n_iterations_ < options_.max_iterations; ++n_iterations_) {
      newton_step(x_part_, xdot_part_);
      measure_derivatives();
      const double size = size_of_step(x_part_, xdot_part_);
      if (!std::isfinite(size)) break;
      if (size == 0.0) return {};
      // Converged, and steps no longer shrink: what is left is rounding.
      if (last_size <= options_.tolerance && size > 0.5 * last_size) return {};
      if (!take_step(size)) {
        refused = size;
        break;
      }
      last_size = size;
      if (const auto e = jacobian_here(); !e) {
        return not_evaluated(e);
      }
      if (!matrix_->factor(jacobian_)) return singular();
    }
    if (last_size <= options_.tolerance || refused <= noise || residual_is_rounding()) return {};
    return not_converged();
  }

  /// Whether every equation is met up to rounding of its own terms: then no step can do better.
  bool residual_is_rounding() const {
    constexpr double unit = 16 * std::numeric_limits<double>::epsilon();
    std::vector<double> terms(n_, 0.0);
    const CscPattern& p = system_.pattern();
    for (std::uint32_t j = 0; j < n_; ++j) {
      const auto end = static_cast<std::size_t>(p.column_start[j + 1]);
      for (auto s = static_cast<std::size_t>(p.column_start[j]); s < end; ++s) {
        terms[static_cast<std::size_t>(p.row[s])] +=
            std::abs(jacobian_.df_dx[s] * x_[j]) + std::abs(jacobian_.df_dxdot[s] * xdot_[j]);
      }
    }
    for (std::uint32_t i = 0; i < n_; ++i) {
      if (!(std::abs(f_[i]) <= unit * terms[i])) return false;
    }
    return true;
  }

  /// Damped by the natural monotonicity test: the simplified correction at the new point must be
  /// shorter than (1 - lambda / 4) times the step.
  bool take_step(double size) {
    constexpr double smallest = 0x1p-30;
    const std::vector<double> dx = x_part_, dxdot = xdot_part_, f_before = f_;
    const std::vector<double> x_before = x_, xdot_before = xdot_;
    for (double lambda = 1.0; lambda >= smallest; lambda /= 2) {
      for (std::uint32_t i = 0; i < n_; ++i) {
        x_[i] = x_before[i] + lambda * dx[i];
        xdot_[i] = xdot_before[i] + lambda * dxdot[i];
      }
      if (!residual(t_, x_, xdot_, f_)) continue;
      if (size <= options_.tolerance) return true;
      newton_step(x_trial_, xdot_trial_);
      if (size_of_step(x_trial_, xdot_trial_) <= (1.0 - lambda / 4) * size) return true;
    }
    x_ = x_before;
    xdot_ = xdot_before;
    f_ = f_before;
    return false;
  }

  Failure not_converged() const {
    std::uint32_t worst = 0;
    for (std::uint32_t i = 1; i < n_; ++i) {
      if (std::abs(f_[i]) > std::abs(f_[worst])) worst = i;
    }
    return {FailureCode::not_converged,
            at_time(t_) + "no consistent values found after " + std::to_string(n_iterations_) +
                " iterations; equation '" + system_.equation_name(worst) + "' is left at " +
                to_text(f_[worst]) + "; a better guess may help"};
  }

  /// Differentiating F = 0 in time: (E + dF/dx Q) w = -(dF/dt + dF/dx (I - Q) x'), and Q w is what
  /// is missing of x'. The right-hand side is a directional difference.
  void complete_derivatives() {
    // Here nothing stays: x moves with time.
    if (moves_combinations_) matrix_ = detail::make_projecting_matrix(system_);
    if (moves_combinations_ && !matrix_->factor(jacobian_)) return;
    for (std::uint32_t i = 0; i < n_; ++i) w_[i] = xdot_[i];
    matrix_->split(w_, x_part_, xdot_part_);
    std::vector<double> missing(n_, 0.0);
    if (!(options_.compares_derivatives && compare_differences(missing))) {
      Motion motion = without_missing();
      const double root = std::sqrt(std::numeric_limits<double>::epsilon());
      if (!add_missing(motion, root * short_time(), Difference::one_sided)) return;
      missing = motion.missing;
    }
    for (std::uint32_t i = 0; i < n_; ++i) {
      const double completed = xdot_part_[i] + missing[i];
      if (std::isfinite(completed)) xdot_[i] = completed;
    }
  }

  /// How x and x' change: x' is (I - Q) x' and what is missing, x'' as much as is needed to find that.
  struct Motion {
    std::vector<double> missing, second;
  };
  Motion without_missing() const {
    return {std::vector<double>(n_, 0.0), std::vector<double>(n_, 0.0)};
  }

  /// In which no unknown changes by more than its size, with the sign of the run.
  double short_time() const {
    double rate = 0.0;
    for (std::uint32_t i = 0; i < n_; ++i) {
      const double scale = std::max(std::abs(x_[i]), system_.nominal(i));
      rate = std::max(rate, std::abs(xdot_part_[i]) / scale);
    }
    double time = std::abs(options_.time_scale);
    if (rate > 0) time = std::min(time, 1.0 / rate);
    return std::copysign(time, options_.time_scale);
  }

  /// F along a motion; false where it cannot be evaluated.
  bool equations_after(double delta, const Motion& motion, std::span<double> f) {
    for (std::uint32_t i = 0; i < n_; ++i) {
      x_trial_[i] = x_[i] + delta * (xdot_part_[i] + motion.missing[i]);
      xdot_trial_[i] = xdot_[i] + delta * motion.second[i];
    }
    return static_cast<bool>(residual(t_ + delta, x_trial_, xdot_trial_, f));
  }

  enum class Difference { one_sided, fourth_order };

  /// dF/dt along a motion, into w_.
  bool slope_of_equations(const Motion& motion, double delta, Difference difference) {
    const double least = 4 * std::numeric_limits<double>::epsilon() * std::abs(t_);
    if (std::abs(delta) < least) delta = std::copysign(least, delta);
    if (difference == Difference::one_sided) {
      if (!equations_after(delta, motion, w_)) return false;
      for (std::uint32_t i = 0; i < n_; ++i) w_[i] = (w_[i] - f_[i]) / delta;
      return true;
    }
    std::vector<double> f(n_);
    std::fill(w_.begin(), w_.end(), 0.0);
    for (const auto& [part, weight] :
         {std::pair{1.0, -1.0 / 6}, {-1.0, 1.0 / 6}, {0.5, 8.0 / 6}, {-0.5, -8.0 / 6}}) {
      if (!equations_after(part * delta, motion, f)) return false;
      for (std::uint32_t i = 0; i < n_; ++i) w_[i] += weight * f[i] / delta;
    }
    return true;
  }

  /// One iteration for the motion along which F stays zero: with the Jacobian itself it is the last one.
  bool add_missing(Motion& motion, double delta, Difference difference) {
    if (!slope_of_equations(motion, delta, difference)) return false;
    for (double& w : w_) w = -w;
    matrix_->solve(w_);
    std::vector<double> of_x(n_), of_xdot(n_);
    matrix_->split(w_, of_x, of_xdot);
    for (std::uint32_t i = 0; i < n_; ++i) {
      motion.missing[i] += of_x[i];
      motion.second[i] += of_xdot[i];
    }
    return true;
  }

  /// By differences over times that are shortened as long as that brings them closer to those over the next shorter time.
  /// These have ten times the rounding.
  bool compare_differences(std::span<double> missing) {
    constexpr double longest = 1e-3, shortest = 1e-8, shorter = 0.1;  // of short_time()
    constexpr double safety = 10.0;                                   // two may agree by chance
    std::vector<double> longer;
    double best = std::numeric_limits<double>::infinity();
    for (double part = longest; part > shortest; part *= shorter) {
      const double delta = part * short_time();
      Motion motion = without_missing();
      // The second iteration: a Jacobian may be one of differences.
      if (!add_missing(motion, delta, Difference::fourth_order) ||
          !add_missing(motion, delta, Difference::fourth_order))
        continue;
      const std::vector<double>& here = motion.missing;
      if (!longer.empty()) {
        double apart = 0.0;
        for (std::uint32_t i = 0; i < n_; ++i) {
          const double size = std::abs(here[i]) + std::abs(xdot_part_[i]) + xdot_scale_[i];
          apart = std::max(apart, std::abs(here[i] - longer[i]) / size);
        }
        if (!(apart < best)) break;
        best = apart;
        std::copy(longer.begin(), longer.end(), missing.begin());
        xdot_error_.resize(n_);
        for (std::uint32_t i = 0; i < n_; ++i)
          xdot_error_[i] = safety * std::abs(here[i] - longer[i]);
      }
      longer = here;
    }
    return !xdot_error_.empty();
  }

  ConsistentStart result() {
    ConsistentStart start;
    start.n_iterations = n_iterations_;
    start.n_evaluations = n_evaluations_;
    start.moves_combinations = moves_combinations_;
    for (std::uint32_t i = 0; i < n_; ++i) {
      if (!guess_.x_given[i]) continue;
      const double given = guess_.x[i], used = x_[i];
      constexpr double rounding = 64 * std::numeric_limits<double>::epsilon();
      if (std::abs(used - given) > rounding * std::max(std::abs(used), std::abs(given)))
        start.changes.push_back({i, system_.unknown_name(i), given, used});
    }
    start.x = std::move(x_);
    start.xdot = std::move(xdot_);
    start.xdot_error = std::move(xdot_error_);
    return start;
  }

  const System& system_;
  Workspace& workspace_;
  double t_;
  const StartValues& guess_;
  std::span<const double> weights_;
  const InitializeOptions& options_;
  std::uint32_t n_;
  std::vector<double> x_, xdot_, f_, w_, x_part_, xdot_part_, x_trial_, xdot_trial_, xdot_scale_,
      xdot_error_;
  JacobianValues jacobian_;
  std::unique_ptr<StartMatrix> matrix_;
  int n_iterations_ = 0;
  std::uint64_t n_evaluations_ = 0;
  bool moves_combinations_ = false;
};

}  // namespace

Result<ConsistentStart> find_consistent_start(const System& system, Workspace& workspace, double t,
                                              const StartValues& guess,
                                              std::span<const double> weights,
                                              const InitializeOptions& options) {
  return Search(system, workspace, t, guess, weights, options).run();
}

}  // namespace saltus
