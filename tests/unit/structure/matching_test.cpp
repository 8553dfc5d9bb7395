// Matchings, and the parts they reveal, against exhaustive search.
#include <algorithm>
#include <bit>

#include <gtest/gtest.h>

#include <saltus/core/error.hpp>

#include "signatures.hpp"

namespace saltus {
namespace {

using structure_test::DenseSignature;
using structure_test::RandomSignatures;
using structure_test::sparse;

constexpr std::uint64_t matching_seed = 20240711;

/// The size of a greatest matching by trying everything: sets of used unknowns, equation by
/// equation.
std::uint32_t greatest_size(const SignatureMatrix& s) {
  std::vector<std::uint8_t> possible(std::size_t{1} << s.n_unknowns, 0);
  possible[0] = 1;
  for (std::uint32_t i = 0; i < s.n_equations(); ++i)
    for (std::size_t used = possible.size(); used-- > 0;)
      if (possible[used] != 0)
        for (const auto& e : s.row(i)) {
          const std::size_t with = used | (std::size_t{1} << e.unknown);
          if (with != used) possible[with] = 1;
        }
  std::uint32_t size = 0;
  for (std::size_t used = 0; used < possible.size(); ++used)
    if (possible[used] != 0) size = std::max(size, static_cast<std::uint32_t>(std::popcount(used)));
  return size;
}

bool occurs(const SignatureMatrix& s, std::uint32_t i, std::uint32_t j) {
  return std::ranges::any_of(s.row(i), [&](const auto& e) { return e.unknown == j; });
}

/// Both directions say the same, along entries, and `size` counts them.
bool is_matching(const SignatureMatrix& s, const Matching& m) {
  std::uint32_t n = 0;
  for (std::uint32_t i = 0; i < s.n_equations(); ++i) {
    const std::uint32_t j = m.unknown_of[i];
    if (j == unmatched) continue;
    ++n;
    if (m.equation_of[j] != i || !occurs(s, i, j)) return false;
  }
  return n == m.size && n == s.n_unknowns - static_cast<std::uint32_t>(
                                                std::ranges::count(m.equation_of, unmatched));
}

/// An equation is overdetermined iff some greatest matching can do without it: leaving it out does
/// not make the greatest matching smaller. Likewise unknowns, underdetermined.
std::vector<std::uint32_t> dispensable_equations(const DenseSignature& d, std::uint32_t columns) {
  const std::uint32_t size = greatest_size(sparse(d, columns));
  std::vector<std::uint32_t> found;
  for (std::uint32_t i = 0; i < d.size(); ++i) {
    DenseSignature without = d;
    without.erase(without.begin() + i);
    if (greatest_size(sparse(without, columns)) == size) found.push_back(i);
  }
  return found;
}

DenseSignature transposed(const DenseSignature& d, std::size_t columns) {
  DenseSignature t(columns, std::vector<int>(d.size(), -1));
  for (std::size_t i = 0; i < d.size(); ++i)
    for (std::size_t j = 0; j < columns; ++j) t[j][i] = d[i][j];
  return t;
}

std::vector<std::uint32_t> unknowns_of(const SignatureMatrix& s,
                                       const std::vector<std::uint32_t>& equations) {
  std::vector<std::uint32_t> found;
  for (const std::uint32_t i : equations)
    for (const auto& e : s.row(i)) found.push_back(e.unknown);
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::vector<std::uint32_t> others(const std::vector<std::uint32_t>& a,
                                  const std::vector<std::uint32_t>& b, std::size_t n) {
  std::vector<std::uint32_t> rest;
  for (std::uint32_t k = 0; k < n; ++k)
    if (!std::ranges::binary_search(a, k) && !std::ranges::binary_search(b, k)) rest.push_back(k);
  return rest;
}

/// The parts by their definition.
bool are_the_parts(const DulmageMendelsohn& parts, const DenseSignature& d, std::uint32_t columns) {
  const SignatureMatrix s = sparse(d, columns);
  const DenseSignature across = transposed(d, columns);
  const auto over = dispensable_equations(d, columns);
  const auto under = dispensable_equations(across, static_cast<std::uint32_t>(d.size()));
  const auto over_unknowns = unknowns_of(s, over);
  const auto under_equations =
      unknowns_of(sparse(across, static_cast<std::uint32_t>(d.size())), under);
  return parts.overdetermined.equations == over && parts.overdetermined.unknowns == over_unknowns &&
         parts.underdetermined.unknowns == under &&
         parts.underdetermined.equations == under_equations &&
         parts.well_determined.equations == others(over, under_equations, d.size()) &&
         parts.well_determined.unknowns == others(under, over_unknowns, columns);
}

struct RandomGraph {
  DenseSignature dense;
  std::uint32_t columns;
  SignatureMatrix signature;
};
RandomGraph random_graph(RandomSignatures& random) {
  const int columns = random.integer(0, 7);
  DenseSignature d = random.dense(random.integer(0, 7), columns, random.integer(5, 60), 0);
  const auto n = static_cast<std::uint32_t>(columns);
  SignatureMatrix s = sparse(d, n);
  return {std::move(d), n, std::move(s)};
}

TEST(MaximumMatching, IsAMatchingOfGreatestSize) {
  RandomSignatures random(matching_seed);
  for (long k = 0; k < structure_test::structure_cases(3000); ++k) {
    const RandomGraph g = random_graph(random);
    const Matching m = maximum_matching(g.signature);
    ASSERT_TRUE(is_matching(g.signature, m)) << "case " << k << " of seed " << matching_seed;
    ASSERT_EQ(m.size, greatest_size(g.signature)) << "case " << k << " of seed " << matching_seed;
  }
}

// The twin: a matching that cannot be extended by adding a pair need not be of greatest size.
TEST(MaximumMatching, TakingWhatIsFreeWouldBeSeenToBeTooSmall) {
  RandomSignatures random(matching_seed);
  long too_small = 0;
  for (long k = 0; k < 3000; ++k) {
    const SignatureMatrix s = random_graph(random).signature;
    std::vector<std::uint8_t> used(s.n_unknowns, 0);
    std::uint32_t size = 0;
    for (std::uint32_t i = 0; i < s.n_equations(); ++i)
      for (const auto& e : s.row(i))
        if (used[e.unknown] == 0) {
          used[e.unknown] = 1;
          ++size;
          break;
        }
    too_small += size < greatest_size(s) ? 1 : 0;
  }
  EXPECT_GT(too_small, 100);
}

TEST(MaximumMatching, FollowsPathsAsLongAsTheModelWithoutRecursion) {
  // Greedily equation i takes unknown i; the last one, which has unknown 0 only, moves all others.
  constexpr std::uint32_t n = 100000;
  SignatureMatrix s;
  s.n_unknowns = n;
  for (std::uint32_t i = 0; i + 1 < n; ++i) {
    s.entries.insert(s.entries.end(), {{i, 0}, {i + 1, 0}});
    s.end_row();
  }
  s.entries.push_back({0, 0});
  s.end_row();
  const Matching m = maximum_matching(s);
  EXPECT_TRUE(m.is_perfect());
  EXPECT_TRUE(is_matching(s, m));
  EXPECT_EQ(m.unknown_of[0], 1U);
  EXPECT_EQ(block_triangular_form(s, m).blocks.size(), n);
}

TEST(MaximumMatching, RefusesAMatrixThatIsNone) {
  SignatureMatrix s = sparse({{0, 1}});
  s.entries[1].unknown = 2;
  EXPECT_THROW(maximum_matching(s), InternalError);
  s.entries[1].unknown = 0;
  EXPECT_THROW(maximum_matching(s), InternalError);
}

TEST(DulmageMendelsohnParts, AreWhatCanBeDoneWithoutAndWhatItReaches) {
  RandomSignatures random(matching_seed + 1);
  long with_all = 0;
  for (long k = 0; k < structure_test::structure_cases(1000); ++k) {
    const RandomGraph g = random_graph(random);
    const auto parts = dulmage_mendelsohn(g.signature, maximum_matching(g.signature));
    ASSERT_TRUE(are_the_parts(parts, g.dense, g.columns)) << "case " << k;
    with_all += !parts.overdetermined.equations.empty() &&
                        !parts.underdetermined.unknowns.empty() &&
                        !parts.well_determined.equations.empty()
                    ? 1
                    : 0;
  }
  EXPECT_GT(with_all, 0);  // graphs in which all three parts exist were among them
}

// The twin: without the walk along the matching, from the free equations and unknowns alone.
TEST(DulmageMendelsohnParts, FreeEquationsAndUnknownsAloneWouldBeSeenNotToBeTheParts) {
  RandomSignatures random(matching_seed + 1);
  long wrong = 0;
  for (long k = 0; k < 300; ++k) {
    const RandomGraph g = random_graph(random);
    const Matching m = maximum_matching(g.signature);
    DulmageMendelsohn parts;
    for (std::uint32_t i = 0; i < g.signature.n_equations(); ++i)
      (m.unknown_of[i] == unmatched ? parts.overdetermined : parts.well_determined)
          .equations.push_back(i);
    for (std::uint32_t j = 0; j < g.signature.n_unknowns; ++j)
      (m.equation_of[j] == unmatched ? parts.underdetermined : parts.well_determined)
          .unknowns.push_back(j);
    wrong += are_the_parts(parts, g.dense, g.columns) ? 0 : 1;
  }
  EXPECT_GT(wrong, 100);
}

TEST(DulmageMendelsohnParts, DoNotDependOnTheMatching) {
  RandomSignatures random(matching_seed + 2);
  for (long k = 0; k < structure_test::structure_cases(500); ++k) {
    const SignatureMatrix s = random_graph(random).signature;
    const SignatureMatrix r = structure_test::reversed(s);
    const auto parts = dulmage_mendelsohn(s, maximum_matching(s));
    auto mirrored = dulmage_mendelsohn(r, maximum_matching(r));
    for (auto& i : mirrored.overdetermined.equations) i = s.n_equations() - 1 - i;
    for (auto& j : mirrored.underdetermined.unknowns) j = s.n_unknowns - 1 - j;
    std::ranges::reverse(mirrored.overdetermined.equations);
    std::ranges::reverse(mirrored.underdetermined.unknowns);
    EXPECT_EQ(mirrored.overdetermined.equations, parts.overdetermined.equations);
    EXPECT_EQ(mirrored.underdetermined.unknowns, parts.underdetermined.unknowns);
  }
}

}  // namespace
}  // namespace saltus
