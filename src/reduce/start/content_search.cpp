#include "reduce/start/content_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <ranges>

#include <saltus/core/text.hpp>

#include "reduce/start/differential_content.hpp"
#include "reduce/matrix/fixed_point.hpp"
#include "reduce/array/scaling.hpp"

namespace saltus::detail {

namespace {

// What is kept may be off by this, of the size of the unknowns.
constexpr double kept_residual = 1e-10;
// Relative residual of a path that is consistent, as far as double precision tells: quad precision does the rest.
constexpr double met_residual = 1e-7;

/// Where a search begins: at the wish, at a consistent point near it, or at the one of the analysis.
enum class From : std::uint8_t { wish, near_wish, analysis };

}  // namespace

std::optional<Eigen::MatrixXd> content_of(const std::vector<double>& path, const ContentOf& of) {
  const int mu = of.ranks.level;
  ArrayCoefficients<double> coefficients;
  const std::vector<double> xi = scaled_path<double>(path, of.scaling);
  if (!of.array.coefficients(xi, mu, of.scaling, coefficients)) return std::nullopt;
  const DenseMatrix<double> array = of.array.jacobian(coefficients, mu, of.scaling, true);
  Eigen::VectorXd unit(static_cast<Eigen::Index>(of.system.size()));
  for (std::uint32_t i = 0; i < of.system.size(); ++i)
    unit[i] = std::ldexp(of.system.nominal(i), -of.scaling.column_exponent[i]);
  const ContentAt here{of.system.pattern(), coefficients, of.scaling, of.ranks, std::move(unit)};
  auto content = differential_content(here, array);
  if (content || !of.is_consistent) return content;
  return tangential_content(here, array, of.system.carries_derivative());
}

Eigen::VectorXd ContentSearch::scaled(const std::vector<double>& path) const {
  const std::vector<double> xi = scaled_path<double>(path, scaling_);
  return Eigen::Map<const Eigen::VectorXd>(xi.data(), static_cast<Eigen::Index>(xi.size()));
}

void ContentSearch::store(const Eigen::VectorXd& xi) {
  path_ = unscaled_path<double>({xi.data(), static_cast<std::size_t>(xi.size())}, scaling_);
}

PathWish ContentSearch::wish(const Eigen::MatrixXd& kept) const {
  return {target_, kept, {}, nullptr, higher_solved_ && search_.tolerated_contradiction() == 0.0};
}

// Where the unit of time is too long, higher coefficients are large and steps lose what is kept.
Result<KeptPath> ContentSearch::run(const std::vector<double>& path, bool higher_solved) {
  constexpr int shorter[] = {0, -4, -8, -12};
  const Eigen::MatrixXd nothing(0, static_cast<Eigen::Index>(n_));
  scaling_ = known_.scaling;
  Result<void> first;
  without_content_.clear();
  for (const int by : shorter) {
    scaling_.time_exponent = std::max(known_.scaling.time_exponent + by, -largest_time_exponent);
    for (const From from : {From::wish, From::near_wish, From::analysis}) {
      path_ = from == From::analysis ? known_.path : path;
      path_.resize(path.size());
      target_ = wish_;
      higher_solved_ = higher_solved || from == From::analysis;
      if (from == From::near_wish && !search_.solve(path_, ranks_.level, scaling_, wish(nothing)))
        continue;
      auto found = from == From::wish ? keep_content() : follow_target();
      if (found) found = correct_by_orders();
      if (found) return KeptPath{std::move(path_), std::move(target_), kept_, scaling_, true};
      if (by == 0 && from == From::wish) first = found;
    }
    if (first.failure().code != FailureCode::not_converged) break;
  }
  if (without_content_.empty()) return first.failure();
  // A start all the same: the report says that it does not keep what was stated.
  return KeptPath{std::move(without_content_), wish_, nothing, known_.scaling, false};
}

// Entries that vanish here and nowhere else count, too.
std::vector<int> ContentSearch::orders_here() {
  constexpr double nearby = 0.1;
  Eigen::VectorXd xi = scaled(path_);
  ArrayCoefficients<double> here, there;
  const auto at = [&](ArrayCoefficients<double>& found) {
    return search_.array().coefficients({xi.data(), static_cast<std::size_t>(xi.size())}, 0,
                                        scaling_, found);
  };
  if (!at(here)) return std::vector<int>(n_, unconstrained);
  // Neither equal nor in a simple ratio to each other.
  for (Eigen::Index k = 0; k < xi.size(); ++k)
    xi[k] += nearby * (1.0 + 0.618 * std::sin(1.0 + 1.7 * static_cast<double>(k))) *
             (1.0 + std::abs(xi[k]));
  if (at(there)) {
    for (std::size_t s = 0; s < here.a.size(); ++s) {
      if (here.a[s] == 0.0) here.a[s] = there.a[s];
      if (here.b[s] == 0.0) here.b[s] = there.b[s];
    }
  }
  return differentiation_orders(system_.pattern(), here.a, here.b);
}

Result<void> ContentSearch::follow_target() {
  constexpr double smallest_part = 1.0 / 256;
  higher_solved_ = true;
  const std::vector<double> from(path_.begin(), path_.begin() + static_cast<std::ptrdiff_t>(n_));
  double done = 0.0, part = 0.5;
  Result<void> found;
  while (done < 1.0 && part >= smallest_part) {
    const double next = std::min(1.0, done + part);
    for (std::size_t i = 0; i < n_; ++i)
      target_[i] = next == 1.0 ? wish_[i] : from[i] + next * (wish_[i] - from[i]);
    const std::vector<double> before = path_;
    found = keep_content();
    if (found) done = next;
    if (!found) path_ = before;
    part *= found ? 2.0 : 0.25;
  }
  return found;
}

Result<void> ContentSearch::correct_by_orders() {
  const auto has_moved = [&](std::uint32_t i) {
    return system_.carries_derivative()[i] != 0 && moves(i);
  };
  const auto unknowns = std::views::iota(std::uint32_t{0}, n_);
  if (std::ranges::none_of(unknowns, has_moved)) return {};
  const std::vector<int> orders = orders_here();
  for (int order = 0; order < ranks_.level; ++order) {
    bool some_moved = false, some_follow = false;
    for (std::uint32_t i = 0; i < n_; ++i) {
      const bool comes_later = orders[i] > order && orders[i] != unconstrained;
      some_follow = some_follow || (comes_later && system_.carries_derivative()[i]);
      if (orders[i] != order) continue;
      some_moved = some_moved || has_moved(i);
      target_[i] = path_[i];
    }
    if (!some_moved || !some_follow) continue;
    if (auto ok = keep_content(); !ok) return ok;
  }
  return {};
}

bool ContentSearch::moves(std::uint32_t i) const {
  constexpr double rounding = 1e-13;
  return std::abs(path_[i] - target_[i]) > rounding * (std::abs(target_[i]) + system_.nominal(i));
}

Result<void> ContentSearch::keep_content() {
  constexpr int most_passes = 60;
  constexpr double rounding = 1e-14, nearly = 1e-12, settled = 1e-9;
  const auto n = static_cast<Eigen::Index>(n_);
  FixedPointMixing mixing(n);
  Eigen::VectorXd taken_at = scaled(path_), answer;
  double last = std::numeric_limits<double>::infinity();
  bool is_settled = false;
  for (int pass = 0; pass < most_passes && !is_settled; ++pass) {
    store(taken_at);
    const bool is_answer = pass > 0 && taken_at == answer;
    auto found = keep_content_of_path(is_answer);
    if (!found && pass == 0) return found;
    if (!found && is_answer) break;
    if (!found) {
      // What is extrapolated may lie too far away.
      mixing.forget();
      taken_at = answer;
      continue;
    }
    answer = scaled(path_);
    const double moved = (answer - taken_at).head(n).norm() / (1.0 + answer.head(n).norm());
    is_settled = pass > 0 && (moved <= rounding || (last <= nearly && moved > last / 2));
    if (pass > 0) last = moved;
    taken_at = pass > 0 ? mixing.next(taken_at, answer) : answer;
  }
  store(answer);
  if (!is_settled && !(last <= settled)) return content_lost();
  restore_kept();
  return {};
}

Result<void> ContentSearch::keep_content_of_path(bool is_consistent) {
  const auto content =
      content_of(path_, {system_, search_.array(), scaling_, ranks_, is_consistent});
  if (!content)
    return Failure{FailureCode::out_of_domain,
                   "start at t = " + to_text(t_) +
                       ": equations cannot be evaluated; other start values or guesses may help"};
  if (auto ok = search_.solve(path_, ranks_.level, scaling_, wish(*content)); !ok) return ok;
  const double residual = std::max(met_residual, search_.tolerated_contradiction());
  if (!is_kept(*content) || !(search_.residual_left() <= residual)) return content_lost();
  higher_solved_ = true;
  kept_ = *content;
  return {};
}

// Unknowns that do not jump have a row for themselves, and were moved by rounding at most.
void ContentSearch::restore_kept() {
  for (Eigen::Index row = 0; row < kept_.rows(); ++row) {
    Eigen::Index at = 0;
    kept_.row(row).cwiseAbs().maxCoeff(&at);
    const auto i = static_cast<std::size_t>(at);
    if ((kept_.row(row).array() != 0.0).count() == 1) path_[i] = target_[i];
  }
}

bool ContentSearch::is_kept(const Eigen::MatrixXd& content) const {
  const auto n = static_cast<Eigen::Index>(n_);
  const Eigen::VectorXd x = scaled(path_).head(n), wished = scaled(target_).head(n);
  return (content * (x - wished)).norm() <= kept_residual * (1.0 + x.norm() + wished.norm());
}

Failure ContentSearch::content_lost() {
  if (without_content_.empty()) without_content_ = path_;
  return {FailureCode::not_converged,
          "start at t = " + to_text(t_) +
              ": no consistent values found that keep what the equations conserve; "
              "stated values nearer to the constraints may help"};
}

}  // namespace saltus::detail
