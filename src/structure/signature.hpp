// What several passes over a signature matrix need.
#pragma once

#include <span>
#include <vector>

#include <saltus/core/error.hpp>
#include <saltus/structure/sigma_method.hpp>

namespace saltus::detail {

inline void check_signature(const SignatureMatrix& s) {
  SALTUS_ASSERT(!s.row_start.empty() && s.row_start.front() == 0);
  SALTUS_ASSERT(s.row_start.back() == s.entries.size());
  for (std::uint32_t i = 0; i < s.n_equations(); ++i) {
    SALTUS_ASSERT(s.row_start[i] <= s.row_start[i + 1]);
    std::uint64_t next = 0;
    for (const SignatureMatrix::Entry& e : s.row(i)) {
      SALTUS_ASSERT(e.unknown >= next && e.unknown < s.n_unknowns);
      next = std::uint64_t{e.unknown} + 1;
    }
  }
}

/// Column by column: the equations an unknown occurs in, ascending.
struct SignatureColumns {
  std::vector<std::uint32_t> start;
  std::vector<std::uint32_t> equation;

  explicit SignatureColumns(const SignatureMatrix& s)
      : start(s.n_unknowns + 1, 0), equation(s.entries.size()) {
    for (const SignatureMatrix::Entry& e : s.entries) ++start[e.unknown + 1];
    for (std::uint32_t j = 0; j < s.n_unknowns; ++j) start[j + 1] += start[j];
    std::vector<std::uint32_t> next(start.begin(), start.end() - 1);
    for (std::uint32_t i = 0; i < s.n_equations(); ++i)
      for (const SignatureMatrix::Entry& e : s.row(i)) equation[next[e.unknown]++] = i;
  }
  std::span<const std::uint32_t> column(std::uint32_t j) const {
    return {equation.data() + start[j], start[j + 1] - start[j]};
  }
};

}  // namespace saltus::detail
