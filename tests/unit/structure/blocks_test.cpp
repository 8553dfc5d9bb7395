// Blocks: solvable one after the other, and none of them divisible.
#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "signatures.hpp"

namespace saltus {
namespace {

using structure_test::RandomSignatures;
using structure_test::sparse;

constexpr std::uint64_t block_seed = 20240712;

/// Every equation reads unknowns of its block, of earlier ones and of the overdetermined part only,
/// and equations[k] contains the unknowns[k] it is matched with.
bool in_solving_order(const SignatureMatrix& s, const Matching& m, const BlockTriangularForm& f,
                      const DulmageMendelsohn& parts) {
  std::set<std::uint32_t> known(parts.overdetermined.unknowns.begin(),
                                parts.overdetermined.unknowns.end());
  for (const auto& block : f.blocks) {
    known.insert(block.unknowns.begin(), block.unknowns.end());
    if (block.equations.size() != block.unknowns.size()) return false;
    for (std::size_t k = 0; k < block.equations.size(); ++k) {
      if (m.unknown_of[block.equations[k]] != block.unknowns[k]) return false;
      for (const auto& e : s.row(block.equations[k]))
        if (!known.contains(e.unknown)) return false;
    }
  }
  return true;
}

/// From every equation of the block all others can be reached (Warshall).
bool is_strongly_connected(const SignatureMatrix& s, const BlockTriangularForm::Block& block) {
  const std::size_t n = block.equations.size();
  std::vector<std::vector<char>> reaches(n, std::vector<char>(n, 0));
  for (std::size_t a = 0; a < n; ++a) {
    reaches[a][a] = 1;
    for (std::size_t b = 0; b < n; ++b)
      for (const auto& e : s.row(block.equations[a]))
        if (e.unknown == block.unknowns[b]) reaches[a][b] = 1;
  }
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t b = 0; b < n; ++b)
        if (reaches[a][k] != 0 && reaches[k][b] != 0) reaches[a][b] = 1;
  return std::ranges::all_of(reaches, [](const auto& row) {
    return std::ranges::all_of(row, [](char r) { return r != 0; });
  });
}

struct RandomBlocks {
  SignatureMatrix signature;
  Matching matching;
  DulmageMendelsohn parts;
  BlockTriangularForm form;
};
RandomBlocks random_blocks(RandomSignatures& random) {
  RandomBlocks r;
  const int n = random.integer(0, 12);
  r.signature = sparse(random.dense(n + random.integer(0, 2), n, random.integer(8, 30), 0),
                       static_cast<std::uint32_t>(n));
  r.matching = maximum_matching(r.signature);
  r.parts = dulmage_mendelsohn(r.signature, r.matching);
  r.form = block_triangular_form(r.signature, r.matching);
  return r;
}

TEST(BlockTriangular, BlocksAreInSolvingOrderAndIndivisible) {
  RandomSignatures random(block_seed);
  long several = 0;
  for (long k = 0; k < structure_test::structure_cases(3000); ++k) {
    const RandomBlocks r = random_blocks(random);
    ASSERT_TRUE(in_solving_order(r.signature, r.matching, r.form, r.parts)) << "case " << k;
    std::vector<std::uint32_t> equations;
    for (const auto& block : r.form.blocks) {
      ASSERT_TRUE(is_strongly_connected(r.signature, block)) << "case " << k;
      equations.insert(equations.end(), block.equations.begin(), block.equations.end());
      several += block.equations.size() > 1 ? 1 : 0;
    }
    std::ranges::sort(equations);
    ASSERT_EQ(equations, r.parts.well_determined.equations) << "case " << k;
  }
  EXPECT_GT(several, 0);
}

// The twins: another order is seen, and so are two blocks taken as one.
TEST(BlockTriangular, AWrongOrderAndADivisibleBlockWouldBeSeen) {
  RandomSignatures random(block_seed);
  long wrong_order = 0;
  long divisible = 0;
  for (long k = 0; k < 1000; ++k) {
    RandomBlocks r = random_blocks(random);
    if (r.form.blocks.size() < 2) continue;
    BlockTriangularForm::Block joined = r.form.blocks[0];
    for (const std::uint32_t i : r.form.blocks[1].equations) joined.equations.push_back(i);
    for (const std::uint32_t j : r.form.blocks[1].unknowns) joined.unknowns.push_back(j);
    divisible += is_strongly_connected(r.signature, joined) ? 0 : 1;
    std::ranges::reverse(r.form.blocks);
    wrong_order += in_solving_order(r.signature, r.matching, r.form, r.parts) ? 0 : 1;
  }
  EXPECT_GT(divisible, 100);
  EXPECT_GT(wrong_order, 100);
}

TEST(BlockTriangular, OfACycleIsOneBlockHoweverLong) {
  constexpr std::uint32_t n = 100000;
  SignatureMatrix s;
  s.n_unknowns = n;
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint32_t next = (i + 1) % n;
    s.entries.insert(s.entries.end(), {{std::min(i, next), 0}, {std::max(i, next), 0}});
    s.end_row();
  }
  const auto form = block_triangular_form(s, maximum_matching(s));
  ASSERT_EQ(form.blocks.size(), 1U);
  EXPECT_EQ(form.blocks[0].equations.size(), n);
}

}  // namespace
}  // namespace saltus
