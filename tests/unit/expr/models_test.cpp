// The four measured models: every tier against hand-written code.
#include <gtest/gtest.h>

#include "support/evaluation.hpp"

namespace saltus {
namespace {

using namespace engine_models;
using test::arguments_of;
using test::locks_at;

template <class M>
std::vector<double> by_hand(const M& m, const Point& x) {
  std::vector<double> f(m.n);
  m(x.t, x.p.data(), x.y.data(), x.yp.data(), f.data());
  return f;
}

// A handful of roundings per equation: what two orders of the same operations can differ by.
constexpr double few_roundings = 32 * 2.3e-16;

template <class M>
void expect_all_tiers_agree(const M& m) {
  Built b;
  build(m, b);
  const Point x = point_of(m);
  const auto arguments = arguments_of(x);
  const std::vector<Output> outputs = outputs_in_order(b.graph, b.residual);
  const std::vector<double> hand = by_hand(m, x);
  const auto locks = locks_at(b.graph, outputs, b.segments, arguments);

  std::vector<std::vector<double>> results;
  for (Locking locking : {Locking::locked, Locking::unlocked})
    for (Tier tier : {Tier::scalar, Tier::rolled}) {
      Evaluator<double> e(compile(b.graph, outputs, b.segments, {locking, tier}));
      test::load(e, arguments);
      e.set_locks(locks);
      results.push_back(test::values(e));
    }
  for (std::size_t i = 0; i < m.n; ++i)
    ASSERT_NEAR(results[0][i], hand[i], few_roundings * (1 + std::abs(hand[i]))) << i;
  for (const auto& r : results) EXPECT_EQ(r, results[0]);  // tiers agree to the last bit
}

TEST(EngineModels, RelayAgrees) { expect_all_tiers_agree(Relay{}); }
TEST(EngineModels, LadderAgrees) { expect_all_tiers_agree(Ladder{}); }
TEST(EngineModels, FrictionAgrees) { expect_all_tiers_agree(Friction{}); }
TEST(EngineModels, DiffusionAgrees) { expect_all_tiers_agree(Diffusion{300}); }

template <class M>
void expect_jacobian_right(const M& m) {
  Built b;
  build(m, b);
  const Point x = point_of(m);
  const std::vector<Output> outputs = outputs_in_order(b.graph, b.residual);
  const auto locks = locks_at(b.graph, outputs, b.segments, arguments_of(x));
  std::vector<std::vector<double>> found;
  CscPattern pattern;
  for (Sweep sweep : {Sweep::automatic, Sweep::forward, Sweep::reverse}) {
    const Jacobian j = jacobian(b.graph, b.residual, b.y_columns, {.sweep = sweep});
    ASSERT_TRUE(j.pattern.validate());
    pattern = j.pattern;
    for (Tier tier : {Tier::scalar, Tier::rolled}) {
      Evaluator<double> e(compile(b.graph, j.entries, b.segments, {Locking::locked, tier}));
      test::load(e, arguments_of(x));
      for (std::size_t s = 0; s < locks.size(); ++s) e.set_lock(static_cast<SwitchId>(s), locks[s]);
      found.push_back(test::values(e));
      ASSERT_EQ(found.back().size(), static_cast<std::size_t>(pattern.nnz()));
    }
  }
  EXPECT_EQ(found[0], found[1]);
  for (const auto& f : found)
    for (std::size_t s = 0; s < f.size(); ++s)
      ASSERT_NEAR(f[s], found[0][s], few_roundings * (1 + std::abs(f[s])));

  // J v against a central difference along v: truncation h^2, cancellation eps/h.
  const double h = 1e-5;
  Point forward = x, backward = x;
  std::vector<double> v(2 * m.n);
  for (std::size_t i = 0; i < 2 * m.n; ++i) {
    v[i] = std::cos(1.0 + 3.0 * static_cast<double>(i));
    auto& plus = i < m.n ? forward.y[i] : forward.yp[i - m.n];
    auto& minus = i < m.n ? backward.y[i] : backward.yp[i - m.n];
    plus += h * v[i];
    minus -= h * v[i];
  }
  const std::vector<double> f1 = by_hand(m, forward);
  const std::vector<double> f0 = by_hand(m, backward);
  std::vector<double> jv(m.n, 0.0);
  multiply<double>({&pattern, found[0]}, v, jv);
  for (std::size_t i = 0; i < m.n; ++i) {
    const double difference = (f1[i] - f0[i]) / (2 * h);
    ASSERT_NEAR(jv[i], difference, 1e-6 * (1 + std::abs(jv[i]))) << "row " << i;
  }
}

TEST(EngineModels, RelayJacobian) { expect_jacobian_right(Relay{}); }
TEST(EngineModels, LadderJacobian) { expect_jacobian_right(Ladder{}); }
TEST(EngineModels, FrictionJacobian) { expect_jacobian_right(Friction{100}); }
TEST(EngineModels, DiffusionJacobian) { expect_jacobian_right(Diffusion{100}); }

TEST(EngineModels, DiffusionAsFamilyAgreesWithItsScalarForm) {
  const std::uint32_t cells = 400;
  const Diffusion m(cells);
  const Point x = point_of(m);
  Built scalar, family;
  build(m, scalar);
  const std::vector<Output> outputs = build_diffusion_family(cells, family);
  const std::vector<Output> scalar_outputs = outputs_in_order(scalar.graph, scalar.residual);
  Evaluator<double> a(
      compile(scalar.graph, scalar_outputs, scalar.segments, {Locking::unlocked, Tier::scalar}));
  Evaluator<double> b(compile(family.graph, outputs, family.segments, {Locking::unlocked}));
  test::load(a, arguments_of(x));
  test::load(b, arguments_of(x));
  EXPECT_EQ(test::values(a), test::values(b));
  EXPECT_TRUE(std::ranges::equal(a.locks(), b.locks()));

  const Jacobian ja = jacobian(scalar.graph, scalar.residual, scalar.y_columns);
  // Rows of the family come block by block: all balances, then all algebraic equations.
  const Jacobian jb = jacobian(family.graph, family.residual, family.y_columns);
  ASSERT_EQ(ja.pattern.nnz(), jb.pattern.nnz());
  Evaluator<double> ea(compile(scalar.graph, ja.entries, scalar.segments));
  Evaluator<double> eb(compile(family.graph, jb.entries, family.segments));
  test::load(ea, arguments_of(x));
  test::load(eb, arguments_of(x));
  for (std::size_t s = 0; s < a.locks().size(); ++s) {
    ea.set_lock(static_cast<SwitchId>(s), a.locks()[s]);
    eb.set_lock(static_cast<SwitchId>(s), a.locks()[s]);
  }
  const auto va = test::values(ea);
  const auto vb = test::values(eb);
  std::vector<double> dense_a(2 * cells), dense_b(2 * cells), one(4 * cells, 0.0);
  for (std::size_t column = 0; column < 4 * cells; ++column) {
    std::fill(dense_a.begin(), dense_a.end(), 0.0);
    std::fill(dense_b.begin(), dense_b.end(), 0.0);
    one[column] = 1;
    multiply<double>({&ja.pattern, va}, one, dense_a);
    multiply<double>({&jb.pattern, vb}, one, dense_b);
    one[column] = 0;
    for (std::size_t i = 0; i < cells; ++i) {
      ASSERT_EQ(dense_a[2 * i], dense_b[i]) << "balance " << i << " column " << column;
      ASSERT_EQ(dense_a[2 * i + 1], dense_b[cells + i]);
    }
  }
}

}  // namespace
}  // namespace saltus
