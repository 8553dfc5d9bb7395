#include <saltus/fit/fit.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <saltus/core/error.hpp>
#include <saltus/core/text.hpp>
#include <saltus/numerics/least_squares.hpp>

namespace saltus {

namespace {

double sum_of_squares(std::span<const double> r) {
  return std::inner_product(r.begin(), r.end(), r.begin(), 0.0);
}

/// From point to point with a smaller sum of squares.
class Descent {
 public:
  Descent(const LeastSquaresProblem& problem, const FitOptions& options)
      : problem_(problem), parameters_(problem.parameters()), options_(options) {
    for (const FitParameter& p : parameters_) p_.push_back(p.start);
  }

  FitResult run() {
    if (!begin()) return std::move(result_);
    while (true) {
      find_free();
      if (is_converged()) return finish(FitStatus::converged, "");
      if (result_.iterations == options_.max_iterations)
        return finish(FitStatus::iteration_limit,
                      std::to_string(result_.iterations) + " iterations were not enough");
      ++result_.iterations;
      if (!try_step())
        return finish(FitStatus::no_decrease,
                      "no step lowers the sum of squares, though its derivatives say so" +
                          (result_.refused.empty() ? "" : "; " + result_.refused.back().why));
    }
  }

 private:
  std::size_t n() const { return parameters_.size(); }

  bool begin() {
    ++result_.evaluations;
    auto found = problem_.evaluate(p_);
    if (!found) {
      result_.status = FitStatus::no_start;
      result_.message = found.failure().message;
      for (std::size_t k = 0; k < n(); ++k)
        result_.parameters.push_back({parameters_[k].name, p_[k], {}, false});
      return false;
    }
    at_ = std::move(*found);
    if (at_.residuals.size() < n())
      throw OptionError("data", "there are " + std::to_string(at_.residuals.size()) +
                                    " values for " + std::to_string(n()) + " parameters");
    return true;
  }

  /// On a bound a parameter stays if the sum of squares would fall beyond it.
  void find_free() {
    free_.clear();
    for (std::size_t k = 0; k < n(); ++k) {
      double slope = 0.0;
      for (std::size_t i = 0; i < at_.residuals.size(); ++i)
        slope += at_.jacobian(i, k) * at_.residuals[i];
      const bool held = (p_[k] <= parameters_[k].lower && slope > 0) ||
                        (p_[k] >= parameters_[k].upper && slope < 0);
      if (!held) free_.push_back(k);
    }
  }

  /// J of the free parameters, with rows below it that make long steps costly.
  LeastSquaresSolution solve(double damping) const {
    const std::size_t m = at_.residuals.size(), n_free = free_.size();
    Matrix a(static_cast<std::uint32_t>(damping > 0 ? m + n_free : m),
             static_cast<std::uint32_t>(n_free));
    std::vector<double> b(a.n_rows, 0.0);
    for (std::size_t i = 0; i < m; ++i) {
      b[i] = -at_.residuals[i];
      for (std::size_t j = 0; j < n_free; ++j) a(i, j) = at_.jacobian(i, free_[j]);
    }
    for (std::size_t j = 0; damping > 0 && j < n_free; ++j) {
      double size = 0.0;  // of the column: independent of units
      for (std::size_t i = 0; i < m; ++i) size += a(i, j) * a(i, j);
      a(m + j, j) = std::sqrt(damping * (size > 0 ? size : 1.0));
    }
    return solve_least_squares(a, b);
  }

  /// Within bounds.
  std::vector<double> after(std::span<const double> step) const {
    std::vector<double> p = p_;
    for (std::size_t j = 0; j < free_.size(); ++j) {
      const FitParameter& bounds = parameters_[free_[j]];
      p[free_[j]] = std::clamp(p[free_[j]] + step[j], bounds.lower, bounds.upper);
    }
    return p;
  }

  /// Residuals of the linearised problem there.
  std::vector<double> predicted(std::span<const double> p) const {
    std::vector<double> r = at_.residuals;
    for (std::size_t i = 0; i < r.size(); ++i)
      for (std::size_t k = 0; k < n(); ++k) r[i] += at_.jacobian(i, k) * (p[k] - p_[k]);
    return r;
  }

  double sigma() const {
    if (problem_.sigma_known()) return 1.0;
    const std::size_t freedom = at_.residuals.size() - free_.size();
    return freedom > 0 ? std::sqrt(sum_of_squares(at_.residuals) / static_cast<double>(freedom))
                       : 0.0;
  }

  bool is_negligible(std::span<const double> p) const {
    for (std::size_t k = 0; k < n(); ++k)
      if (std::abs(p[k] - p_[k]) > 1e-12 * std::max(std::abs(p_[k]), std::abs(p[k]))) return false;
    return true;
  }

  bool is_converged() const {
    if (free_.empty()) return true;
    const auto p = after(solve(0.0).x);
    std::vector<double> change = predicted(p);
    for (std::size_t i = 0; i < change.size(); ++i) change[i] -= at_.residuals[i];
    return std::sqrt(sum_of_squares(change)) <= options_.within * sigma() || is_negligible(p);
  }

  /// False if it has become too short to matter.
  bool try_step() {
    const auto p = after(solve(damping_).x);
    if (is_negligible(p)) return false;
    const double now = sum_of_squares(at_.residuals);
    const double hoped = now - sum_of_squares(predicted(p));
    ++result_.evaluations;
    auto found = problem_.evaluate(p);
    if (!found) result_.refused.push_back({p, found.failure().message});
    const double gained = found ? now - sum_of_squares(found->residuals) : -1.0;
    if (!(gained > 0) || !(hoped > 0)) {
      damping_ *= raise_;
      raise_ *= 2;
      return true;
    }
    // H. B. Nielsen, Damping parameter in Marquardt's method, 1999
    damping_ *= std::max(1.0 / 3, 1 - std::pow(2 * gained / hoped - 1, 3));
    raise_ = 2.0;
    p_ = p;
    at_ = std::move(*found);
    return true;
  }

  FitResult finish(FitStatus status, std::string message) {
    result_.status = status;
    result_.message = std::move(message);
    result_.covariance = Matrix(static_cast<std::uint32_t>(n()), static_cast<std::uint32_t>(n()));
    for (std::size_t k = 0; k < n(); ++k) {
      const bool is_free = std::ranges::find(free_, k) != free_.end();
      result_.parameters.push_back({parameters_[k].name, p_[k], {}, !is_free});
    }
    result_.sum_of_squares = sum_of_squares(at_.residuals);
    if (!free_.empty()) add_errors(solve(0.0));
    result_.residuals = std::move(at_.residuals);
    return std::move(result_);
  }

  void add_errors(const LeastSquaresSolution& linear) {
    if (!linear.dependent.empty()) {
      std::string names;
      for (const std::uint32_t j : linear.dependent)
        names += (names.empty() ? "'" : ", '") + parameters_[free_[j]].name + "'";
      if (result_.status != FitStatus::converged) return;
      result_.status = FitStatus::undetermined;
      result_.message = "with the other parameters given the data do not determine " + names;
      return;
    }
    const double variance = sigma() * sigma();
    for (std::size_t i = 0; i < free_.size(); ++i) {
      for (std::size_t j = 0; j < free_.size(); ++j)
        result_.covariance(free_[i], free_[j]) = variance * linear.inverse_normal(i, j);
      result_.parameters[free_[i]].standard_error =
          std::sqrt(result_.covariance(free_[i], free_[i]));
    }
  }

  const LeastSquaresProblem& problem_;
  std::span<const FitParameter> parameters_;
  FitOptions options_;
  std::vector<double> p_;
  ResidualValues at_;
  std::vector<std::size_t> free_;
  double damping_ = 1e-3;
  double raise_ = 2.0;
  FitResult result_;
};

}  // namespace

std::string_view name(FitStatus status) noexcept {
  switch (status) {
    case FitStatus::converged:
      return "converged";
    case FitStatus::undetermined:
      return "undetermined";
    case FitStatus::no_decrease:
      return "no decrease";
    case FitStatus::iteration_limit:
      return "iteration limit";
    case FitStatus::no_start:
      return "no start";
  }
  return "?";
}

const FittedParameter& FitResult::of(std::string_view parameter) const {
  std::vector<std::string_view> known;
  for (const FittedParameter& p : parameters) {
    if (p.name == parameter) return p;
    known.push_back(p.name);
  }
  const auto nearest = nearest_name(parameter, known);
  throw Error("no parameter " + quote(parameter) + " was fitted" +
              (nearest ? "; did you mean " + quote(*nearest) + "?" : std::string()));
}

FitResult fit(const LeastSquaresProblem& problem, const FitOptions& options) {
  validate_options(options);
  return Descent(problem, options).run();
}

std::string to_text(const FitResult& result) {
  std::string text = std::string(name(result.status)) + " after " +
                     std::to_string(result.iterations) + " iterations, " +
                     std::to_string(result.evaluations) + " runs";
  if (!result.message.empty()) text += ": " + result.message;
  text += "\n";
  for (const FittedParameter& p : result.parameters) {
    text += "  " + p.name + " = " + to_text(p.value);
    if (p.standard_error) text += " +- " + to_text(*p.standard_error);
    if (p.at_bound) text += ", on its bound";
    text += "\n";
  }
  text += "  sum of squares " + to_text(result.sum_of_squares) + " of " +
          std::to_string(result.residuals.size()) + " residuals\n";
  for (const RefusedTrial& trial : result.refused) text += "  refused: " + trial.why + "\n";
  return text;
}

}  // namespace saltus
