// Arrays against their lanes written out: values, locks, derivatives, all algebras.
#include <cstdlib>

#include <gtest/gtest.h>
#include <saltus/core/error.hpp>

#include "support/expression_checks.hpp"
#include "support/random_arrays.hpp"

namespace saltus::test {
namespace {

constexpr std::uint64_t arrays_seed = 20240611;

long array_cases(long slice) {
  const char* text = std::getenv("SALTUS_PROPERTY_CASES");
  return text != nullptr ? std::atol(text) : slice;
}

/// Lengths on both sides of everything that depends on them: one lane, a few, and more than the
/// lanes the rolled interpreter takes at once.
std::uint32_t lanes_of_case(long k) {
  constexpr std::uint32_t lengths[] = {1, 2, 3, 4, 5, 7};
  return k % 16 == 15 ? 131 : lengths[k % 6];
}

/// One array expression and a scalar that reduces arrays, as arrays and with every lane written out.
struct ArrayCase {
  RandomArrays source;
  std::vector<NodeId> rows;     // as arrays
  std::vector<NodeId> written;  // one scalar per lane, in the order of the rows
  std::vector<std::vector<double>> x;
  std::string name;

  ArrayCase(long k, int depth)
      : source(arrays_seed + static_cast<std::uint64_t>(k), lanes_of_case(k)) {
    Graph& g = source.graph();
    rows = {source.array(depth).id(), source.scalar(depth).in(g), source.array(depth).id()};
    for (NodeId id : rows)
      for (std::uint32_t j = 0; j < g.lane_count(id); ++j) written.push_back(g.lane(id, j));
    x = source.point();
    name = "seed " + std::to_string(arrays_seed + static_cast<std::uint64_t>(k)) + ", " +
           std::to_string(source.n()) + " lanes: " + to_text(g, rows[0]) + " | " +
           to_text(g, rows[1]) + " | " + to_text(g, rows[2]);
  }

  std::size_t n_rows() const { return written.size(); }
};

/// The value of an input at a point of RandomArrays.
double at_point(const ArrayCase& c, const Input& in) {
  if (in.kind == InputKind::time) return c.x[0][0];
  if (in.kind == InputKind::parameter) return c.x[1][in.index];
  if (in.kind == InputKind::discrete) return c.x[1][c.source.n() + 1];
  return c.x[2 + in.order][in.index];
}

/// All rows lane by lane, without any program.
template <class T>
std::vector<T> rows_by_recursion(ArrayCase& c, const std::function<T(const Input&)>& input,
                                 std::span<const NodeId> rows) {
  const Graph& g = c.source.graph();
  LaneByLane<T> e(g, input);
  std::vector<T> values;
  for (NodeId id : rows)
    for (std::uint32_t j = 0; j < g.lane_count(id); ++j) values.push_back(e.value(id, j));
  return values;
}

/// Equal as numbers (a zero may differ in sign: 0 * x is folded), NaN never.
bool same_numbers(std::span<const double> a, std::span<const double> b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
}

/// An internal error of one case must not hide the others.
void run_case(CheckCounts& counts, const std::string& name, const std::function<void()>& body) {
  try {
    body();
  } catch (const std::exception& e) {
    counts.fail(name + ": " + e.what());
  }
}

// ---- values and locks --------------------------------------------------------------------------

/// Runs every tier and locking on arrays and on lanes; `spoil` may plant an error.
CheckCounts check_array_values(long n_cases,
                               const std::function<void(std::vector<double>&)>& spoil) {
  CheckCounts counts;
  for (long k = 0; k < n_cases; ++k) {
    ArrayCase c(k, 3);
    Graph& g = c.source.graph();
    const std::vector<Output> arrays = outputs_in_order(g, c.rows);
    const std::vector<Output> lanes = outputs_in_order(g, c.written);
    std::vector<double> expected = rows_by_recursion<double>(
        c, [&](const Input& in) { return at_point(c, in); }, c.rows);
    spoil(expected);
    run_case(counts, c.name, [&] {
      const auto reference = locks_at(g, lanes, c.source.segments(), c.x);
      for (const auto* outputs : {&arrays, &lanes})
        for (Locking locking : {Locking::unlocked, Locking::locked})
          for (Tier tier : {Tier::scalar, Tier::rolled})
            for (std::uint32_t from : {1U, 3U}) {
              Evaluator<double> e(compile(g, *outputs, c.source.segments(), {locking, tier, from}));
              load(e, c.x);
              if (locking == Locking::locked) lock_as(e, reference);
              const std::vector<double> found = values(e);
              ++counts.cases;
              if (!same_numbers(found, expected))
                counts.fail(c.name + (outputs == &arrays ? " (arrays" : " (lanes") +
                            (tier == Tier::rolled ? ", rolled" : ", scalar") +
                            (locking == Locking::locked ? ", locked)" : ", unlocked)"));
              if (locking == Locking::locked) continue;
              for (std::size_t s = 0; s < reference.size(); ++s)
                if (reference[s] != lock_inactive && e.locks()[s] != lock_inactive &&
                    e.locks()[s] != reference[s])
                  counts.fail(c.name + " (lock " + std::to_string(s) + ")");
            }
    });
  }
  return counts;
}

TEST(Arrays, ValuesAndLocksAreThoseOfTheirLanesToTheLastBit) {
  const CheckCounts c = check_array_values(array_cases(200), [](std::vector<double>&) {});
  EXPECT_EQ(c.violations, 0) << c.first;
}

TEST(Arrays, ADifferenceInTheLastBitIsNoticed) {
  const CheckCounts c = check_array_values(
      20, [](std::vector<double>& v) { v.back() = std::nextafter(v.back(), 2 * v.back() + 1); });
  EXPECT_EQ(c.violations, c.cases);
}

// ---- derivatives -------------------------------------------------------------------------------

/// Values of nodes in quad precision under given locks.
std::vector<Quad> quad_values(const Graph& g, std::span<const Output> outputs, const ArrayCase& c,
                              std::span<const std::uint8_t> locks) {
  Evaluator<Quad> e(compile(g, outputs, c.source.segments()));
  load_as(e, c.x);
  lock_as(e, locks);
  e.run();
  return {e.outputs().begin(), e.outputs().end()};
}

std::vector<std::vector<Quad>> dense_rows(const Jacobian& j, std::span<const Quad> v) {
  std::vector<std::vector<Quad>> d(
      static_cast<std::size_t>(j.pattern.n_rows),
      std::vector<Quad>(static_cast<std::size_t>(j.pattern.n_cols), Quad(0.0)));
  for (std::size_t c = 0; c < static_cast<std::size_t>(j.pattern.n_cols); ++c)
    for (auto s = static_cast<std::size_t>(j.pattern.column_start[c]);
         s < static_cast<std::size_t>(j.pattern.column_start[c + 1]); ++s)
      d[static_cast<std::size_t>(j.pattern.row[s])][c] = v[s];
  return d;
}

/// Quad precision has 34 digits; sixteen are left for cancellation.
bool same_in_quad(Quad found, Quad expected) {
  const double scale = 1 + static_cast<double>(abs(expected));
  return static_cast<double>(abs(found - expected)) <= 1e-18 * scale;
}

/// d(rows)/d(states) and d(rows)/d(der(states)) by dual numbers, column by column.
std::vector<std::vector<Quad>> dual_rows(ArrayCase& c) {
  const std::size_t m = c.source.n_states();
  std::vector<std::vector<Quad>> d(c.n_rows(), std::vector<Quad>(2 * m, Quad(0.0)));
  for (std::size_t column = 0; column < 2 * m; ++column) {
    const auto values = rows_by_recursion<Dual<Quad>>(
        c,
        [&](const Input& in) {
          const bool moves = in.kind == InputKind::state && in.order * m + in.index == column;
          return Dual<Quad>(Quad(at_point(c, in)), Quad(moves ? 1.0 : 0.0));
        },
        c.rows);
    for (std::size_t r = 0; r < values.size(); ++r) d[r][column] = values[r].d;
  }
  return d;
}

CheckCounts check_array_jacobians(long n_cases, ElementaryRule rule = &elementary_rule) {
  CheckCounts counts;
  for (long k = 0; k < n_cases; ++k) {
    ArrayCase c(k % 16 == 15 ? k + 1 : k, 3);  // without the long ones: the comparison is dense
    Graph& g = c.source.graph();
    const std::vector<InputRange> columns{{InputKind::state, 0, c.source.n_states(), 0},
                                          {InputKind::state, 0, c.source.n_states(), 1}};
    std::vector<std::uint8_t> locks;
    run_case(counts, c.name, [&] {
      locks = locks_at(g, outputs_in_order(g, c.written), c.source.segments(), c.x);
    });
    const auto expected = dual_rows(c);
    for (const std::vector<NodeId>* rows : {&c.rows, &c.written})
      for (Sweep sweep : {Sweep::automatic, Sweep::forward, Sweep::reverse}) {
        const std::string which = c.name + (rows == &c.rows ? " (arrays" : " (lanes") + ", sweep " +
                                  std::to_string(static_cast<int>(sweep)) + ")";
        ++counts.cases;
        run_case(counts, which, [&] {
          const Jacobian j = jacobian(g, *rows, columns, {sweep, rule});
          const auto found = dense_rows(j, quad_values(g, j.entries, c, locks));
          bool good = found.size() == expected.size();
          for (std::size_t r = 0; good && r < found.size(); ++r)
            for (std::size_t i = 0; i < found[r].size(); ++i)
              good = good && same_in_quad(found[r][i], expected[r][i]);
          if (!good) counts.fail(which);
        });
      }
  }
  return counts;
}

TEST(Arrays, JacobiansAreThoseOfTheirLanes) {
  const CheckCounts c = check_array_jacobians(array_cases(60));
  EXPECT_EQ(c.violations, 0) << c.violations << " of " << c.cases << ", first: " << c.first;
}

NodeId rule_with_wrong_sine(Graph& g, Op op, NodeId self, NodeId a, NodeId w) {
  if (op == Op::sin) return g.neg(elementary_rule(g, op, self, a, w));
  return elementary_rule(g, op, self, a, w);
}

TEST(Arrays, AWrongRuleInAJacobianOfArraysIsNoticed) {
  EXPECT_GT(check_array_jacobians(20, &rule_with_wrong_sine).violations,
            check_array_jacobians(20).violations);
}

/// A derivative may have been found equal in all lanes.
std::vector<NodeId> as_arrays(Graph& g, std::span<const NodeId> derivatives,
                              std::span<const NodeId> of) {
  std::vector<NodeId> out;
  for (std::size_t i = 0; i < of.size(); ++i)
    out.push_back(g.is_array(of[i]) ? g.broadcast(derivatives[i], g.lane_count(of[i]))
                                    : derivatives[i]);
  return out;
}

/// `speed` of inputs as seen by the oracle; derivatives of arrays and of lanes must agree with it.
CheckCounts check_array_directions(
    long n_cases, const std::function<Quad(const ArrayCase&, const Input&)>& speed,
    const std::function<std::vector<NodeId>(Graph&, std::span<const NodeId>)>& differentiate) {
  CheckCounts counts;
  for (long k = 0; k < n_cases; ++k) {
    ArrayCase c(k, 3);
    Graph& g = c.source.graph();
    const auto expected = rows_by_recursion<Dual<Quad>>(
        c, [&](const Input& in) { return Dual<Quad>(Quad(at_point(c, in)), speed(c, in)); },
        c.rows);
    run_case(counts, c.name, [&] {
      const auto locks = locks_at(g, outputs_in_order(g, c.written), c.source.segments(), c.x);
      for (const std::vector<NodeId>* rows : {&c.rows, &c.written}) {
        const auto d = as_arrays(g, differentiate(g, *rows), *rows);
        const auto found = quad_values(g, outputs_in_order(g, d), c, locks);
        ++counts.cases;
        bool good = found.size() == expected.size();
        for (std::size_t r = 0; good && r < found.size(); ++r)
          good = same_in_quad(found[r], expected[r].d);
        if (!good) counts.fail(c.name + (rows == &c.rows ? " (arrays)" : " (lanes)"));
      }
    });
  }
  return counts;
}

/// Along time: a variable moves with its next derivative.
Quad speed_in_time(const ArrayCase& c, const Input& in) {
  if (in.kind == InputKind::time) return {1.0};
  return in.kind == InputKind::state ? Quad(at_point(c, {in.kind, in.index, in.order + 1}))
                                     : Quad();
}

TEST(Arrays, TotalDerivativesAreThoseOfTheirLanes) {
  const CheckCounts c = check_array_directions(
      array_cases(200), &speed_in_time,
      [](Graph& g, std::span<const NodeId> rows) { return total_derivative(g, rows); });
  EXPECT_EQ(c.violations, 0) << c.first;
}

TEST(Arrays, ATotalDerivativeThatForgetsTimeIsNoticed) {
  const CheckCounts c = check_array_directions(
      20,
      [](const ArrayCase& k, const Input& in) {
        return in.kind == InputKind::time ? Quad() : speed_in_time(k, in);
      },
      [](Graph& g, std::span<const NodeId> rows) { return total_derivative(g, rows); });
  EXPECT_GT(c.violations, 0);
}

TEST(Arrays, TangentsAreThoseOfTheirLanes) {
  // A direction in which parameters move too, each input with its own speed.
  const auto speed = [](const Input& in) {
    return 0.25 * (1 + in.index % 5) - (in.kind == InputKind::state ? 0.5 * in.order : 0.125);
  };
  const CheckCounts c = check_array_directions(
      array_cases(200), [&](const ArrayCase&, const Input& in) { return Quad(speed(in)); },
      [&](Graph& g, std::span<const NodeId> rows) {
        return tangent(g, rows, [&](Graph& graph, InputId id) {
          return graph.constant(speed(graph.input(id)));
        });
      });
  EXPECT_EQ(c.violations, 0) << c.first;
}

// ---- other algebras ----------------------------------------------------------------------------

/// Series of all inputs: the point, and speeds for the higher coefficients.
template <class T>
void load_series(TaylorEvaluator<T>& e, const ArrayCase& c) {
  for (std::size_t s = 0; s < c.x.size(); ++s)
    for (std::size_t i = 0; i < c.x[s].size(); ++i) {
      e.input(s, i)[0] = T(c.x[s][i]);
      if (s == 1) continue;  // held
      for (int q = 1; q <= e.order(); ++q)
        e.input(s, i)[static_cast<std::size_t>(q)] =
            T(0.5 * std::sin(static_cast<double>(s + 3 * i) + q));
    }
}

/// All coefficients of all rows, in one tier.
template <class T>
std::vector<T> run_series(const ArrayCase& c, const Graph& g, std::span<const NodeId> rows,
                          Tier tier, int order, std::span<const std::uint8_t> locks) {
  TaylorEvaluator<T> e(
      compile(g, outputs_in_order(g, rows), c.source.segments(), {Locking::locked, tier, 2}),
      order);
  load_series(e, c);
  lock_as(e, locks);
  e.run();
  std::vector<T> all;
  for (std::size_t r = 0; r < c.n_rows(); ++r)
    all.insert(all.end(), e.output(r).begin(), e.output(r).end());
  return all;
}

TEST(Arrays, SeriesAreThoseOfTheirLanes) {
  // A convolution has no order of its own: lanes may exchange factors, so quad precision compares.
  CheckCounts counts;
  for (long k = 0; k < array_cases(100); ++k) {
    ArrayCase c(k, 3);
    Graph& g = c.source.graph();
    run_case(counts, c.name, [&] {
      const auto locks = locks_at(g, outputs_in_order(g, c.written), c.source.segments(), c.x);
      const auto expected = run_series<Quad>(c, g, c.written, Tier::scalar, 2, locks);
      const auto found = run_series<Quad>(c, g, c.rows, Tier::scalar, 2, locks);
      const auto enclosed = run_series<Interval>(c, g, c.rows, Tier::scalar, 2, locks);
      for (std::size_t i = 0; i < expected.size(); ++i) {
        ++counts.cases;
        if (!same_in_quad(found[i], expected[i])) counts.fail(c.name);
        if (!(Quad(enclosed[i].lo()) <= expected[i] && expected[i] <= Quad(enclosed[i].hi())))
          counts.fail(c.name + " (not enclosed)");
      }
    });
  }
  EXPECT_EQ(counts.violations, 0) << counts.first;
  EXPECT_GT(counts.cases, 0);
}

TEST(Arrays, SeriesOfRolledLanesAreThoseOfScalarCodeToTheLastBit) {
  CheckCounts counts;
  for (long k = 0; k < array_cases(200); ++k) {
    ArrayCase c(k, 3);
    Graph& g = c.source.graph();
    run_case(counts, c.name, [&] {
      const auto locks = locks_at(g, outputs_in_order(g, c.written), c.source.segments(), c.x);
      const auto expected = run_series<double>(c, g, c.written, Tier::scalar, 3, locks);
      if (run_series<double>(c, g, c.written, Tier::rolled, 3, locks) != expected)
        counts.fail(c.name);
    });
  }
  EXPECT_EQ(counts.violations, 0) << counts.first;
}

TEST(Arrays, TheFirstCoefficientIsTheDerivative) {
  // The same oracle as for Jacobians: a series and dual numbers share no code.
  CheckCounts counts;
  for (long k = 0; k < array_cases(200); ++k) {
    ArrayCase c(k, 3);
    Graph& g = c.source.graph();
    const auto expected = rows_by_recursion<Dual<Quad>>(
        c,
        [&](const Input& in) {
          const std::size_t s = in.kind == InputKind::time ? 0 : 2 + in.order;
          const bool moves = in.kind == InputKind::time || in.kind == InputKind::state;
          const double speed = 0.5 * std::sin(static_cast<double>(s + 3 * in.index) + 1);
          return Dual<Quad>(Quad(at_point(c, in)), Quad(moves ? speed : 0.0));
        },
        c.rows);
    run_case(counts, c.name, [&] {
      const auto locks = locks_at(g, outputs_in_order(g, c.written), c.source.segments(), c.x);
      const auto found = run_series<Quad>(c, g, c.rows, Tier::automatic, 1, locks);
      for (std::size_t r = 0; r < expected.size(); ++r)
        if (!same_in_quad(found[2 * r + 1], expected[r].d)) counts.fail(c.name);
    });
  }
  EXPECT_EQ(counts.violations, 0) << counts.first;
}

TEST(Arrays, RangesContainThoseOfTheirLanesAndThePoint) {
  // Written out, x - x vanishes and x * x is a square: lanes may be tighter, never wider.
  CheckCounts counts;
  long undecided = 0;
  for (long k = 0; k < array_cases(150); ++k) {
    ArrayCase c(k, 3);
    Graph& g = c.source.graph();
    const double width = k % 3 == 0 ? 0.0 : std::pow(10.0, -static_cast<double>(k % 5));
    auto run = [&](const std::vector<NodeId>& rows, Tier tier) {
      Evaluator<Interval> e(
          compile(g, outputs_in_order(g, rows), c.source.segments(), {Locking::unlocked, tier, 2}));
      for (std::size_t s = 0; s < c.x.size(); ++s)
        for (std::size_t i = 0; i < c.x[s].size(); ++i)
          e.input(s)[i] =
              s == 1 ? Interval(c.x[s][i]) : Interval(c.x[s][i] - width, c.x[s][i] + width);
      e.run();
      for (std::uint8_t m : e.locks()) undecided += m == lock_undecided ? 1 : 0;
      return std::vector<Interval>(e.outputs().begin(), e.outputs().end());
    };
    const auto inside = rows_by_recursion<Quad>(
        c, [&](const Input& in) { return Quad(at_point(c, in)); }, c.rows);
    run_case(counts, c.name, [&] {
      const auto lanes = run(c.written, Tier::scalar);
      const auto rolled_lanes = run(c.written, Tier::rolled);
      const auto arrays = run(c.rows, Tier::scalar);
      for (std::size_t r = 0; r < lanes.size(); ++r) {
        ++counts.cases;
        if (lanes[r].lo() != rolled_lanes[r].lo() || lanes[r].hi() != rolled_lanes[r].hi())
          counts.fail(c.name + " (rolled)");
        if (!(arrays[r].lo() <= lanes[r].lo() && lanes[r].hi() <= arrays[r].hi()))
          counts.fail(c.name + " (wider)");
        if (!(Quad(lanes[r].lo()) <= inside[r] && inside[r] <= Quad(lanes[r].hi())))
          counts.fail(c.name + " (point)");
      }
    });
  }
  EXPECT_EQ(counts.violations, 0) << counts.first;
  EXPECT_GT(undecided, 0);  // hulls were met
}

TEST(Arrays, EightPointsAtOnceAreEightRuns) {
  CheckCounts counts;
  for (long k = 0; k < array_cases(60); ++k) {
    ArrayCase c(k, 3);
    Graph& g = c.source.graph();
    run_case(counts, c.name, [&] {
      for (Locking locking : {Locking::unlocked, Locking::locked}) {
        const auto program =
            compile(g, outputs_in_order(g, c.rows), c.source.segments(), {locking});
        const auto deciding = compile(g, outputs_in_order(g, c.rows), c.source.segments(),
                                      {Locking::unlocked, Tier::rolled});
        Evaluator<Batch> eight(program);
        std::vector<std::uint8_t> masks(program->n_switches(), 0);
        std::vector<std::vector<double>> expected;
        for (int lane = 0; lane < Batch::lanes; ++lane) {
          const auto x = c.source.point();
          Evaluator<double> decide(deciding);
          load(decide, x);
          decide.run();
          Evaluator<double> one(program);
          load(one, x);
          for (std::size_t s = 0; s < masks.size(); ++s) {
            const std::uint8_t m = decide.locks()[s] == lock_true ? 1 : 0;
            one.set_lock(static_cast<SwitchId>(s), m);
            masks[s] = static_cast<std::uint8_t>(masks[s] | (m << lane));
          }
          expected.push_back(values(one));
          for (std::size_t s = 0; s < x.size(); ++s)
            for (std::size_t i = 0; i < x[s].size(); ++i) eight.input(s)[i][lane] = x[s][i];
        }
        if (locking == Locking::locked)
          for (std::size_t m = 0; m < masks.size(); ++m)
            eight.set_lock_mask(static_cast<SwitchId>(m), masks[m]);
        eight.run();
        for (std::size_t r = 0; r < c.n_rows(); ++r)
          for (int lane = 0; lane < Batch::lanes; ++lane) {
            ++counts.cases;
            if (!(eight.outputs()[r][lane] == expected[static_cast<std::size_t>(lane)][r]))
              counts.fail(c.name);
          }
      }
    });
  }
  EXPECT_EQ(counts.violations, 0) << counts.first;
  EXPECT_GT(counts.cases, 0);
}

// ---- small cases -------------------------------------------------------------------------------

/// A dense Jacobian with respect to all states, at states 1, 2, 3, ….
std::vector<std::vector<double>> small_jacobian(Graph& g, std::vector<NodeId> rows) {
  const std::uint32_t m = g.count(InputKind::state);
  const Jacobian j = jacobian(g, rows, std::vector<InputRange>{{InputKind::state, 0, m, 0}});
  EXPECT_TRUE(j.pattern.validate());
  Evaluator<double> e(
      compile(g, j.entries, std::vector<InputSegment>{{{InputKind::state, 0, m, 0}}}));
  for (std::uint32_t i = 0; i < m; ++i) e.input(0)[i] = 1.0 + i;
  e.run();
  std::vector<std::vector<double>> d(static_cast<std::size_t>(j.pattern.n_rows),
                                     std::vector<double>(m, 0.0));
  for (std::uint32_t c = 0; c < m; ++c)
    for (auto s = static_cast<std::size_t>(j.pattern.column_start[c]);
         s < static_cast<std::size_t>(j.pattern.column_start[c + 1]); ++s)
      d[static_cast<std::size_t>(j.pattern.row[s])][c] = e.outputs()[s];
  return d;
}

std::vector<double> small_values(Graph& g, std::vector<NodeId> rows) {
  const std::uint32_t m = g.count(InputKind::state);
  Evaluator<double> e(compile(g, outputs_in_order(g, rows),
                              std::vector<InputSegment>{{{InputKind::state, 0, m, 0}}}));
  for (std::uint32_t i = 0; i < m; ++i) e.input(0)[i] = 1.0 + i;
  e.run();
  return {e.outputs().begin(), e.outputs().end()};
}

using Dense = std::vector<std::vector<double>>;

TEST(Arrays, AColumnMetTwiceUnderASumIsAdded) {
  Graph g;
  const Expr u = states(g, "u", 4);
  const Expr f = sum(map(3, [&](Index i) { return u[i] * u[i + 1]; }));
  EXPECT_EQ(small_jacobian(g, {f.id()}), (Dense{{2, 4, 6, 3}}));
}

TEST(Arrays, RepeatedIndicesAreAddedUnderASumAndKeptApartInRows) {
  Graph g;
  const Expr u = states(g, "u", 3);
  const Expr a = concat({u, u.slice(1, 1)})[Index{0, 3, 2}] * u[Index{1, 0, 2}];  // u0 u1, u1 u1
  EXPECT_EQ(small_values(g, {a.id()}), (std::vector<double>{2, 4}));
  EXPECT_EQ(small_jacobian(g, {a.id()}), (Dense{{2, 1, 0}, {0, 4, 0}}));
  EXPECT_EQ(small_jacobian(g, {sum(a).id()}), (Dense{{2, 5, 0}}));
}

TEST(Arrays, ConcatOfAComputedScalarDependsOnWhatItIsComputedFrom) {
  Graph g;
  const Expr s = state(g, "s");
  const Expr u = states(g, "u", 2);
  const Expr a = concat({s * s * u[1], u, 7.0}) * 10.0;  // at s = 1, u = 2, 3
  EXPECT_EQ(small_values(g, {a.id()}), (std::vector<double>{30, 20, 30, 70}));
  EXPECT_EQ(small_jacobian(g, {a.id()}), (Dense{{60, 0, 10}, {0, 10, 0}, {0, 0, 10}, {0, 0, 0}}));
}

TEST(Arrays, ASumOverAConcatInsideAnArrayIsDifferentiated) {
  Graph g;
  const Expr s = state(g, "s");
  const Expr u = states(g, "u", 2);
  const Expr a = u * sum(concat({s * s, u, 1.0}) * 2.0);  // the sum is 14 at s = 1, u = 2, 3
  EXPECT_EQ(small_values(g, {a.id()}), (std::vector<double>{28, 42}));
  EXPECT_EQ(small_jacobian(g, {a.id()}), (Dense{{8, 14 + 4, 4}, {12, 6, 14 + 6}}));
}

TEST(Arrays, AnArrayReadWholeAndByLanesIsDifferentiatedLaneByLane) {
  Graph g;
  const Expr s = state(g, "s");
  const Expr u = states(g, "u", 3);
  const Expr a = s * u;
  const Expr r = a - a[Index{2, -1, 3}];
  EXPECT_EQ(small_jacobian(g, {r.id()}), (Dense{{-2, 1, 0, -1}, {0, 0, 0, 0}, {2, -1, 0, 1}}));
}

TEST(Arrays, AScalarInAnArraySummedWholeAndByLanesIsCountedInEveryLane) {
  Graph g;
  const Expr s = state(g, "s");
  const Expr u = states(g, "u", 3);
  const Expr a = s * u;
  const Expr f = sum(a) + sum(a.slice(0, 2));
  EXPECT_EQ(small_jacobian(g, {f.id()}), (Dense{{9 + 5, 2, 2, 1}}));
}

TEST(Arrays, EqualLanesWrittenOutHaveTheSameGradient) {
  Graph g;
  const Expr u = states(g, "u", 3);
  const Expr a = sqr(u[Index{1, 0, 2}]);  // u1 twice
  ASSERT_EQ(a[0].id(), a[1].id());
  EXPECT_EQ(small_jacobian(g, {a.id()}), (Dense{{0, 4, 0}, {0, 4, 0}}));
  EXPECT_EQ(small_jacobian(g, {a[0].id(), a[1].id()}), (Dense{{0, 4, 0}, {0, 4, 0}}));
}

TEST(Arrays, ASumInABranchReadsScalarsOfThisRun) {
  // Families run whether their branch is taken or not; what they read must not be skipped because
  // the condition of the branch is decided later.
  for (const bool first : {true, false}) {
    Graph g;
    const Expr s = state(g, "s");
    const Expr v = states(g, "v", 2);
    const Expr total = sum(concat({sin(s), v}));
    const Expr f = first ? where(v[0] > 0.0, total, 0.5) : where(v[0] > 1.0, 0.5, total);
    const std::vector<Output> outputs{{.node = f.id()}};
    const std::vector<InputSegment> segments{{{InputKind::state, 0, 3, 0}}};
    const auto program = compile(g, outputs, segments, {Locking::unlocked, Tier::scalar});
    Evaluator<double> one(program);
    Evaluator<Batch> eight(program);
    for (const double at : {1.0, 2.0}) {
      const double x[] = {at, 0.25, 0.75};
      for (std::size_t i = 0; i < 3; ++i) {
        one.input(0)[i] = x[i];
        eight.input(0)[i] = Batch(x[i]);
      }
      one.run();
      eight.run();
      EXPECT_EQ(one.outputs()[0], std::sin(at) + 0.25 + 0.75) << first;
      EXPECT_EQ(eight.outputs()[0][5], std::sin(at) + 0.25 + 0.75) << first;
    }
  }
}

TEST(Arrays, ALaneOfATrackedRelationMayBeHeld) {
  // The array varies, so its relation has switches; its second lane compares held values only.
  Graph g;
  const Expr u = states(g, "u", 1);
  const Expr p = parameters(g, "p", 2);
  const Expr a = max(p, concat({u, 0.25}));
  const std::vector<NodeId> rows{a[0].id(), a[1].id()};
  const std::vector<InputSegment> segments{{{InputKind::state, 0, 1, 0}},
                                           {{InputKind::parameter, 0, 2, 0}}};
  for (const Tier tier : {Tier::scalar, Tier::rolled}) {
    Evaluator<double> e(
        compile(g, outputs_in_order(g, rows), segments, {Locking::unlocked, tier, 1}));
    e.input(0)[0] = 3;
    e.input(1)[0] = 2;
    for (const double held : {0.5, 0.125}) {
      e.input(1)[1] = held;
      EXPECT_EQ(values(e), (std::vector<double>{3, std::max(held, 0.25)}));
      EXPECT_EQ(e.locks()[1], held > 0.25 ? lock_true : lock_false);
    }
  }
}

TEST(Arrays, AnArrayOfOneLaneIsAnArray) {
  Graph g;
  const Expr u = states(g, "u", 1);
  ASSERT_TRUE(u.is_array());
  const Expr a = sin(u) * 2.0;
  EXPECT_TRUE(a.is_array());
  EXPECT_EQ(small_values(g, {a.id(), sum(a).in(g)}),
            (std::vector<double>{2 * std::sin(1.0), 2 * std::sin(1.0)}));
  EXPECT_EQ(small_jacobian(g, {(u * u).id()}), (Dense{{2}}));
  EXPECT_TRUE((0.0 * u).is_array());
  EXPECT_EQ((0.0 * u + 1.0).size(), 1U);
  EXPECT_NO_THROW((0.0 * u + 1.0)[0]);
}

TEST(Arrays, AVanishingArrayKeepsItsSize) {
  Graph g;
  const Expr u = states(g, "u", 5);
  EXPECT_EQ((0.0 * u).size(), 5U);
  EXPECT_EQ((u - u).size(), 5U);
  EXPECT_EQ(pow(u, 0).size(), 5U);
  EXPECT_EQ((0.0 / (u + 1.0)).size(), 5U);
  const Expr same = where(u > 2.0, 1.0, 0.0) + where(u > 2.0, 0.0, 1.0);
  EXPECT_EQ(same.size(), 5U);
  EXPECT_EQ(small_values(g, {sum(0.0 * u + 1.0).in(g), sum(same).in(g), sum(pow(u, 0)).in(g)}),
            (std::vector<double>{5, 5, 5}));
}

TEST(Arrays, DerivativesKeepTheNumberOfLanes) {
  Graph g;
  const Expr p = parameters(g, "p", 3);
  const Expr a = p * time(g);
  const Expr held = p + 1.0;
  const std::vector<NodeId> rows{a.id(), held.id()};
  const auto d = total_derivative(g, rows);
  EXPECT_EQ(g.lane_count(d[0]), 3U);
  EXPECT_EQ(g.lane_count(d[1]), 3U) << "a vanishing derivative of an array";
}

TEST(Arrays, TwoLengthsInOneProgram) {
  Graph g;
  const Expr u = states(g, "u", 3);
  const Expr w = states(g, "w", 5);
  const Expr a = u * sum(w);                      // sum 4 + … + 8 = 30
  const Expr b = w + sum(a) * concat({u, 0, 0});  // sum 180
  EXPECT_EQ(small_values(g, {a.id(), b.id()}),
            (std::vector<double>{30, 60, 90, 184, 365, 546, 7, 8}));
  EXPECT_THROW(u + w, ModelError);
  EXPECT_THROW(where(u > 0.0, w, 0.0), ModelError);
}

TEST(Arrays, ManyArraysInOneProgram) {
  // More results of one length than a family has registers for.
  Graph g;
  const Expr u = states(g, "u", 3);
  std::vector<NodeId> rows;
  for (int k = 0; k < 600; ++k) rows.push_back((u * (k + 0.5)).id());
  const auto v = small_values(g, rows);
  ASSERT_EQ(v.size(), 1800U);
  for (int k = 0; k < 600; ++k)
    for (int j = 0; j < 3; ++j)
      ASSERT_EQ(v[static_cast<std::size_t>(3 * k + j)], (1.0 + j) * (k + 0.5));
}

TEST(Arrays, AnElementThatNoOutputNeedsNeedsNoArgument) {
  Graph g;
  const Expr u = states(g, "u", 4);
  const Expr sliced = (2 * der(u) + u).slice(1, 3);
  const std::vector<NodeId> rows{sliced.id()};
  const std::vector<Output> outputs = outputs_in_order(g, rows);
  EXPECT_EQ(needed_inputs(g, outputs).size(), 6U);  // three elements and their derivatives
  const std::vector<InputSegment> segments{{{InputKind::state, 1, 3, 0}},
                                           {{InputKind::state, 1, 3, 1}}};
  Evaluator<double> e(compile(g, outputs, segments));
  for (std::size_t i = 0; i < 3; ++i) {
    e.input(0)[i] = 2.0 + static_cast<double>(i);
    e.input(1)[i] = 10.0;
  }
  e.run();
  EXPECT_EQ(std::vector<double>(e.outputs().begin(), e.outputs().end()),
            (std::vector<double>{22, 23, 24}));
  // One that an output needs still has to be given.
  const std::vector<InputSegment> fewer{{{InputKind::state, 1, 3, 0}},
                                        {{InputKind::state, 2, 2, 1}}};
  EXPECT_THROW(compile(g, outputs, fewer), ModelError);
  // A sum needs every element.
  const std::vector<NodeId> whole{sum(der(u)).id()};
  EXPECT_THROW(compile(g, outputs_in_order(g, whole), segments), ModelError);
}

std::string index_refusal(const std::function<void()>& f) {
  try {
    f();
  } catch (const ModelError& e) {
    return e.what();
  }
  return "accepted";
}

TEST(Arrays, AnIndexOutOfRangeIsRefusedWithIndexAndSize) {
  Graph g;
  const Expr u = states(g, "u", 4);
  const std::string above = index_refusal([&] { map(4, [&](Index i) { return u[i + 1]; }); });
  EXPECT_NE(above.find("element 4: the array has elements 0 to 3"), std::string::npos) << above;
  EXPECT_NE(above.find("number 3 of a family"), std::string::npos) << above;
  const std::string below = index_refusal([&] { map(4, [&](Index i) { return u[i - 2]; }); });
  EXPECT_NE(below.find("element -2: the array has elements 0 to 3"), std::string::npos) << below;
  const std::string one = index_refusal([&] { u[7]; });
  EXPECT_NE(one.find("no element 7: the array has elements 0 to 3"), std::string::npos) << one;
  EXPECT_EQ(index_refusal([&] { map(3, [&](Index i) { return u[i + 1]; }); }), "accepted");
}

}  // namespace
}  // namespace saltus::test
