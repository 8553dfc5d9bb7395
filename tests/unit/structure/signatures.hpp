// Signature matrices for tests: written out, random, and large.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <vector>

#include <saltus/structure.hpp>

namespace saltus::structure_test {

inline long structure_cases(long by_default) {
  const char* text = std::getenv("SALTUS_PROPERTY_CASES");
  const long n = text == nullptr ? 0 : std::strtol(text, nullptr, 10);
  return n > 0 ? n : by_default;
}

/// -1 where an unknown does not occur.
using DenseSignature = std::vector<std::vector<int>>;

inline SignatureMatrix sparse(const DenseSignature& dense, std::uint32_t n_unknowns) {
  SignatureMatrix s;
  s.n_unknowns = n_unknowns;
  for (const std::vector<int>& row : dense) {
    for (std::uint32_t j = 0; j < row.size(); ++j)
      if (row[j] >= 0) s.entries.push_back({j, static_cast<std::uint32_t>(row[j])});
    s.end_row();
  }
  return s;
}
inline SignatureMatrix sparse(const DenseSignature& dense) {
  return sparse(dense, static_cast<std::uint32_t>(dense.empty() ? 0 : dense[0].size()));
}

class RandomSignatures {
 public:
  explicit RandomSignatures(std::uint64_t seed) : engine_(seed) {}
  int integer(int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(engine_); }

  /// Each entry is present with probability percent/100, of order 0 … max_order.
  DenseSignature dense(int rows, int columns, int percent, int max_order) {
    DenseSignature d(static_cast<std::size_t>(rows),
                     std::vector<int>(static_cast<std::size_t>(columns), -1));
    for (std::vector<int>& row : d)
      for (int& entry : row)
        if (integer(1, 100) <= percent) entry = integer(0, max_order);
    return d;
  }

  /// n equations of a few unknowns each, among them one of a hidden perfect matching.
  SignatureMatrix large(std::uint32_t n, int per_row, int max_order) {
    std::vector<std::uint32_t> own(n);
    for (std::uint32_t i = 0; i < n; ++i) own[i] = i;
    std::shuffle(own.begin(), own.end(), engine_);
    SignatureMatrix s;
    s.n_unknowns = n;
    for (std::uint32_t i = 0; i < n; ++i) {
      std::vector<std::uint32_t> row{own[i]};
      for (int k = 1; k < per_row; ++k)
        row.push_back(static_cast<std::uint32_t>(integer(0, static_cast<int>(n) - 1)));
      std::sort(row.begin(), row.end());
      row.erase(std::unique(row.begin(), row.end()), row.end());
      for (const std::uint32_t j : row)
        s.entries.push_back({j, static_cast<std::uint32_t>(integer(0, max_order))});
      s.end_row();
    }
    return s;
  }

 private:
  std::mt19937_64 engine_;
};

/// A chain of planar pendulums: per link the unknowns x, y and the force along it, and equations
/// for x'', y'' and the length.
inline SignatureMatrix pendulum_chain(std::uint32_t links) {
  SignatureMatrix s;
  s.n_unknowns = 3 * links;
  const auto motion = [&](std::uint32_t k, std::uint32_t which) {
    if (k > 0) s.entries.push_back({3 * (k - 1) + which, 0});
    s.entries.push_back({3 * k + which, 2});
    s.entries.push_back({3 * k + 2, 0});
    if (k + 1 < links) {
      s.entries.push_back({3 * (k + 1) + which, 0});
      s.entries.push_back({3 * (k + 1) + 2, 0});
    }
    s.end_row();
  };
  for (std::uint32_t k = 0; k < links; ++k) {
    motion(k, 0);
    motion(k, 1);
    if (k > 0) s.entries.insert(s.entries.end(), {{3 * (k - 1), 0}, {3 * (k - 1) + 1, 0}});
    s.entries.insert(s.entries.end(), {{3 * k, 0}, {3 * k + 1, 0}});
    s.end_row();
  }
  return s;
}

/// The same equations in reverse order, each with its unknowns numbered from the end.
inline SignatureMatrix reversed(const SignatureMatrix& s) {
  SignatureMatrix r;
  r.n_unknowns = s.n_unknowns;
  for (std::uint32_t i = s.n_equations(); i-- > 0;) {
    const auto row = s.row(i);
    for (std::size_t k = row.size(); k-- > 0;)
      r.entries.push_back({s.n_unknowns - 1 - row[k].unknown, row[k].order});
    r.end_row();
  }
  return r;
}

}  // namespace saltus::structure_test
