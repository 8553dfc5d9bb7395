// The derivative array: residual coefficients and formula (E.1), block by block.
#include <functional>

#include <gtest/gtest.h>

#include "support/evaluation.hpp"

namespace saltus::test {
namespace {

/// A residual with everything a derivative array needs.
struct ArrayModel {
  std::unique_ptr<Graph> graph = std::make_unique<Graph>();
  std::vector<NodeId> residual;
  InputSegment unknowns;
  InputSegment held;
  std::uint32_t max_order = 1;
  std::uint32_t n = 0;                    // unknowns
  std::vector<std::vector<double>> path;  // path[j][i]: coefficient j of unknown i
  std::vector<double> held_values;
  double t = 0.3;
};

/// Coefficients that fall like those of a smooth solution.
void choose_path(ArrayModel& m, int order) {
  for (std::uint32_t j = 0; j <= static_cast<std::uint32_t>(order) + m.max_order; ++j) {
    m.path.emplace_back();
    for (std::uint32_t i = 0; i < m.n; ++i)
      m.path[j].push_back(0.9 * std::sin(0.7 * i + 1.3 * j + 0.2) / (1.0 + j));
  }
}

constexpr int array_order = 4;

ArrayModel ladder_model() {
  const engine_models::Ladder ladder(2);
  engine_models::Built b;
  engine_models::build(ladder, b);
  ArrayModel m;
  m.graph = b.graph.thaw();
  m.residual = b.residual;
  m.n = static_cast<std::uint32_t>(ladder.n);
  m.unknowns = {{InputKind::state, 0, m.n, 0}};
  m.held = b.segments[1];
  m.held_values = engine_models::point_of(ladder).p;
  choose_path(m, array_order);
  return m;
}

/// x'' = -lam x, y'' = -lam y - g, x^2 + y^2 = 1: index 3 and second order.
ArrayModel pendulum_model() {
  ArrayModel m;
  Graph& g = *m.graph;
  const Expr x = state(g, "x");
  const Expr y = state(g, "y");
  const Expr lam = algebraic(g, "lam");
  const Expr gravity = parameter(g, "g");
  m.residual = {(der(x, 2) + lam * x).id(), (der(y, 2) + lam * y + gravity).id(),
                (x * x + y * y - 1.0).id()};
  m.n = 3;
  m.unknowns = {{InputKind::state, 0, 2, 0}, {InputKind::algebraic, 0, 1, 0}};
  m.held = {{InputKind::parameter, 0, 1, 0}};
  m.held_values = {9.81};
  m.max_order = 2;
  choose_path(m, array_order);
  return m;
}

double factorial_of(std::uint32_t k) { return k < 2 ? 1.0 : k * factorial_of(k - 1); }

/// Arguments for derivatives of order 0 … highest, of every unknown.
std::vector<InputSegment> segments_up_to(const ArrayModel& m, std::uint32_t highest) {
  std::vector<InputSegment> segments{{{InputKind::time, 0, 1, 0}}, m.held};
  for (std::uint32_t q = 0; q <= highest; ++q) {
    segments.push_back(m.unknowns);
    for (InputRange& range : segments.back()) range.order = q;
  }
  return segments;
}

/// Locks at the beginning of the path.
std::vector<std::uint8_t> locks_on_path(const ArrayModel& m) {
  std::vector<std::vector<double>> arguments{{m.t}, m.held_values};
  for (std::uint32_t q = 0; q <= m.max_order; ++q) {
    arguments.push_back(m.path[q]);
    for (double& v : arguments.back()) v *= factorial_of(q);
  }
  return locks_at(*m.graph, outputs_in_order(*m.graph, m.residual), segments_up_to(m, m.max_order),
                  arguments);
}

template <class T>
std::vector<std::vector<T>> path_as(const ArrayModel& m) {
  std::vector<std::vector<T>> path;
  for (const auto& coefficients : m.path)
    path.emplace_back(coefficients.begin(), coefficients.end());
  return path;
}

template <class T>
void run_on(DerivativeArray<T>& array, const ArrayModel& m, const std::vector<std::vector<T>>& path,
            bool with_jacobian = true) {
  const std::vector<T> held(m.held_values.begin(), m.held_values.end());
  array.set_held(held);
  const std::vector<std::span<const T>> spans(path.begin(), path.end());
  array.run(T(m.t), spans, with_jacobian);
}

DerivativeArrayProgram program_of(ArrayModel& m) {
  return derivative_array_program(*m.graph, m.residual, m.unknowns, m.held, m.max_order);
}

using DenseBlock = std::vector<std::vector<Quad>>;

DenseBlock dense_block(const DerivativeArray<Quad>& array, const ArrayModel& m, int k, int j) {
  DenseBlock d(m.residual.size(), std::vector<Quad>(m.n, Quad()));
  array.block(k, j, [&](index_t row, index_t column, const Quad& v) {
    d[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)] += v;
  });
  return d;
}

/// dF_k/dx_j by central differences in quad precision at step h.
DenseBlock difference_block(DerivativeArray<Quad>& array, const ArrayModel& m, int k, int j,
                            double h) {
  DenseBlock d(m.residual.size(), std::vector<Quad>(m.n, Quad()));
  auto path = path_as<Quad>(m);
  for (std::uint32_t column = 0; column < m.n; ++column) {
    Quad& moved = path[static_cast<std::size_t>(j)][column];
    const Quad at = moved;
    for (const double side : {1.0, -1.0}) {
      moved = at + Quad(side * h);
      run_on(array, m, path, false);
      for (std::size_t row = 0; row < m.residual.size(); ++row)
        d[row][column] += Quad(side) * array.residual(row, k) / Quad(2 * h);
    }
    moved = at;
  }
  return d;
}

/// Entries of all blocks that are off by more than the differences can be. Their error is measured:
/// the distance between steps h and h/2 is three times that of the finer (second order); to it come
/// roundings, a thousand of quad precision divided by h.
long count_wrong_entries(ArrayModel& m, const std::function<Quad(int k, int j, Quad)>& spoil) {
  const DerivativeArrayProgram program = program_of(m);
  const auto locks = locks_on_path(m);
  DerivativeArray<Quad> array(program, array_order);
  DerivativeArray<Quad> moved(program, array_order);
  array.set_locks(locks);
  moved.set_locks(locks);
  run_on(array, m, path_as<Quad>(m));
  const double h = 1e-9;
  const double roundings = 1000 * static_cast<double>(Quad::epsilon()) / h;
  long wrong = 0;
  for (int k = 0; k <= array_order; ++k)
    for (int j = 0; j <= array_order + static_cast<int>(m.max_order); ++j) {
      const DenseBlock found = dense_block(array, m, k, j);
      const DenseBlock coarse = difference_block(moved, m, k, j, h);
      const DenseBlock fine = difference_block(moved, m, k, j, h / 2);
      for (std::size_t row = 0; row < found.size(); ++row)
        for (std::size_t column = 0; column < m.n; ++column) {
          const double size = 1 + static_cast<double>(abs(fine[row][column]));
          const double own =
              static_cast<double>(abs(coarse[row][column] - fine[row][column])) + roundings * size;
          EXPECT_LT(own, 1e-10 * size) << "the yardstick is too coarse";
          const Quad value = spoil(k, j, found[row][column]);
          wrong += static_cast<double>(abs(value - fine[row][column])) <= own ? 0 : 1;
        }
    }
  return wrong;
}

Quad untouched(int, int, Quad v) { return v; }
/// As if x^(q) had been perturbed by tau^(j-q) without its factor j!/(j-q)!, at one coefficient.
Quad without_factor(int k, int j, Quad v) { return j == 3 && k == 2 ? v / Quad(3.0) : v; }

TEST(DerivativeArray, BlocksOfTheLadderAreDifferences) {
  ArrayModel m = ladder_model();
  ASSERT_GT(m.graph->n_switches(), 0U);
  EXPECT_EQ(count_wrong_entries(m, &untouched), 0);
  EXPECT_GT(count_wrong_entries(m, &without_factor), 0);
}

TEST(DerivativeArray, BlocksOfASecondOrderPendulumAreDifferences) {
  ArrayModel m = pendulum_model();
  EXPECT_EQ(count_wrong_entries(m, &untouched), 0);
  EXPECT_GT(count_wrong_entries(m,
                                [](int k, int j, Quad v) {  // x'' loses one of its factors
                                  return k == 1 && j == 3 ? v / Quad(2.0) : v;
                                }),
            0);
}

/// Residual coefficients that differ from k-fold total differentiation divided by k!.
long count_wrong_coefficients(ArrayModel& m, double planted) {
  DerivativeArray<Quad> array(program_of(m), array_order);
  const auto locks = locks_on_path(m);
  array.set_locks(locks);
  run_on(array, m, path_as<Quad>(m), false);
  const std::uint32_t highest = array_order + m.max_order;
  std::vector<NodeId> derivative = m.residual;
  long wrong = 0;
  for (std::uint32_t k = 0; k <= array_order; ++k) {
    Evaluator<Quad> e(
        compile(*m.graph, outputs_in_order(*m.graph, derivative), segments_up_to(m, highest)));
    e.input(0)[0] = Quad(m.t);
    for (std::size_t i = 0; i < m.held_values.size(); ++i) e.input(1)[i] = Quad(m.held_values[i]);
    for (std::uint32_t q = 0; q <= highest; ++q)
      for (std::uint32_t i = 0; i < m.n; ++i)
        e.input(2 + q)[i] = Quad(m.path[q][i]) * Quad(factorial_of(q));
    for (std::size_t s = 0; s < locks.size(); ++s) e.set_lock(static_cast<SwitchId>(s), locks[s]);
    e.run();
    for (std::size_t row = 0; row < m.residual.size(); ++row) {
      const Quad expected = e.outputs()[row] / Quad(factorial_of(k)) + Quad(planted);
      // Thirty-four digits, sixteen of them left for cancellation.
      const double size = 1 + static_cast<double>(abs(expected));
      const Quad off = array.residual(row, static_cast<int>(k)) - expected;
      wrong += static_cast<double>(abs(off)) <= 1e-18 * size ? 0 : 1;
    }
    derivative = total_derivative(*m.graph, derivative);
  }
  return wrong;
}

TEST(DerivativeArray, CoefficientsAreRepeatedTotalDerivatives) {
  ArrayModel ladder = ladder_model();
  EXPECT_EQ(count_wrong_coefficients(ladder, 0), 0);
  ArrayModel pendulum = pendulum_model();
  EXPECT_EQ(count_wrong_coefficients(pendulum, 0), 0);
  EXPECT_GT(count_wrong_coefficients(pendulum, 1e-15), 0);
}

TEST(DerivativeArray, DoubleAndIntervalAgreeWithQuad) {
  for (int which = 0; which < 2; ++which) {
    ArrayModel m = which == 0 ? ladder_model() : pendulum_model();
    const DerivativeArrayProgram program = program_of(m);
    const auto locks = locks_on_path(m);
    DerivativeArray<Quad> exact(program, array_order);
    DerivativeArray<double> plain(program, array_order);
    DerivativeArray<Interval> enclosed(program, array_order);
    exact.set_locks(locks);
    plain.set_locks(locks);
    enclosed.set_locks(locks);
    run_on(exact, m, path_as<Quad>(m));
    run_on(plain, m, path_as<double>(m));
    run_on(enclosed, m, path_as<Interval>(m));
    for (int k = 0; k <= array_order; ++k) {
      for (std::size_t row = 0; row < m.residual.size(); ++row) {
        const Quad q = exact.residual(row, k);
        const Interval& box = enclosed.residual(row, k);
        EXPECT_TRUE(Quad(box.lo()) <= q && q <= Quad(box.hi())) << row << " " << k;
        EXPECT_TRUE(box.contains(plain.residual(row, k))) << row << " " << k;
      }
      for (int j = 0; j <= array_order + static_cast<int>(m.max_order); ++j) {
        std::vector<Quad> values;
        exact.block(k, j, [&](index_t, index_t, const Quad& v) { values.push_back(v); });
        std::size_t next = 0;
        enclosed.block(k, j, [&](index_t, index_t, const Interval& box) {
          ASSERT_LT(next, values.size());
          EXPECT_TRUE(Quad(box.lo()) <= values[next] && values[next] <= Quad(box.hi()));
          ++next;
        });
        EXPECT_EQ(next, values.size());
      }
    }
  }
}

TEST(DerivativeArray, BlocksAboveTheDiagonalAreEmpty) {
  // F_k knows x_0 … x_{k + max_order} only.
  ArrayModel m = pendulum_model();
  DerivativeArray<Quad> array(program_of(m), array_order);
  run_on(array, m, path_as<Quad>(m));
  long entries = 0;
  array.block(0, 3, [&](index_t, index_t, const Quad&) { ++entries; });
  EXPECT_EQ(entries, 0);
  array.block(0, 2, [&](index_t, index_t, const Quad& v) {
    ++entries;
    EXPECT_EQ(v, Quad(2.0));  // x'' = 2 x_2 at tau = 0
  });
  EXPECT_EQ(entries, 2);
}

}  // namespace
}  // namespace saltus::test
