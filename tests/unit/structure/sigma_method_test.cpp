// Offsets against their definition, by trying all permutations, and on models whose answer is known.
#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "signatures.hpp"
#include "structure/assignment.hpp"

namespace saltus {
namespace {

using structure_test::DenseSignature;
using structure_test::RandomSignatures;
using structure_test::sparse;
using Offsets = std::vector<std::uint32_t>;

constexpr std::uint64_t sigma_seed = 20240713;

/// The highest value of a transversal, over all permutations; -1 if there is none.
int highest_value(const DenseSignature& d) {
  std::vector<std::size_t> p(d.size());
  std::iota(p.begin(), p.end(), std::size_t{0});
  int highest = -1;
  do {
    int value = 0;
    for (std::size_t i = 0; i < p.size() && value >= 0; ++i)
      value = d[i][p[i]] < 0 ? -1 : value + d[i][p[i]];
    highest = std::max(highest, value);
  } while (std::next_permutation(p.begin(), p.end()));
  return highest;
}

bool are_admissible(const SignatureMatrix& s, const SigmaOffsets& o) {
  for (std::uint32_t i = 0; i < s.n_equations(); ++i)
    for (const auto& e : s.row(i))
      if (o.unknown[e.unknown] < o.equation[i] + e.order) return false;
  std::vector<std::uint8_t> used(s.n_equations(), 0);
  for (std::uint32_t j = 0; j < s.n_unknowns; ++j) {
    const std::uint32_t i = o.matched[j];
    if (used[i]++ != 0) return false;
    const auto row = s.row(i);
    const auto e = std::ranges::find(row, j, &SignatureMatrix::Entry::unknown);
    if (e == row.end() || o.unknown[j] != o.equation[i] + e->order) return false;
  }
  return true;
}

/// If smaller offsets exist, then lowering all equations in which they are smaller by one (with the
/// unknowns they are matched with) is admissible too: no set of equations may be lowered.
bool are_smallest(const SignatureMatrix& s, const SigmaOffsets& o) {
  const std::uint32_t n = s.n_equations();
  for (std::uint32_t set = 1; set < (1U << n); ++set) {
    SigmaOffsets lower = o;
    bool possible = true;
    for (std::uint32_t i = 0; i < n && possible; ++i)
      if ((set >> i & 1U) != 0) {
        possible = lower.equation[i] > 0;
        --lower.equation[i];
      }
    if (!possible) continue;
    for (std::uint32_t j = 0; j < n; ++j)
      if ((set >> o.matched[j] & 1U) != 0) {
        if (lower.unknown[j] == 0) possible = false;
        --lower.unknown[j];
      }
    if (possible && are_admissible(s, lower)) return false;
  }
  return true;
}

/// The fixed-point iteration as it is written, from c = 0.
Offsets iterated_offsets(const SignatureMatrix& s, const Offsets& matched) {
  Offsets c(s.n_equations(), 0);
  for (bool changed = true; changed;) {
    changed = false;
    Offsets d(s.n_unknowns, 0);
    for (std::uint32_t i = 0; i < s.n_equations(); ++i)
      for (const auto& e : s.row(i)) d[e.unknown] = std::max(d[e.unknown], c[i] + e.order);
    for (std::uint32_t j = 0; j < s.n_unknowns; ++j) {
      const std::uint32_t i = matched[j];
      const auto row = s.row(i);
      const auto e = std::ranges::find(row, j, &SignatureMatrix::Entry::unknown);
      changed = changed || c[i] != d[j] - e->order;
      c[i] = d[j] - e->order;
    }
  }
  return c;
}

TEST(SigmaMethod, FindsTheHighestValueAndTheSmallestOffsets) {
  RandomSignatures random(sigma_seed);
  long singular = 0;
  for (long k = 0; k < structure_test::structure_cases(3000); ++k) {
    const int percent = random.integer(30, 90);
    const DenseSignature d = random.dense(5, 5, percent, random.integer(0, 4));
    const SignatureMatrix s = sparse(d);
    const auto o = sigma_method(s);
    const int highest = highest_value(d);
    ASSERT_EQ(o.has_value(), highest >= 0) << "case " << k << " of seed " << sigma_seed;
    singular += o ? 0 : 1;
    if (!o) continue;
    ASSERT_EQ(static_cast<int>(o->degrees_of_freedom), highest) << "case " << k;
    ASSERT_TRUE(are_admissible(s, *o)) << "case " << k;
    ASSERT_TRUE(are_smallest(s, *o)) << "case " << k;
    ASSERT_EQ(o->equation, iterated_offsets(s, o->matched)) << "case " << k;
  }
  EXPECT_GT(singular, 0);
}

// The twins: offsets raised by one everywhere are admissible but seen not to be smallest, and one
// raised alone is seen to violate the equality on the transversal.
TEST(SigmaMethod, LargerOffsetsAndViolatedOnesWouldBeSeen) {
  RandomSignatures random(sigma_seed);
  long tried = 0;
  for (long k = 0; k < 200; ++k) {
    const SignatureMatrix s = sparse(random.dense(5, 5, 60, 3));
    const auto o = sigma_method(s);
    if (!o) continue;
    ++tried;
    SigmaOffsets raised = *o;
    for (auto& c : raised.equation) ++c;
    for (auto& d : raised.unknown) ++d;
    EXPECT_TRUE(are_admissible(s, raised));
    EXPECT_FALSE(are_smallest(s, raised));
    SigmaOffsets violated = *o;
    ++violated.equation[0];
    EXPECT_FALSE(are_admissible(s, violated));
  }
  EXPECT_GT(tried, 50);
}

// The value is highest because potentials prove it, also where no permutation can be tried.
TEST(SigmaMethod, AgreesWithTheIterationOnLargeRandomModels) {
  RandomSignatures random(sigma_seed + 1);
  for (int k = 0; k < 20; ++k) {
    const SignatureMatrix s = random.large(300, 1 + k % 4, k % 5);
    const auto o = sigma_method(s);
    ASSERT_TRUE(o.has_value());
    EXPECT_TRUE(are_admissible(s, *o)) << "case " << k;
    EXPECT_EQ(o->equation, iterated_offsets(s, o->matched)) << "case " << k;
  }
}

TEST(SigmaMethod, BlocksDoNotChangeTheValue) {
  RandomSignatures random(sigma_seed + 2);
  for (long k = 0; k < structure_test::structure_cases(300); ++k) {
    const SignatureMatrix s = random.large(static_cast<std::uint32_t>(random.integer(1, 40)), 3, 3);
    BlockTriangularForm whole;
    whole.blocks.resize(1);
    for (std::uint32_t i = 0; i < s.n_equations(); ++i) whole.blocks[0].equations.push_back(i);
    const detail::Transversal t = detail::highest_value_transversal(s, whole);
    std::uint32_t value = 0;
    for (std::uint32_t j = 0; j < s.n_unknowns; ++j)
      value += t.unknown_potential[j] - t.equation_potential[t.equation_of[j]];
    EXPECT_EQ(value, sigma_method(s)->degrees_of_freedom) << "case " << k;
  }
}

void expect_offsets(const DenseSignature& d, const Offsets& c, const Offsets& unknown,
                    std::uint32_t degrees_of_freedom, std::uint32_t index) {
  const auto o = sigma_method(sparse(d));
  ASSERT_TRUE(o.has_value());
  EXPECT_EQ(o->equation, c);
  EXPECT_EQ(o->unknown, unknown);
  EXPECT_EQ(o->degrees_of_freedom, degrees_of_freedom);
  EXPECT_EQ(o->index, index);
}

TEST(SigmaMethod, OfThePendulum) {
  expect_offsets({{2, -1, 0}, {-1, 2, 0}, {0, 0, -1}}, {0, 0, 2}, {2, 2, 0}, 2, 3);
}

TEST(SigmaMethod, OfThePendulumWithFirstDerivatives) {
  // x, y, u, v, force: x' = u, y' = v, u' = …, v' = …, x^2 + y^2 = 1
  expect_offsets({{1, -1, 0, -1, -1},
                  {-1, 1, -1, 0, -1},
                  {0, -1, 1, -1, 0},
                  {-1, 0, -1, 1, 0},
                  {0, 0, -1, -1, -1}},
                 {1, 1, 0, 0, 2}, {2, 2, 1, 1, 0}, 2, 3);
}

TEST(SigmaMethod, OfOrdinaryEquationsAndOfIndexOne) {
  expect_offsets({{1, 0}, {0, 1}}, {0, 0}, {1, 1}, 2, 0);
  expect_offsets({{2}}, {0}, {2}, 2, 0);
  expect_offsets({{1, 0}, {0, 0}}, {0, 0}, {1, 0}, 1, 1);
  expect_offsets({{0}}, {0}, {0}, 0, 1);
  expect_offsets({}, {}, {}, 0, 0);
}

TEST(SigmaMethod, OfAChainOfDerivativesAcrossBlocks) {
  // x0 given, x1 = x0', x2 = x1' …: every equation once more than the next.
  constexpr std::uint32_t n = 100000;
  SignatureMatrix s;
  s.n_unknowns = n;
  s.entries.push_back({0, 0});
  s.end_row();
  for (std::uint32_t i = 1; i < n; ++i) {
    s.entries.insert(s.entries.end(), {{i - 1, 1}, {i, 0}});
    s.end_row();
  }
  const auto o = sigma_method(s);
  ASSERT_TRUE(o.has_value());
  EXPECT_EQ(o->index, n);
  EXPECT_EQ(o->degrees_of_freedom, 0U);
  for (std::uint32_t i = 0; i < n; ++i) ASSERT_EQ(o->equation[i], n - 1 - i);
  EXPECT_LT(o->entries_read, 20U * n);
}

TEST(SigmaMethod, IsEmptyForMoreOrFewerEquationsThanUnknowns) {
  EXPECT_FALSE(sigma_method(sparse({{0, 0}})).has_value());
  EXPECT_FALSE(sigma_method(sparse({{0}, {0}})).has_value());
  EXPECT_FALSE(sigma_method(sparse({{0, -1}, {1, -1}})).has_value());
}

TEST(SystemJacobianEntries, AreThoseWithoutSlack) {
  const SignatureMatrix s = sparse({{2, -1, 0}, {-1, 2, 0}, {0, 0, -1}});
  const SystemJacobian j = system_jacobian(s, *sigma_method(s));
  EXPECT_TRUE(j.pattern.validate());
  EXPECT_EQ(j.pattern.column_start, (std::vector<index_t>{0, 2, 4, 6}));
  EXPECT_EQ(j.pattern.row, (std::vector<index_t>{0, 2, 1, 2, 0, 1}));
  EXPECT_EQ(j.order, (Offsets{2, 0, 2, 0, 0, 0}));
}

TEST(SystemJacobianEntries, LeaveOutWhatIsLowerThanTheOffsetsAllow) {
  // x' + y = 0 and y' + x = 0: in neither the undifferentiated unknown counts.
  const SignatureMatrix s = sparse({{1, 0}, {0, 1}});
  const SystemJacobian j = system_jacobian(s, *sigma_method(s));
  EXPECT_EQ(j.pattern.row, (std::vector<index_t>{0, 1}));
  EXPECT_EQ(j.order, (Offsets{1, 1}));
  EXPECT_TRUE(maximum_matching(sparse({{1, -1}, {-1, 1}})).is_perfect());
}

TEST(SystemJacobianEntries, ContainTheTransversal) {
  RandomSignatures random(sigma_seed + 3);
  for (long k = 0; k < structure_test::structure_cases(300); ++k) {
    const SignatureMatrix s = random.large(20, 4, 3);
    const auto o = sigma_method(s);
    const SystemJacobian j = system_jacobian(s, *o);
    ASSERT_TRUE(j.pattern.validate());
    for (std::uint32_t u = 0; u < s.n_unknowns; ++u) {
      const auto first = j.pattern.row.begin() + j.pattern.column_start[u];
      const auto last = j.pattern.row.begin() + j.pattern.column_start[u + 1];
      const auto at = std::find(first, last, static_cast<index_t>(o->matched[u]));
      ASSERT_NE(at, last);
      const auto slot = static_cast<std::size_t>(at - j.pattern.row.begin());
      ASSERT_EQ(j.order[slot] + o->equation[o->matched[u]], o->unknown[u]);
    }
  }
}

}  // namespace
}  // namespace saltus
