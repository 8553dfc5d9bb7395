#include <saltus/fit/fit.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <saltus/core/error.hpp>
#include <saltus/core/text.hpp>
#include <saltus/numerics/least_squares.hpp>

#include "fit/kinked_squares.hpp"
#include "fit/report.hpp"

namespace saltus {

namespace {

/// From point to point with a smaller sum of squares.
class Descent {
 public:
  Descent(const LeastSquaresProblem& problem, const FitOptions& options)
      : problem_(problem), parameters_(problem.parameters()), options_(options) {
    for (const FitParameter& p : parameters_) now_.p.push_back(p.start);
  }

  FitResult run() {
    if (!begin()) return std::move(result_);
    while (true) {
      find_free();
      if (is_converged()) return finish(FitStatus::converged);
      if (result_.iterations == options_.max_iterations) {
        result_.message =
            std::to_string(result_.iterations) +
            " iterations were not enough; start from other values, or allow more (max_iterations)";
        return finish(FitStatus::iteration_limit);
      }
      ++result_.iterations;
      if (!try_step()) return finish(say_what_stops());
    }
  }

 private:
  std::size_t n() const { return parameters_.size(); }

  bool begin() {
    ++result_.evaluations;
    auto found = problem_.evaluate(now_.p);
    if (!found) {
      result_.status = FitStatus::no_start;
      result_.message = found.failure().message;
      for (std::size_t k = 0; k < n(); ++k)
        result_.parameters.push_back({parameters_[k].name, now_.p[k], {}, false});
      return false;
    }
    now_.at = std::move(*found);
    if (now_.at.residuals.size() < n())
      throw OptionError("data", "there are " + std::to_string(now_.at.residuals.size()) +
                                    " values for " + std::to_string(n()) + " parameters");
    return true;
  }

  /// On a bound a parameter stays if the sum of squares would fall beyond it.
  void find_free() {
    free_.clear();
    const std::vector<double> slope = slope_of_half_squares(now_.at);
    for (std::size_t k = 0; k < n(); ++k) {
      const bool held = (now_.p[k] <= parameters_[k].lower && slope[k] > 0) ||
                        (now_.p[k] >= parameters_[k].upper && slope[k] < 0);
      if (!held) free_.push_back(k);
    }
  }

  KinkedSquares nearby() const { return {now_, seen_, reach_ * sigma(), negligible_gain()}; }

  /// J of the free parameters, with rows below it that make long steps costly.
  LeastSquaresSolution solve(double damping) const {
    const std::size_t m = now_.at.residuals.size(), n_free = free_.size();
    Matrix a(static_cast<std::uint32_t>(damping > 0 ? m + n_free : m),
             static_cast<std::uint32_t>(n_free));
    std::vector<double> b(a.n_rows, 0.0);
    for (std::size_t i = 0; i < m; ++i) {
      b[i] = -now_.at.residuals[i];
      for (std::size_t j = 0; j < n_free; ++j) a(i, j) = now_.at.jacobian(i, free_[j]);
    }
    for (std::size_t j = 0; damping > 0 && j < n_free; ++j) {
      double size = 0.0;  // of the column: independent of units
      for (std::size_t i = 0; i < m; ++i) size += a(i, j) * a(i, j);
      a(m + j, j) = std::sqrt(damping * (size > 0 ? size : 1.0));
    }
    // Damped columns are independent.
    return solve_least_squares(a, b, damping > 0 ? 0.0 : problem_.accuracy());
  }

  /// Within bounds.
  std::vector<double> after(std::span<const double> step) const {
    std::vector<double> p = now_.p;
    for (std::size_t j = 0; j < free_.size(); ++j) {
      const FitParameter& bounds = parameters_[free_[j]];
      p[free_[j]] = std::clamp(p[free_[j]] + step[j], bounds.lower, bounds.upper);
    }
    return p;
  }

  std::vector<double> difference(std::span<const double> p) const {
    std::vector<double> d(p.begin(), p.end());
    for (std::size_t k = 0; k < n(); ++k) d[k] -= now_.p[k];
    return d;
  }

  /// How residuals of the linearised problem change there.
  std::vector<double> linear_change(std::span<const double> p) const {
    return times(now_.at.jacobian, difference(p));
  }
  double distance(std::span<const double> p) const {
    return std::sqrt(sum_of_squares(linear_change(p)));
  }

  double sigma() const {
    if (problem_.sigma_known()) return 1.0;
    const std::size_t freedom = now_.at.residuals.size() - free_.size();
    return freedom > 0 ? std::sqrt(sum_of_squares(now_.at.residuals) / static_cast<double>(freedom))
                       : 0.0;
  }
  /// Of half the sum of squares, by a step of `within` standard errors.
  double negligible_gain() const { return std::pow(options_.within * sigma(), 2) / 2; }

  bool is_negligible(std::span<const double> p) const {
    for (std::size_t k = 0; k < n(); ++k)
      if (std::abs(p[k] - now_.p[k]) > 1e-12 * std::max(std::abs(now_.p[k]), std::abs(p[k])))
        return false;
    return true;
  }

  bool is_converged() {
    if (free_.empty()) return true;
    const auto p = after(solve(0.0).x);
    if (distance(p) <= options_.within * sigma() || is_negligible(p)) return true;
    const Matrix inverse = solve(almost_none).inverse_normal;
    reach_ = farthest;
    while (true) {
      const KinkedSquares near = nearby();
      const KinkedSquares::Step step = near.step(free_, inverse);
      if (step.promised > negligible_gain()) return false;
      // Points far away may be wrong about what is here: what they say is tried, and nothing concluded from it.
      double farthest_weighed = 0.0;
      for (const std::size_t s : step.weighed)
        farthest_weighed = std::max(farthest_weighed, distance(seen_[s].p) / sigma());
      if (farthest_weighed <= 10 * options_.within) {
        for (const std::size_t s : step.weighed) other_sides_.push_back(&seen_[s]);
        return true;
      }
      reach_ = farthest_weighed / 2;
    }
  }

  /// False if it has become too short to matter.
  bool try_step() {
    const KinkedSquares near = nearby();
    const LeastSquaresSolution smooth = solve(damping_);
    const auto p =
        after(near.has_other_sides() ? near.step(free_, smooth.inverse_normal).d : smooth.x);
    if (is_negligible(p)) return false;
    const double hoped = near.promises(difference(p));
    ++result_.evaluations;
    auto found = problem_.evaluate(p);
    if (!found) {
      result_.refused.push_back({p, found.failure().message});
      return shorten(p);
    }
    const double gained =
        (sum_of_squares(now_.at.residuals) - sum_of_squares(found->residuals)) / 2;
    if (gained > 0 && hoped > 0) {
      // H. B. Nielsen, Damping parameter in Marquardt's method, 1999
      damping_ = std::max(almost_none,
                          damping_ * std::max(1.0 / 3, 1 - std::pow(2 * gained / hoped - 1, 3)));
      raise_ = 2.0;
      remember(std::exchange(now_, {p, std::move(*found)}));
      return true;
    }
    remember({p, std::move(*found)});
    // What was learned makes the next step another one.
    return nearby().knows(seen_.size() - 1) || shorten(p);
  }

  bool shorten(std::span<const double> p) {
    damping_ *= raise_;
    raise_ *= 2;
    return distance(p) > options_.within * sigma();
  }

  void remember(SeenPoint point) {
    constexpr std::size_t enough = 20;  // kinks that meet in one point
    if (seen_.size() == enough) seen_.erase(seen_.begin());
    seen_.push_back(std::move(point));
  }

  // ---- what is said at the end --------------------------------------------------------------------

  /// A residual that is another one beyond any step, however short.
  FitStatus say_what_stops() {
    result_.message =
        "no step lowers the sum of squares, although its derivatives predict a decrease";
    if (!result_.refused.empty()) result_.message += "; " + result_.refused.back().why;
    if (seen_.empty()) return FitStatus::no_decrease;
    const SeenPoint& there = seen_.back();
    const std::vector<double> d = difference(there.p), by_here = linear_change(there.p),
                              by_there = times(there.at.jacobian, d);
    std::size_t largest = 0;
    double jump = 0.0;
    for (std::size_t i = 0; i < by_here.size(); ++i) {
      const double change = there.at.residuals[i] - now_.at.residuals[i];
      // ten times what derivatives of either side allow
      if (std::abs(change) <= 10 * std::max(std::abs(by_here[i]), std::abs(by_there[i]))) continue;
      if (std::abs(change) <= std::abs(jump)) continue;
      jump = change;
      largest = i;
    }
    if (std::abs(jump) <= options_.within * sigma()) return FitStatus::no_decrease;
    result_.message = problem_.residual_name(largest, now_.p) + " jumps by " +
                      to_text_of_error(std::abs(jump)) +
                      (problem_.sigma_known() ? " standard deviations" : "") +
                      " where the search would go on: the values are not a minimum; leave out the "
                      "measurements there, or measure a quantity that does not jump";
    return FitStatus::at_jump;
  }

  void say_what_kinks() {
    std::vector<std::size_t> named;
    for (const SeenPoint* side : other_sides_) {
      // the residual whose slope differs most
      std::size_t largest = 0;
      double most = -1.0;
      for (std::size_t i = 0; i < now_.at.residuals.size(); ++i) {
        double square = 0.0;
        for (std::size_t k = 0; k < n(); ++k) {
          const double error = result_.parameters[k].standard_error.value_or(0.0);
          square += std::pow(error * (side->at.jacobian(i, k) - now_.at.jacobian(i, k)), 2);
        }
        square *= now_.at.residuals[i] * now_.at.residuals[i];
        if (square > most) {
          most = square;
          largest = i;
        }
      }
      if (std::ranges::find(named, largest) == named.end()) named.push_back(largest);
    }
    for (const std::size_t i : named)
      result_.message += (result_.message.empty() ? "smallest at a kink: " : ", and ") +
                         problem_.residual_name(i, now_.p);
  }

  FitResult finish(FitStatus status) {
    result_.status = status;
    result_.covariance = Matrix(static_cast<std::uint32_t>(n()), static_cast<std::uint32_t>(n()));
    for (std::size_t k = 0; k < n(); ++k) {
      const bool is_free = std::ranges::find(free_, k) != free_.end();
      result_.parameters.push_back({parameters_[k].name, now_.p[k], {}, !is_free});
    }
    result_.sum_of_squares = sum_of_squares(now_.at.residuals);
    if (!free_.empty()) add_errors();
    compare_with_sigma();
    say_what_kinks();
    result_.residuals = std::move(now_.at.residuals);
    return std::move(result_);
  }

  /// Columns of J that are combinations of others leave themselves and those others open; the rest keep their errors,
  /// whatever values the open ones have.
  void add_errors() {
    const LeastSquaresSolution all = solve(0.0);
    std::vector<std::size_t> closed = free_;
    for (const std::uint32_t j : all.dependent) std::erase(closed, free_[j]);
    const std::vector<std::size_t> basis = closed;
    std::string why;
    for (const std::uint32_t j : all.dependent) {
      const std::vector<std::size_t> together = combined(basis, free_[j]);
      for (const std::size_t k : together) std::erase(closed, k);
      why += (why.empty() ? "" : "; ") + say_open(free_[j], together);
    }
    if (!why.empty() && result_.status == FitStatus::converged) {
      result_.status = FitStatus::undetermined;
      result_.message = why;
    }
    if (basis.empty()) return;
    const Matrix inverse = of_columns(basis, now_.at.residuals).inverse_normal;
    if (inverse.empty()) return;
    if (!problem_.sigma_known() && now_.at.residuals.size() == free_.size()) {
      result_.warnings.push_back(
          "there are as many values as parameters, so the size of errors is not known; give the "
          "standard deviations of the data");
      return;
    }
    const double variance = sigma() * sigma();
    for (std::size_t i = 0; i < basis.size(); ++i) {
      if (std::ranges::find(closed, basis[i]) == closed.end()) continue;
      for (std::size_t j = 0; j < basis.size(); ++j)
        if (std::ranges::find(closed, basis[j]) != closed.end())
          result_.covariance(basis[i], basis[j]) = variance * inverse(i, j);
      result_.parameters[basis[i]].standard_error =
          std::sqrt(result_.covariance(basis[i], basis[i]));
    }
  }

  LeastSquaresSolution of_columns(std::span<const std::size_t> columns,
                                  std::span<const double> b) const {
    Matrix a(now_.at.jacobian.n_rows, static_cast<std::uint32_t>(columns.size()));
    for (std::size_t i = 0; i < a.n_rows; ++i)
      for (std::size_t j = 0; j < columns.size(); ++j) a(i, j) = now_.at.jacobian(i, columns[j]);
    return solve_least_squares(a, b, problem_.accuracy());
  }

  /// The columns of the basis that make up another one.
  std::vector<std::size_t> combined(std::span<const std::size_t> basis, std::size_t column) const {
    std::vector<std::size_t> found;
    if (basis.empty()) return found;
    const Matrix& jacobian = now_.at.jacobian;
    const auto size = [&](std::size_t k) {
      double squares = 0.0;
      for (std::size_t i = 0; i < jacobian.n_rows; ++i) squares += std::pow(jacobian(i, k), 2);
      return std::sqrt(squares);
    };
    std::vector<double> b(jacobian.n_rows);
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = jacobian(i, column);
    const std::vector<double> x = of_columns(basis, b).x;
    // |x| |column of the basis| > sqrt(eps) |column|: less is rounding
    for (std::size_t j = 0; j < basis.size(); ++j)
      if (std::abs(x[j]) * size(basis[j]) > 1.5e-8 * size(column)) found.push_back(basis[j]);
    return found;
  }

  std::string say_open(std::size_t parameter, std::span<const std::size_t> together) const {
    if (together.empty())
      return "the data say nothing about " + quote(parameters_[parameter].name) +
             ": do not fit it, or measure a quantity that depends on it";
    std::string names;
    for (const std::size_t k : together) names += quote(parameters_[k].name) + " and ";
    return "the data do not determine " + names + quote(parameters_[parameter].name) +
           " separately, only a combination: fit fewer of them, or measure more";
  }

  /// Sums of squares of errors with those deviations, by the rule of Wilson and Hilferty: their cube roots are normal.
  void compare_with_sigma() {
    if (!problem_.sigma_known() || now_.at.residuals.size() <= free_.size()) return;
    const auto freedom = static_cast<double>(now_.at.residuals.size() - free_.size());
    const double part = 2 / (9 * freedom);
    const double deviation =
        (std::cbrt(result_.sum_of_squares / freedom) - (1 - part)) / std::sqrt(part);
    if (std::abs(deviation) <= 4) return;  // once in 16000 times
    const double times = std::sqrt(result_.sum_of_squares / freedom);
    const std::string expected = "sum of squares " + to_text_of_sum(result_.sum_of_squares) +
                                 ", expected " + to_text_of_sum(freedom) + " +- " +
                                 to_text_of_error(std::sqrt(2 * freedom));
    result_.warnings.push_back(
        deviation > 0 ? "residuals are " + to_text_of_error(times) +
                            " times as large as the standard deviations given (" + expected +
                            "): this may be another minimum, the model may not fit, or the "
                            "deviations may be too small; start from other values, fit the "
                            "beginning of the data first, and look at the residuals"
                      : "residuals are only " + to_text_of_error(times) +
                            " times as large as the standard deviations given (" + expected +
                            "): deviations are too large, and standard errors with them");
  }

  /// Damping beside which rounding is small, and which is small beside what data say.
  static constexpr double almost_none = 1e-12;
  /// Standard errors within which residuals are taken for linear, but for kinks.
  static constexpr double farthest = 3.0;

  const LeastSquaresProblem& problem_;
  std::span<const FitParameter> parameters_;
  FitOptions options_;
  SeenPoint now_;
  std::vector<SeenPoint> seen_;  // elsewhere, in the order of their runs
  std::vector<const SeenPoint*> other_sides_;
  std::vector<std::size_t> free_;
  double damping_ = 1e-3;
  double raise_ = 2.0;
  double reach_ = farthest;
  FitResult result_;
};

}  // namespace

FitResult fit(const LeastSquaresProblem& problem, const FitOptions& options) {
  validate_options(options);
  return Descent(problem, options).run();
}

}  // namespace saltus
