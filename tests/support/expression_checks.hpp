// Properties of the engine on random expressions. Each check returns what it counted, so that a
// test asserts it, a benchmark prints it, and a planted error shows that it would be noticed.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "support/evaluation.hpp"
#include "support/naive_evaluation.hpp"
#include "support/random_expressions.hpp"

namespace saltus::test {

struct CheckCounts {
  long cases = 0;       // comparisons made
  long violations = 0;  // comparisons that failed
  long unresolved = 0;  // expressions on which the yardstick itself was too coarse
  long not_finite = 0;  // values that should be finite and are not
  std::string first;    // the first failing expression and its seed
  void fail(const std::string& text) {
    if (violations++ == 0) first = text;
  }
};

template <class T>
void load_as(Evaluator<T>& e, const std::vector<std::vector<double>>& arguments) {
  for (std::size_t k = 0; k < arguments.size(); ++k)
    for (std::size_t i = 0; i < arguments[k].size(); ++i) e.input(k)[i] = T(arguments[k][i]);
}

template <class E>
void lock_as(E& e, std::span<const std::uint8_t> locks) {
  for (std::size_t s = 0; s < locks.size(); ++s) e.set_lock(static_cast<SwitchId>(s), locks[s]);
}

inline std::string describe(std::uint64_t seed, const Graph& g, NodeId id) {
  return "seed " + std::to_string(seed) + ": " + to_text(g, id);
}

/// Jacobians of random expressions against differences in quad precision and against both pure
/// sweeps. The difference quotient is taken at h and h/2: their distance bounds its own error
/// (second order: the error at h/2 is a third of it), so no tolerance has to be invented.
inline CheckCounts check_derivatives(long n_expressions, std::uint64_t first_seed,
                                     ElementaryRule rule = &elementary_rule) {
  CheckCounts counts;
  constexpr int depth = 6;
  const double h = 1e-8;  // truncation, which is measured below, outweighs roundings by far
  for (long k = 0; k < n_expressions; ++k) {
    const std::uint64_t seed = first_seed + static_cast<std::uint64_t>(k);
    RandomExpressions source(seed);
    Graph& g = source.graph();
    const NodeId f = source.expression(depth).in(g);
    const auto x = source.point();
    const std::vector<Output> value{{.node = f}};
    const auto locks = locks_at(g, value, source.segments(), x);
    const std::vector<InputRange> columns{{InputKind::state, 0, RandomExpressions::n_states, 0},
                                          {InputKind::state, 0, RandomExpressions::n_states, 1}};
    constexpr std::size_t n_columns = 2 * RandomExpressions::n_states;

    std::vector<std::vector<Quad>> rows;  // one dense row per sweep
    for (Sweep sweep : {Sweep::automatic, Sweep::forward, Sweep::reverse}) {
      const Jacobian j = jacobian(g, std::span(&f, 1), columns, {sweep, rule});
      Evaluator<Quad> e(compile(g, j.entries, source.segments()));
      load_as(e, x);
      lock_as(e, locks);
      e.run();
      std::vector<Quad> row(n_columns, Quad(0.0));
      for (std::size_t c = 0; c < n_columns; ++c)
        for (index_t s = j.pattern.column_start[c]; s < j.pattern.column_start[c + 1]; ++s)
          row[c] = e.outputs()[static_cast<std::size_t>(s)];
      rows.push_back(row);
    }

    Evaluator<Quad> e(compile(g, value, source.segments()));
    load_as(e, x);
    lock_as(e, locks);
    e.run();
    if (!isfinite(e.outputs()[0])) {
      ++counts.not_finite;
      continue;
    }
    // A hundred roundings in quad precision, divided by h.
    const double roundings = 100 * static_cast<double>(Quad::epsilon()) *
                             (1 + static_cast<double>(abs(e.outputs()[0]))) / h;
    for (std::size_t c = 0; c < n_columns; ++c) {
      const std::size_t segment = c < RandomExpressions::n_states ? 2 : 3;
      const std::size_t i = c % RandomExpressions::n_states;
      auto difference = [&](double step) {
        const Quad at(x[segment][i]);
        e.input(segment)[i] = at + Quad(step);
        e.run();
        const Quad above = e.outputs()[0];
        e.input(segment)[i] = at - Quad(step);
        e.run();
        const Quad below = e.outputs()[0];
        e.input(segment)[i] = at;
        return (above - below) / Quad(2 * step);
      };
      const Quad coarse = difference(h);
      const Quad fine = difference(h / 2);
      const auto size = static_cast<double>(abs(fine));
      const double own_error = static_cast<double>(abs(coarse - fine)) + roundings;
      if (!isfinite(fine) || own_error > 1e-6 * (1 + size)) {
        ++counts.unresolved;
        continue;
      }
      ++counts.cases;
      const double off = static_cast<double>(abs(rows[0][c] - fine));
      if (!(off <= own_error)) counts.fail(describe(seed, g, f));
      for (std::size_t other : {1U, 2U}) {
        // Equal up to roundings in quad precision, with sixteen digits left for cancellation.
        const double apart = static_cast<double>(abs(rows[0][c] - rows[other][c]));
        if (!(apart <= 1e-18 * (1 + size))) counts.fail(describe(seed, g, f) + " (sweeps differ)");
      }
    }
  }
  return counts;
}

/// Taylor coefficients against repeated symbolic differentiation, in quad precision.
inline CheckCounts check_taylor(long n_expressions, std::uint64_t first_seed) {
  CheckCounts counts;
  constexpr int depth = 6;
  constexpr int order = 3;
  for (long k = 0; k < n_expressions; ++k) {
    const std::uint64_t seed = first_seed + static_cast<std::uint64_t>(k);
    RandomExpressions source(seed);
    Graph& g = source.graph();
    NodeId f = source.expression(depth).in(g);
    auto x = source.point();

    // The path: a polynomial whose derivatives all orders of inputs agree with.
    constexpr std::uint32_t n = RandomExpressions::n_states;
    std::vector<std::vector<double>> path(order + 2, std::vector<double>(n));
    for (std::size_t j = 0; j < path.size(); ++j)
      for (std::size_t i = 0; i < n; ++i)
        path[j][i] = j == 0 ? x[2][i] : std::sin(static_cast<double>(3 * j + i + seed % 7));
    x[3] = path[1];
    const std::vector<Output> value{{.node = f}};
    const auto locks = locks_at(g, value, source.segments(), x);
    auto derivative = [&](std::size_t i, std::size_t q) {  // x_i^(q) at the point
      double factorial = 1;
      for (std::size_t s = 2; s <= q; ++s) factorial *= static_cast<double>(s);
      return Quad(path[q][i]) * Quad(factorial);
    };

    TaylorEvaluator<Quad> series(compile(g, value, source.segments()), order);
    for (std::size_t s = 0; s < 2; ++s)
      for (std::size_t i = 0; i < x[s].size(); ++i) series.input(s, i)[0] = Quad(x[s][i]);
    series.input(0, 0)[1] = Quad(1.0);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t c = 0; c <= order; ++c) {
        series.input(2, i)[c] = Quad(path[c][i]);
        series.input(3, i)[c] = Quad(path[c + 1][i]) * Quad(static_cast<double>(c + 1));
      }
    lock_as(series, locks);
    series.run();

    double factorial = 1;
    double scale = 1;
    for (int q = 0; q <= order; ++q) {
      std::vector<InputSegment> segments = source.segments();
      for (std::uint32_t d = 2; d <= order + 1U; ++d)
        segments.push_back({{InputKind::state, 0, n, d}});
      Evaluator<Quad> e(compile(g, std::vector<Output>{{.node = f}}, segments));
      for (std::size_t s = 0; s < 2; ++s)
        for (std::size_t i = 0; i < x[s].size(); ++i) e.input(s)[i] = Quad(x[s][i]);
      for (std::size_t d = 0; d <= order + 1U; ++d)
        for (std::size_t i = 0; i < n; ++i) e.input(2 + d)[i] = derivative(i, d);
      lock_as(e, locks);
      e.run();
      const Quad expected = e.outputs()[0];
      const Quad found = series.output(0)[static_cast<std::size_t>(q)] * Quad(factorial);
      if (!isfinite(expected) || !isfinite(found)) {
        if (counts.not_finite++ == 0) counts.first = describe(seed, g, f);
        break;
      }
      ++counts.cases;
      scale = std::max(scale, static_cast<double>(abs(expected)));
      if (!(static_cast<double>(abs(found - expected)) <= 1e-18 * scale))
        counts.fail(describe(seed, g, f) + " order " + std::to_string(q));
      f = total_derivative(g, std::span(&f, 1))[0];
      factorial *= q + 1;
    }
  }
  return counts;
}

/// Encloses an expression over a box given per segment and element.
using Boxes = std::vector<std::vector<Interval>>;
using Encloser =
    std::function<Interval(const RandomExpressions&, const Graph&, NodeId, const Boxes&)>;

inline Interval enclose_by_program(const RandomExpressions& source, const Graph& g, NodeId f,
                                   const Boxes& box) {
  Evaluator<Interval> e(
      compile(g, std::vector<Output>{{.node = f}}, source.segments(), {Locking::unlocked}));
  for (std::size_t s = 0; s < box.size(); ++s)
    std::copy(box[s].begin(), box[s].end(), e.input(s).begin());
  e.run();
  return e.outputs()[0];
}

/// Ranges of random expressions over random boxes against samples in quad precision.
inline CheckCounts check_enclosures(long n_samples, std::uint64_t first_seed,
                                    const Encloser& enclose = &enclose_by_program) {
  CheckCounts counts;
  constexpr int depth = 6;
  constexpr long samples_per_box = 100;
  for (long k = 0; k * samples_per_box < n_samples; ++k) {
    const std::uint64_t seed = first_seed + static_cast<std::uint64_t>(k);
    RandomExpressions source(seed);
    Graph& g = source.graph();
    const NodeId f = source.expression(depth).in(g);
    const auto x = source.point();
    // From single points, where only roundings are enclosed, to wide boxes.
    const double width = k % 3 == 0 ? 0.0 : std::pow(10.0, -static_cast<double>(k % 7));
    Boxes box;
    for (std::size_t s = 0; s < x.size(); ++s) {
      box.emplace_back();
      for (double v : x[s]) box[s].push_back(s == 1 ? Interval(v) : Interval(v - width, v + width));
    }
    const Interval range = enclose(source, g, f, box);
    if (std::isnan(range.lo()) || std::isnan(range.hi())) ++counts.not_finite;

    Evaluator<Quad> e(
        compile(g, std::vector<Output>{{.node = f}}, source.segments(), {Locking::unlocked}));
    std::uniform_real_distribution<double> u(0, 1);
    for (long i = 0; i < samples_per_box; ++i) {
      // Most expressions have their extremes at corners.
      const bool is_corner = i < samples_per_box / 4;
      for (std::size_t s = 0; s < box.size(); ++s)
        for (std::size_t c = 0; c < box[s].size(); ++c) {
          const Interval& b = box[s][c];
          const double part = is_corner ? std::round(u(source.rng())) : u(source.rng());
          const double v = b.lo() + part * (b.hi() - b.lo());
          e.input(s)[c] = Quad(std::clamp(v, b.lo(), b.hi()));
        }
      e.run();
      const Quad y = e.outputs()[0];
      if (!isfinite(y)) {
        ++counts.unresolved;  // undefined there: nothing to enclose
        continue;
      }
      ++counts.cases;
      if (!(Quad(range.lo()) <= y && y <= Quad(range.hi()))) counts.fail(describe(seed, g, f));
    }
  }
  return counts;
}

/// Values and derivatives of expressions whose unreached branches are undefined, in plain double:
/// none may be NaN. All tiers and lockings must agree to the last bit.
inline CheckCounts check_branches(long n_expressions, std::uint64_t first_seed) {
  CheckCounts counts;
  constexpr int depth = 6;
  for (long k = 0; k < n_expressions; ++k) {
    const std::uint64_t seed = first_seed + static_cast<std::uint64_t>(k);
    RandomExpressions source(seed);
    Graph& g = source.graph();
    const NodeId f = source.expression(depth).in(g);
    const auto x = source.point();
    const std::vector<InputRange> columns{{InputKind::state, 0, RandomExpressions::n_states, 0}};
    const std::vector<Output> value{{.node = f}};
    const auto locks = locks_at(g, value, source.segments(), x);
    const Jacobian j = jacobian(g, std::span(&f, 1), columns);
    for (const std::vector<Output>& outputs : {value, j.entries}) {
      std::vector<std::vector<double>> results;
      for (Locking locking : {Locking::locked, Locking::unlocked})
        for (Tier tier : {Tier::scalar, Tier::rolled}) {
          Evaluator<double> e(
              compile(g, outputs, source.segments(), {locking, tier, /*rolled_from_lanes=*/1}));
          load(e, x);
          lock_as(e, std::span(locks).first(std::min(locks.size(), e.locks().size())));
          results.push_back(values(e));
        }
      ++counts.cases;
      for (double v : results[0])
        if (std::isnan(v)) {
          ++counts.not_finite;
          counts.fail(describe(seed, g, f) + " (not a number)");
        }
      for (const auto& r : results)
        if (r != results[0]) counts.fail(describe(seed, g, f) + " (tiers differ)");
    }
  }
  return counts;
}

}  // namespace saltus::test
