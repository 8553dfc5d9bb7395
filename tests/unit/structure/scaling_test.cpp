// Large models: what is looked at grows with the number of entries, not with its square.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include <saltus/model.hpp>

#include "signatures.hpp"
#include "structure/assignment.hpp"

namespace saltus {
namespace {

using structure_test::RandomSignatures;

constexpr std::uint32_t n_small = 2500;
constexpr std::uint32_t n_large = 8 * n_small;

/// Reads per entry may grow by `factor` when the size grows eightfold; were the reads quadratic, they
/// would grow by 8.
struct Reads {
  std::uint64_t reads = 0;
  std::size_t entries = 0;
  double per_entry() const { return static_cast<double>(reads) / static_cast<double>(entries); }
};
bool grow_less_than(double factor, const Reads& small, const Reads& large) {
  return large.per_entry() < factor * small.per_entry();
}

Reads reads_of(const SignatureMatrix& s) {
  const auto o = sigma_method(s);
  return {o.value().entries_read, s.entries.size()};
}

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Every link has one angle and its velocity.
TEST(SlowStructureScaling, OfPendulumChains) {
  for (const bool backwards : {false, true}) {
    const auto chain = [&](std::uint32_t n) {
      const SignatureMatrix s = structure_test::pendulum_chain(n / 3);
      return backwards ? structure_test::reversed(s) : s;
    };
    const SignatureMatrix large = chain(n_large);
    std::optional<SigmaOffsets> o;
    // The requirement is "well below 10 s".
    EXPECT_LT(seconds_of([&] { o = sigma_method(large); }), 1.0);
    ASSERT_TRUE(o.has_value());
    EXPECT_EQ(o->index, 3U);
    EXPECT_EQ(o->degrees_of_freedom, 2 * (n_large / 3));
    const Reads reads{o->entries_read, large.entries.size()};
    // One pass of several looks at every entry once: nothing may grow at all.
    EXPECT_TRUE(grow_less_than(1.01, reads_of(chain(n_small)), reads));
    RecordProperty(backwards ? "reads_per_entry_backwards" : "reads_per_entry",
                   std::to_string(reads.per_entry()));
  }
}

// Hopcroft and Karp need O(sqrt n) passes at worst, and so do shortest paths of few lengths.
TEST(SlowStructureScaling, OfRandomModels) {
  const double sqrt_of_eight = std::sqrt(8.0);
  for (const int per_row : {2, 3, 5})
    for (const int max_order : {0, 1, 3}) {
      const auto random = [&](std::uint32_t n) {
        return RandomSignatures(20240714).large(n, per_row, max_order);
      };
      EXPECT_TRUE(
          grow_less_than(sqrt_of_eight, reads_of(random(n_small)), reads_of(random(n_large))))
          << per_row << " unknowns per equation, orders up to " << max_order;
    }
}

/// x0 given, x_k = x_(k-1)' for all others: offsets as large as the model.
SignatureMatrix chain_of_derivatives(std::uint32_t n) {
  SignatureMatrix s;
  s.n_unknowns = n;
  s.entries.push_back({0, 0});
  s.end_row();
  for (std::uint32_t i = 1; i < n; ++i) {
    s.entries.insert(s.entries.end(), {{i - 1, 1}, {i, 0}});
    s.end_row();
  }
  return s;
}

// What the iteration for the offsets looks at if it is done as written, sweep after sweep.
Reads reads_of_sweeps(const SignatureMatrix& s, const SigmaOffsets& o) {
  Reads reads{0, s.entries.size()};
  std::vector<std::uint32_t> c(s.n_equations(), 0);
  for (bool changed = true; changed;) {
    changed = false;
    std::vector<std::uint32_t> d(s.n_unknowns, 0);
    for (std::uint32_t i = 0; i < s.n_equations(); ++i)
      for (const auto& e : s.row(i)) {
        ++reads.reads;
        d[e.unknown] = std::max(d[e.unknown], c[i] + e.order);
      }
    for (std::uint32_t j = 0; j < s.n_unknowns; ++j) {
      const std::uint32_t i = o.matched[j];
      const std::uint32_t next = d[j] - (o.unknown[j] - o.equation[i]);
      changed = changed || next != c[i];
      c[i] = next;
    }
  }
  EXPECT_EQ(c, o.equation);
  return reads;
}

TEST(SlowStructureScaling, OfChainsOfDerivativesUnlikeSweeps) {
  const SignatureMatrix small = chain_of_derivatives(200);
  const SignatureMatrix large = chain_of_derivatives(1600);
  EXPECT_TRUE(grow_less_than(1.01, reads_of(small), reads_of(large)));
  // The twin: a quadratic cost is seen.
  EXPECT_FALSE(grow_less_than(4.0, reads_of_sweeps(small, *sigma_method(small)),
                              reads_of_sweeps(large, *sigma_method(large))));
}

/// Equations in pairs of 40 layers, each pair connected with all of the next, so that 2^40 paths lead
/// from equation A into a dead end, while one as long leads from equation B to a free unknown.
SignatureMatrix dead_ends(std::uint32_t layers) {
  SignatureMatrix s;
  const std::uint32_t chain = 2 * layers;         // unknowns of the path from B
  const std::uint32_t free = chain + layers + 1;  // two unknowns that are left at first
  s.n_unknowns = free + 2;
  for (std::uint32_t k = 0; k < layers; ++k)
    for (std::uint32_t side = 0; side < 2; ++side) {
      s.entries.push_back({2 * k + side, 0});
      if (k + 1 < layers) s.entries.insert(s.entries.end(), {{2 * k + 2, 0}, {2 * k + 3, 0}});
      if (k + 1 == layers) s.entries.push_back({free, 0});  // far, as its order below is 1
      s.end_row();
    }
  for (std::uint32_t k = 0; k <= layers; ++k) {
    s.entries.push_back({chain + k, 0});
    if (k < layers) s.entries.push_back({chain + k + 1, 0});
    if (k == layers) s.entries.insert(s.entries.end(), {{free, 1}, {free + 1, 0}});
    s.end_row();
  }
  s.entries.insert(s.entries.end(), {{0, 0}, {1, 0}});  // A
  s.end_row();
  s.entries.push_back({chain, 0});  // B
  s.end_row();
  return s;
}

TEST(SlowStructureScaling, DeadEndsAreEnteredOnce) {
  const SignatureMatrix s = dead_ends(40);
  BlockTriangularForm whole;
  whole.blocks.resize(1);
  for (std::uint32_t i = 0; i < s.n_equations(); ++i) whole.blocks[0].equations.push_back(i);
  const detail::Transversal t = detail::highest_value_transversal(s, whole);
  // Per pass, once to find distances and once to find paths.
  EXPECT_LE(t.entries_read, (1 + 2 * t.n_passes) * s.entries.size());
  EXPECT_EQ(t.n_passes, 2U);
}

// Written as a model, equation by equation: reading what they contain is part of the analysis.
TEST(SlowStructureScaling, OfAPendulumChainWrittenAsAModel) {
  constexpr std::uint32_t links = 6667;
  Model m("chain");
  std::vector<Expr> x{0.0 * m.time()};
  std::vector<Expr> y{x};
  std::vector<Expr> force;
  for (std::uint32_t k = 0; k < links; ++k) {
    const std::string number = std::to_string(k);
    x.push_back(m.state("x" + number, 1.0 + k));
    y.push_back(m.state("y" + number, 0.0));
    force.push_back(m.algebraic("force" + number));
  }
  for (std::uint32_t k = 1; k <= links; ++k) {
    const std::string number = std::to_string(k - 1);
    Expr fx = -force[k - 1] * (x[k] - x[k - 1]);
    Expr fy = -force[k - 1] * (y[k] - y[k - 1]);
    if (k < links) {
      fx = fx + force[k] * (x[k + 1] - x[k]);
      fy = fy + force[k] * (y[k + 1] - y[k]);
    }
    m.equation("motion_x" + number, der(x[k], 2) == fx);
    m.equation("motion_y" + number, der(y[k], 2) == fy - 9.81);
    m.equation("length" + number, sqr(x[k] - x[k - 1]) + sqr(y[k] - y[k - 1]) == 1.0);
  }
  const auto definition = m.build();
  std::optional<StructuralAnalysis> a;
  const double seconds = seconds_of([&] { a = analyze_structure(*definition); });
  RecordProperty("seconds", std::to_string(seconds));
  EXPECT_LT(seconds, 2.0);
  EXPECT_EQ(a->equations.size(), 20001U);
  EXPECT_EQ(a->index(), 3U);
  EXPECT_EQ(a->degrees_of_freedom(), 2 * links);
  EXPECT_EQ(a->n_hidden_constraints, 2 * links);
  EXPECT_EQ(a->blocks.blocks.size(), 1U);
  EXPECT_EQ(to_text(*a, a->hidden_constraints[3]), "length3 differentiated twice");
}

}  // namespace
}  // namespace saltus
