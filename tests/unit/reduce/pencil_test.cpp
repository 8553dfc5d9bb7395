#include <saltus/reduce/pencil.hpp>

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include <saltus/reduce/dependence.hpp>

namespace saltus {
namespace {

constexpr double pencil_eps = std::numeric_limits<double>::epsilon();

Matrix matrix_of(std::initializer_list<std::initializer_list<double>> rows) {
  Matrix m(static_cast<std::uint32_t>(rows.size()),
           static_cast<std::uint32_t>(rows.begin()->size()));
  m.values.clear();
  for (const auto& row : rows) m.values.insert(m.values.end(), row.begin(), row.end());
  return m;
}

Matrix product_of(const Matrix& a, const Matrix& b) {
  Matrix c(a.n_rows, b.n_cols);
  for (std::size_t i = 0; i < a.n_rows; ++i)
    for (std::size_t j = 0; j < b.n_cols; ++j)
      for (std::size_t k = 0; k < a.n_cols; ++k) c(i, j) += a(i, k) * b(k, j);
  return c;
}

/// The largest distance of an expected eigenvalue to its nearest one, relative; infinite if counts differ.
double distance_to(const PencilAnalysis& found, std::vector<std::complex<double>> expected) {
  if (found.modes.size() != expected.size()) return 1e300;
  double worst = 0.0;
  for (const PencilMode& mode : found.modes) {
    auto nearest = std::min_element(expected.begin(), expected.end(), [&](auto p, auto q) {
      return std::abs(p - mode.value) < std::abs(q - mode.value);
    });
    worst = std::max(worst, std::abs(*nearest - mode.value) / std::max(1.0, std::abs(*nearest)));
    expected.erase(nearest);
  }
  return worst;
}

TEST(Pencil, OrdinaryDifferentialEquation) {
  const auto found =
      analyze_pencil({matrix_of({{1, 0}, {0, 1}}), matrix_of({{0, 1}, {-2, -3}}), {}, {}, {}, {}});
  EXPECT_TRUE(found.regular);
  EXPECT_EQ(found.index, 0u);
  EXPECT_EQ(found.n_infinite, 0u);
  EXPECT_LT(distance_to(found, {-1.0, -2.0}), 100 * pencil_eps);
  EXPECT_GT(distance_to(found, {-1.0, -2.0 + 1e-6}), 1e-7);  // the measure can tell
  EXPECT_FALSE(found.controllability.has_value());
  EXPECT_FALSE(found.observability.has_value());
}

/// Pendulum of length l hanging at rest, unknowns x, y, u, v, lambda.
LinearSystem hanging_pendulum(double g, double l) {
  LinearSystem s;
  s.e = matrix_of(
      {{1, 0, 0, 0, 0}, {0, 1, 0, 0, 0}, {0, 0, 1, 0, 0}, {0, 0, 0, 1, 0}, {0, 0, 0, 0, 0}});
  // u' = -lambda x, v' = -lambda y - g, x^2 + y^2 = l^2; at rest y = -l, lambda = g/l.
  s.a = matrix_of({{0, 0, 1, 0, 0},
                   {0, 0, 0, 1, 0},
                   {-g / l, 0, 0, 0, 0},
                   {0, -g / l, 0, 0, l},
                   {0, -2 * l, 0, 0, 0}});
  return s;
}

TEST(Pencil, PendulumOfIndexThree) {
  for (const double l : {1.0, 1e-3, 1e4}) {
    const auto found = analyze_pencil(hanging_pendulum(9.81, l));
    ASSERT_TRUE(found.regular);
    EXPECT_EQ(found.index, 3u);
    EXPECT_EQ(found.n_infinite, 3u);
    const std::complex<double> i(0.0, std::sqrt(9.81 / l));
    EXPECT_LT(distance_to(found, {i, -i}), 1000 * pencil_eps) << l;
    EXPECT_TRUE(found.remarks.empty());
  }
}

TEST(Pencil, AMixedPencilHasTheSameModes) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  LinearSystem s = hanging_pendulum(9.81, 1.0);
  const auto any = [&] {
    Matrix m(5, 5);
    for (double& v : m.values) v = normal(random);
    return m;
  };
  for (int repeat = 0; repeat < 20; ++repeat) {
    const Matrix p = any(), q = any();
    const auto found = analyze_pencil(
        {product_of(p, product_of(s.e, q)), product_of(p, product_of(s.a, q)), {}, {}, {}, {}});
    ASSERT_TRUE(found.regular);
    EXPECT_EQ(found.index, 3u);
    const std::complex<double> i(0.0, std::sqrt(9.81));
    // The condition numbers of p and q are up to some hundreds, and enter three times.
    EXPECT_LT(distance_to(found, {i, -i}), 1e-6);
  }
}

TEST(Pencil, SingularPencilsAreReportedWithTheirEquations) {
  // The third equation is the sum of the first, and the derivative of nothing else: x' = y, z = 0, x' - y = 0.
  const auto found = analyze_pencil({matrix_of({{1, 0, 0}, {0, 0, 0}, {2, 0, 0}}),
                                     matrix_of({{0, 1, 0}, {0, 0, 1}, {0, 2, 0}}),
                                     {},
                                     {},
                                     {},
                                     {}});
  EXPECT_FALSE(found.regular);
  EXPECT_EQ(found.normal_rank, 2u);
  EXPECT_EQ(found.dependent_equations, (std::vector<std::uint32_t>{0, 2}));
  EXPECT_EQ(found.open_unknowns, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_TRUE(found.modes.empty());
  // The twin: one coefficient changed makes it regular.
  const auto twin = analyze_pencil({matrix_of({{1, 0, 0}, {0, 0, 0}, {2, 0, 0}}),
                                    matrix_of({{0, 1, 0}, {0, 0, 1}, {0, 3, 0}}),
                                    {},
                                    {},
                                    {},
                                    {}});
  EXPECT_TRUE(twin.regular);
  EXPECT_LT(distance_to(twin, {0.0}), 100 * pencil_eps);
}

TEST(Pencil, DependenceThroughADerivativeIsSingularToo) {
  // x = 0 and x' = 0 determine x twice and y never.
  const auto found =
      analyze_pencil({matrix_of({{0, 0}, {1, 0}}), matrix_of({{1, 0}, {0, 0}}), {}, {}, {}, {}});
  EXPECT_FALSE(found.regular);
  EXPECT_EQ(found.normal_rank, 1u);
}

TEST(Pencil, MoreEquationsThanUnknownsIsNotRegular) {
  const auto found =
      analyze_pencil({matrix_of({{1}, {0}}), matrix_of({{-1}, {1}}), {}, {}, {}, {}});
  EXPECT_FALSE(found.regular);
  EXPECT_EQ(found.normal_rank, 1u);
}

TEST(Pencil, ModesThatInputsDoNotReach) {
  // Three modes; the input moves -1 and -3, the output sees -1 and -2.
  LinearSystem s;
  s.e = matrix_of({{1, 0, 0}, {0, 1, 0}, {0, 0, 1}});
  s.a = matrix_of({{-1, 0, 0}, {0, -2, 0}, {0, 0, -3}});
  s.b = matrix_of({{1}, {0}, {1}});
  s.c = matrix_of({{1, 1, 0}});
  const auto found = analyze_pencil(s);
  ASSERT_EQ(found.modes.size(), 3u);
  EXPECT_EQ(found.controllability->finite, 2u);
  EXPECT_EQ(found.observability->finite, 2u);
  for (std::size_t k = 0; k < 3; ++k) {
    const PencilMode& mode = found.modes[k];
    EXPECT_EQ(mode.controllable, k != 1) << k;
    EXPECT_EQ(mode.observable, k != 2) << k;
    // Hautus' test agrees; margins of this size are no rounding.
    EXPECT_EQ(*mode.controllability_margin > 1e-3, mode.controllable) << k;
    EXPECT_EQ(*mode.observability_margin > 1e-3, mode.observable) << k;
  }
  // E is regular: nothing is at infinity.
  EXPECT_TRUE(found.controllability->all);
  EXPECT_TRUE(found.observability->at_infinity);
}

TEST(Pencil, TwoEqualModesNeedTwoInputs) {
  LinearSystem s;
  s.e = matrix_of({{1, 0}, {0, 1}});
  s.a = matrix_of({{-1, 0}, {0, -1}});
  s.b = matrix_of({{1}, {1}});
  EXPECT_EQ(analyze_pencil(s).controllability->finite, 1u);
  s.b = matrix_of({{1, 0}, {1, 1}});
  EXPECT_EQ(analyze_pencil(s).controllability->finite, 2u);
  // A chain of two needs one.
  s.a = matrix_of({{-1, 1}, {0, -1}});
  s.b = matrix_of({{0}, {1}});
  EXPECT_EQ(analyze_pencil(s).controllability->finite, 2u);
  s.b = matrix_of({{1}, {0}});
  EXPECT_EQ(analyze_pencil(s).controllability->finite, 1u);
}

TEST(Pencil, InputsReachModesThroughConstraints) {
  // x1' = x2, x2 = u' hidden in: 0 = x3 - u, x3' = x2: index 2; the mode is reached through x2 only.
  LinearSystem s;
  s.e = matrix_of({{1, 0, 0}, {0, 0, 1}, {0, 0, 0}});
  s.a = matrix_of({{-1, 1, 0}, {0, 1, 0}, {0, 0, 1}});
  s.b = matrix_of({{0}, {0}, {-1}});
  const auto found = analyze_pencil(s);
  ASSERT_TRUE(found.regular);
  EXPECT_EQ(found.index, 2u);
  EXPECT_LT(distance_to(found, {-1.0}), 100 * pencil_eps);
  EXPECT_EQ(found.controllability->finite, 1u);
  // Without the coupling it is not: the test would see it.
  s.a(0, 1) = 0.0;
  EXPECT_EQ(analyze_pencil(s).controllability->finite, 0u);
}

TEST(Pencil, InfinityIsControllableOrNot) {
  // x1' = x2, 0 = x1: index 2. A force on the constraint cannot remove the impulse of x2 …
  LinearSystem s;
  s.e = matrix_of({{1, 0}, {0, 0}});
  s.a = matrix_of({{0, 1}, {1, 0}});
  s.b = matrix_of({{1}, {0}});
  auto found = analyze_pencil(s);
  EXPECT_FALSE(found.controllability->at_infinity);
  EXPECT_FALSE(found.controllability->all);
  // … an input in the constraint can: feedback from x2 makes it index 1.
  s.b = matrix_of({{0}, {1}});
  found = analyze_pencil(s);
  EXPECT_TRUE(found.controllability->at_infinity);
  EXPECT_TRUE(found.controllability->all);
  // Index 1: nothing to avoid, yet the algebraic unknown is not reached.
  s.a = matrix_of({{-1, 1}, {0, 1}});
  s.b = matrix_of({{1}, {0}});
  found = analyze_pencil(s);
  EXPECT_TRUE(found.controllability->at_infinity);
  EXPECT_FALSE(found.controllability->all);
}

TEST(Pencil, OutputsThatContainDerivatives) {
  // x' = -x, y = x' + x: nothing is seen; y = x' + 2 x sees it.
  LinearSystem s;
  s.e = matrix_of({{1}});
  s.a = matrix_of({{-1}});
  s.c = matrix_of({{1}});
  s.c_dot = matrix_of({{1}});
  EXPECT_EQ(analyze_pencil(s).observability->finite, 0u);
  s.c = matrix_of({{2}});
  EXPECT_EQ(analyze_pencil(s).observability->finite, 1u);
}

TEST(Pencil, UnitsDoNotMatter) {
  // A loop of R, L, C with pole pair, plus a slow and a fast first-order lag, in odd units.
  LinearSystem s;
  const double r = 10, l = 1e-6, c = 1e-9;
  s.e = matrix_of({{l, 0, 0, 0}, {0, c, 0, 0}, {0, 0, 1e3, 0}, {0, 0, 0, 0}});
  s.a = matrix_of({{-r, -1, 0, 1}, {1, 0, 0, 0}, {0, 1, -1, 0}, {0, 0, 0, 1e6}});
  s.b = matrix_of({{0}, {0}, {0}, {-1e6}});
  s.c = matrix_of({{0, 0, 1e-9, 0}});
  const auto found = analyze_pencil(s);
  const double alpha = r / (2 * l);
  const std::complex<double> pole(-alpha, std::sqrt(1 / (l * c) - alpha * alpha));
  EXPECT_LT(distance_to(found, {pole, std::conj(pole), -1e-3}), 1e-9);
  EXPECT_EQ(found.controllability->finite, 3u);
  EXPECT_EQ(found.observability->finite, 3u);
}

TEST(Pencil, SymmetricPairs) {
  const Matrix mass = matrix_of({{2, 1}, {1, 3}}), stiffness = matrix_of({{-4, 1}, {1, -5}});
  auto found = analyze_pencil({mass, stiffness, {}, {}, {}, {}});
  EXPECT_EQ(found.structure, PairStructure::symmetric);
  EXPECT_EQ(found.negated_equations, (std::vector<std::uint8_t>{0, 0}));
  // The second equation written with the other sign.
  found = analyze_pencil(
      {matrix_of({{2, 1}, {-1, -3}}), matrix_of({{-4, 1}, {-1, 5}}), {}, {}, {}, {}});
  EXPECT_EQ(found.structure, PairStructure::symmetric);
  EXPECT_EQ(found.negated_equations[0] + found.negated_equations[1], 1);
  // One digit changed.
  found = analyze_pencil({mass, matrix_of({{-4, 1}, {1.0 + 1e-9, -5}}), {}, {}, {}, {}});
  EXPECT_EQ(found.structure, PairStructure::general);
}

TEST(Pencil, OptimalityConditionsAreSelfAdjoint) {
  // min of (x^2 + u^2)/2 with x' = -x + u: unknowns costate, x, u.
  const Matrix e = matrix_of({{0, 1, 0}, {-1, 0, 0}, {0, 0, 0}});
  const Matrix a = matrix_of({{0, -1, 1}, {-1, 1, 0}, {1, 0, 1}});
  auto found = analyze_pencil({e, a, {}, {}, {}, {}});
  EXPECT_EQ(found.structure, PairStructure::self_adjoint);
  // Eigenvalues of a self-adjoint pair lie symmetric to the imaginary axis.
  EXPECT_LT(distance_to(found, {std::sqrt(2.0), -std::sqrt(2.0)}), 100 * pencil_eps);
  found = analyze_pencil({matrix_of({{0, 1, 0}, {-1.1, 0, 0}, {0, 0, 0}}), a, {}, {}, {}, {}});
  EXPECT_EQ(found.structure, PairStructure::general);
}

TEST(Pencil, UnclearRanksAreRemarkedOn) {
  // Neither zero nor rounding.
  auto found = analyze_pencil(
      {matrix_of({{1, 1}, {1, 1.0 + 2e-11}}), matrix_of({{1, 2}, {3, 5}}), {}, {}, {}, {}});
  EXPECT_FALSE(found.remarks.empty());
  found =
      analyze_pencil({matrix_of({{1, 1}, {1, 2}}), matrix_of({{1, 2}, {3, 5}}), {}, {}, {}, {}});
  EXPECT_TRUE(found.remarks.empty());
  for (const RankDecision& d : found.decisions) EXPECT_GT(d.gap, 1e12) << d.matrix;
}

TEST(Pencil, ADoubleEigenvalueIsKnownToHalfTheDigits) {
  const auto found =
      analyze_pencil({matrix_of({{1, 0}, {0, 1}}), matrix_of({{-1, 1}, {0, -1}}), {}, {}, {}, {}});
  for (const PencilMode& mode : found.modes) {
    EXPECT_LE(std::abs(mode.value + 1.0), 10 * *mode.uncertainty);
    EXPECT_GT(*mode.uncertainty, 1e-9);
  }
  // Two of the same without a chain are as certain as one.
  const auto apart =
      analyze_pencil({matrix_of({{1, 0}, {0, 1}}), matrix_of({{-1, 0}, {0, -1}}), {}, {}, {}, {}});
  for (const PencilMode& mode : apart.modes) EXPECT_LT(*mode.uncertainty, 100 * pencil_eps);
}

/// A pencil made of a diagonal finite part, nilpotent chains and an input that reaches some modes, behind
/// random changes of equations and unknowns and units of 10^±3.
struct RandomPencil {
  LinearSystem system;
  std::vector<std::complex<double>> values;
  std::uint32_t index = 0, n_infinite = 0, n_reached = 0;

  explicit RandomPencil(std::mt19937& random) {
    std::uniform_int_distribution<std::uint32_t> finite(1, 4), chains(0, 2), length(1, 3),
        coin(0, 1);
    std::uniform_real_distribution<double> size(-1.0, 1.0);
    const std::uint32_t f = finite(random);
    std::vector<std::uint32_t> chain(chains(random));
    std::uint32_t n = f;
    for (std::uint32_t& c : chain) n += c = length(random);
    Matrix e(n, n), a(n, n), b(n, 1);
    for (std::uint32_t k = 0; k < f; ++k) {
      e(k, k) = 1.0;
      a(k, k) = -1.0 - k + 0.5 * size(random);  // apart from each other
      values.emplace_back(a(k, k));
      b(k, 0) = coin(random);
      n_reached += b(k, 0) != 0.0;
    }
    std::uint32_t at = f;
    for (const std::uint32_t c : chain) {
      for (std::uint32_t k = 0; k < c; ++k) a(at + k, at + k) = 1.0;
      for (std::uint32_t k = 0; k + 1 < c; ++k) e(at + k, at + k + 1) = 1.0;
      index = std::max(index, c);
      n_infinite += c;
      at += c;
    }
    const auto mixture = [&] {
      Matrix m(n, n);
      for (std::uint32_t i = 0; i < n; ++i)
        for (std::uint32_t j = 0; j < n; ++j) m(i, j) = (i == j ? 2.0 : 0.0) + size(random);
      return m;
    };
    const Matrix p = mixture(), q = mixture();
    system.e = product_of(p, product_of(e, q));
    system.a = product_of(p, product_of(a, q));
    system.b = product_of(p, b);
    for (std::uint32_t i = 0; i < n; ++i) {
      const double row = std::pow(10.0, 3 * size(random)),
                   column = std::pow(10.0, 3 * size(random));
      system.b(i, 0) *= row;
      for (std::uint32_t j = 0; j < n; ++j) {
        for (Matrix* m : {&system.e, &system.a}) {
          (*m)(i, j) *= row;
          (*m)(j, i) *= column;
        }
      }
    }
  }
};

TEST(Pencil, RandomPencilsAreRightOrRemarkedOn) {
  std::mt19937 random(2024);
  int remarked = 0;
  for (int repeat = 0; repeat < 500; ++repeat) {
    const RandomPencil made(random);
    const auto found = analyze_pencil(made.system);
    if (!found.remarks.empty()) {
      ++remarked;
      continue;
    }
    ASSERT_TRUE(found.regular) << repeat;
    EXPECT_EQ(found.index, made.index) << repeat;
    EXPECT_EQ(found.n_infinite, made.n_infinite) << repeat;
    EXPECT_EQ(found.controllability->finite, made.n_reached) << repeat;
    // Two mixtures conditioned up to 1e3 each make 1e6 eps; 10,000 others erred by 1.4e-12 at most.
    EXPECT_LT(distance_to(found, made.values), 1e7 * pencil_eps) << repeat;
  }
  EXPECT_LT(remarked, 15);  // 3 %
}

TEST(Pencil, NothingButConstraints) {
  LinearSystem s{matrix_of({{0, 0}, {1, 0}}),
                 matrix_of({{1, 0}, {0, 1}}),
                 matrix_of({{1}, {0}}),
                 matrix_of({{0, 1}}),
                 {},
                 {}};
  const auto found = analyze_pencil(s);
  EXPECT_TRUE(found.regular);
  EXPECT_EQ(found.index, 2u);
  EXPECT_EQ(found.n_infinite, 2u);
  EXPECT_TRUE(found.modes.empty());
  EXPECT_EQ(found.controllability->finite, 0u);
}

TEST(Dependence, NamesWhatDepends) {
  const auto found = find_dependence(matrix_of({{1, 2, 0}, {1e6, 2e6, 0}, {0, 0, 5}}));
  EXPECT_EQ(found.rank, 2u);
  EXPECT_EQ(found.rows, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(found.columns, (std::vector<std::uint32_t>{0, 1}));
  const auto twin = find_dependence(matrix_of({{1, 2, 0}, {1e6, 2.001e6, 0}, {0, 0, 5}}));
  EXPECT_EQ(twin.rank, 3u);
  EXPECT_TRUE(twin.rows.empty());
}

}  // namespace
}  // namespace saltus
