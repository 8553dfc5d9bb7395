// What DepartureSearch says about hard steps, compared with brute force and quad precision.
#pragma once

#include <memory>

#include <saltus/events.hpp>

#include "problems/detection_cases.hpp"

namespace saltus::problems {

/// Verdicts on a set of steps. From n_missed on, fields count failures.
struct DetectionTally {
  std::uint64_t n_steps = 0;
  std::uint64_t n_departures = 0;  // reported
  std::uint64_t n_touches = 0;     // reported as marginal, without departure
  std::uint64_t n_hidden =
      0;  // of these: not farther from zero than rounding errors there may add up to
  std::uint64_t n_control_missed = 0;  // by signs at the ends of the step
  std::uint64_t n_missed = 0;          // brute force knows a point on the wrong side before
  std::uint64_t n_false = 0;           // reported, but no sign change in quad precision
  std::uint64_t n_unproven = 0;        // heuristic: none of these functions should be
  std::string complaint;               // the first failure

  void add(const DetectionTally& other) {
    n_steps += other.n_steps;
    n_departures += other.n_departures;
    n_touches += other.n_touches;
    n_hidden += other.n_hidden;
    n_control_missed += other.n_control_missed;
    n_missed += other.n_missed;
    n_false += other.n_false;
    n_unproven += other.n_unproven;
  }
};

/// Functions with what looks for their departures: ours, the control, and the truth.
struct DetectionSearch {
  explicit DetectionSearch(DetectionFunctions& f)
      : functions(f),
        search(f.functions(), f.enclosure()),
        control(f.functions(), f.enclosure(), {.enclosures = false}) {
    for (std::uint32_t k = 0; k < f.count(); ++k) {
      exact.push_back(std::make_unique<ExactFunction>(f.exact(), k));
    }
  }

  DetectionFunctions& functions;
  DepartureSearch search;
  DepartureSearch control;
  std::vector<std::unique_ptr<ExactFunction>> exact;
};

class DetectionStudy {
 public:
  explicit DetectionStudy(std::uint64_t seed) : rng_(seed) {}

  /// Degree 5 in the first three states, the others constant.
  test::OwnedStep random_step(std::uint32_t n_states, double decay);

  /// Two zeros `2 separation` of a step apart, side by side with nothing else.
  DetectionTally close_pairs(std::uint64_t n, double separation) {
    return constructed(
        n, [&](const LowestPoint& p) { return -p.curvature * separation * separation; });
  }
  /// A minimum at this height above zero; zero: a touch, as far as an offset in double allows.
  DetectionTally near_misses(std::uint64_t n, double height) {
    return constructed(n, [&](const LowestPoint&) { return height; });
  }
  /// Coefficients like decay^k: all kinds at once, each from the side it is on.
  DetectionTally steps(std::uint64_t n, double decay);
  /// Random functions of the grammar, ten steps each.
  DetectionTally grammar(std::uint64_t n, int depth);

  /// Plain evaluations per step and function of the last steps().
  double mean_work() const { return mean_work_; }

 private:
  using Lowest = std::optional<double>;  // a position believed to be the lowest

  template <class Height>
  DetectionTally constructed(std::uint64_t n, const Height& height);
  static void check(DetectionSearch& searched, const StepPolynomial& step,
                    const std::vector<std::int8_t>& side, const Lowest& lowest, int n_brute,
                    DetectionTally& tally);
  static void check_departure(ExactFunction& g, const StepPolynomial& step, double side,
                              const Departure& d, DetectionTally& tally);
  double uniform(double a, double b) { return std::uniform_real_distribution<double>(a, b)(rng_); }

  std::mt19937_64 rng_;
  DetectionFunctions kinds_{n_detection_states, detection_kinds};
  DetectionSearch searched_{kinds_};
  double mean_work_ = 0.0;
};

inline test::OwnedStep DetectionStudy::random_step(std::uint32_t n_states, double decay) {
  std::vector<std::vector<double>> x(n_states);
  for (std::uint32_t i = 0; i < n_states; ++i) {
    double scale = 1.0;
    for (int k = 0; k <= (i < 3 ? 5 : 0); ++k) {
      x[i].push_back(uniform(-1.0, 1.0) * scale);
      scale *= decay;
    }
  }
  const double t = uniform(-5.0, 5.0), h = uniform(0.1, 1.0);
  const bool is_backward = uniform(0.0, 1.0) < 0.25;
  return {t, is_backward ? t - h : t + h, x};
}

/// The sign of side * g at a position: certain, or 0.
inline int certain_sign(test::ExpressionSwitching& functions, std::uint32_t which, double side,
                        const StepPolynomial& step, double s) {
  Interval g;
  functions.series(which, step, Interval(s), 0, std::span(&g, 1));
  if (side < 0) g = -g;
  return g.certainly_positive() ? 1 : g.certainly_negative() ? -1 : 0;
}

/// How wide an enclosure at a point is depends on the binades that its intermediate results happen to be in:
/// a little beside it may be twice as wide.
inline constexpr double rounding_margin = 2.0;

/// On the wrong side by more than what the rounding errors of its evaluation may add up to: closer ones may be
/// called touches, but must not be denied.
inline bool is_clearly_wrong(test::ExpressionSwitching& functions, std::uint32_t which, double side,
                             const StepPolynomial& step, double s) {
  Interval g;
  functions.series(which, step, Interval(s), 0, std::span(&g, 1));
  if (side < 0) g = -g;
  return g.hi() < -rounding_margin * g.width();
}

inline void DetectionStudy::check(DetectionSearch& searched, const StepPolynomial& step,
                                  const std::vector<std::int8_t>& side, const Lowest& lowest,
                                  int n_brute, DetectionTally& tally) {
  ++tally.n_steps;
  std::uint64_t marginal = 0, heuristic = 0;
  for (const DetectionCounts& c : searched.search.counts()) {
    marginal += c.n_marginal, heuristic += c.n_heuristic;
  }
  const auto found = searched.search.first(step, 0.0, {side, {}, {}});
  for (const DetectionCounts& c : searched.search.counts()) {
    marginal -= c.n_marginal, heuristic -= c.n_heuristic;
  }
  if (heuristic != 0) ++tally.n_unproven;
  if (!found.empty()) ++tally.n_departures;
  if (found.empty() && marginal != 0) ++tally.n_touches;

  const double s_found = found.empty() ? 2.0 : found[0].s_after;
  const auto plain = searched.control.first(step, 0.0, {side, {}, {}});
  const double s_control = plain.empty() ? 2.0 : plain[0].s_after;
  bool is_missed = false, is_missed_by_control = false;
  test::ExpressionSwitching& functions = searched.functions.exact();
  for (std::uint32_t k = 0; k < functions.count(); ++k) {
    if (side[k] == 0) continue;
    ExactFunction& g = *searched.exact[k];
    const auto look = [&](double s) {
      const bool is_wrong =
          side[k] * g.plain(step, s) < 0 && is_clearly_wrong(functions, k, side[k], step, s);
      is_missed = is_missed || (is_wrong && s < s_found);
      // Refined to a few ulp: what is later by more than rounding is another one.
      is_missed_by_control = is_missed_by_control || (is_wrong && s < s_control - 1e-12);
      return is_wrong;
    };
    for (int i = 1; i <= n_brute; ++i) {
      if (look(static_cast<double>(i) / n_brute)) break;
    }
    if (!lowest) continue;
    look(*lowest);
    Interval at_lowest;
    if (found.empty() && marginal != 0 &&
        searched.functions.enclosure()->series(k, step, Interval(*lowest), 0,
                                               std::span(&at_lowest, 1)) &&
        at_lowest.mig() <= rounding_margin * at_lowest.width()) {
      ++tally.n_hidden;
    }
    if (found.empty() && marginal == 0 &&
        Quad(side[k]) * g.exact(step, Quad(*lowest)) < Quad(0.0)) {
      ++tally.n_false;  // a proof that there is nothing
    }
  }
  if (is_missed) ++tally.n_missed;
  if (is_missed_by_control) ++tally.n_control_missed;
  for (const Departure& d : found) {
    check_departure(*searched.exact[d.which], step, side[d.which], d, tally);
  }
}

/// Evaluation in double may find the sign a little beside the place of its change, as far as its error and
/// the slope allow. Within that it must change in quad precision.
inline void DetectionStudy::check_departure(ExactFunction& g, const StepPolynomial& step,
                                            double side, const Departure& d,
                                            DetectionTally& tally) {
  const double ulp = 0x1p-52 * std::max({1.0, std::abs(step.t_left), std::abs(step.t_right)}) /
                     std::abs(step.t_right - step.t_left);
  const double noise = g.noise(step, d.s_after);
  bool is_shown = false, is_beyond_noise = false;
  for (double w = 4 * ulp; w < 1.0 && !is_shown && !is_beyond_noise; w *= 2) {
    const Quad before = ExactFunction::position_of(step, d.t_before) - Quad(w);
    const Quad after = ExactFunction::position_of(step, d.t_after) + Quad(w);
    const Quad at_before = Quad(side) * g.exact(step, max(before, Quad(0.0)));
    const Quad at_after = Quad(side) * g.exact(step, min(after, Quad(1.0)));
    is_shown = at_before >= Quad(0.0) && at_after < Quad(0.0);
    is_beyond_noise = saltus::abs(at_before) > Quad(noise) && saltus::abs(at_after) > Quad(noise);
  }
  // A marginal one may be made of rounding, and of nothing else.
  const bool may_hide = d.guarantee == Guarantee::marginal &&
                        saltus::abs(g.exact(step, ExactFunction::position_of(step, d.t_after))) <=
                            Quad(rounding_margin * noise);
  if (!is_shown && !may_hide) ++tally.n_false;
}

template <class Height>
DetectionTally DetectionStudy::constructed(std::uint64_t n, const Height& height) {
  DetectionTally tally;
  std::vector<std::int8_t> side(n_detection_kinds, 0);
  while (tally.n_steps < n) {
    test::OwnedStep owned = random_step(n_detection_states, 0.9);
    const auto k = static_cast<std::uint32_t>(tally.n_steps % n_detection_kinds);
    const double sign = uniform(0.0, 1.0) < 0.5 ? -1.0 : 1.0;
    double& offset = owned.coefficients[3 + k];
    offset = 0.0;
    const auto lowest = lowest_inside(*searched_.exact[k], owned.step(), sign);
    if (!lowest) continue;
    offset = sign * (height(*lowest) - lowest->value);
    if (certain_sign(kinds_.exact(), k, sign, owned.step(), 0.0) <= 0) continue;
    std::fill(side.begin(), side.end(), std::int8_t{0});
    side[k] = sign < 0 ? -1 : 1;
    check(searched_, owned.step(), side, lowest->s, 64, tally);
  }
  return tally;
}

inline DetectionTally DetectionStudy::steps(std::uint64_t n, double decay) {
  DetectionTally tally;
  DetectionSearch searched(kinds_);
  std::vector<std::int8_t> side(n_detection_kinds);
  while (tally.n_steps < n) {
    const test::OwnedStep owned = random_step(n_detection_states, decay);
    for (std::uint32_t k = 0; k < n_detection_kinds; ++k) {
      side[k] = searched.exact[k]->plain(owned.step(), 0.0) < 0 ? -1 : 1;
    }
    check(searched, owned.step(), side, std::nullopt, 500, tally);
  }
  std::uint64_t work = 0, checks = 0;
  for (const DetectionCounts& c : searched.search.counts()) {
    work += c.n_evaluations, checks += c.n_steps;
  }
  mean_work_ = static_cast<double>(work) / static_cast<double>(checks);
  return tally;
}

inline DetectionTally DetectionStudy::grammar(std::uint64_t n, int depth) {
  DetectionTally tally;
  while (tally.n_steps < n) {
    const std::uint64_t seed = rng_();
    DetectionFunctions functions(3, [&](const Expr& t, const std::vector<Expr>& x) {
      std::mt19937_64 rng(seed);  // the same expression each time
      return std::vector{x[0] + grammar_expression(rng, t, x, depth)};
    });
    DetectionSearch searched(functions);
    for (int j = 0; j < 10 && tally.n_steps < n; ++j) {
      const test::OwnedStep owned = random_step(3, 0.9);
      ExactFunction& g = *searched.exact[0];
      const std::vector<std::int8_t> side = {
          static_cast<std::int8_t>(g.plain(owned.step(), 0.0) < 0 ? -1 : 1)};
      const auto lowest = lowest_inside(g, owned.step(), side[0]);
      check(searched, owned.step(), side, lowest ? Lowest(lowest->s) : std::nullopt, 1000, tally);
    }
  }
  return tally;
}

}  // namespace saltus::problems
