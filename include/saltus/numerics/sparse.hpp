#pragma once

// Compressed sparse columns: a pattern that many value arrays share.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace saltus {

// 32 bits: patterns are read far more often than they are counted, and 2^31 entries is no model.
using index_t = std::int32_t;

// What validate() found: usable as a bool, with a sentence naming the first defect.
struct PatternCheck {
  bool ok = true;
  std::string message;
  explicit operator bool() const { return ok; }
};

// Entries of column j are the slots column_start[j] .. column_start[j + 1] - 1; row[slot] ascends
// strictly inside a column. An n-column pattern has n + 1 column starts.
struct CscPattern {
  index_t n_rows = 0;
  index_t n_cols = 0;
  std::vector<index_t> column_start = {0};
  std::vector<index_t> row;

  index_t nnz() const { return static_cast<index_t>(row.size()); }
  PatternCheck validate() const;
  friend bool operator==(const CscPattern&, const CscPattern&) = default;
};

// Values laid over a pattern; owns neither.
template <class T>
struct CscView {
  const CscPattern* pattern = nullptr;
  std::span<T> values;
};

// y += A x
template <class T>
void multiply(const CscView<const T>& a, std::span<const T> x, std::span<T> y) {
  const CscPattern& p = *a.pattern;
  for (std::size_t j = 0; j < static_cast<std::size_t>(p.n_cols); ++j) {
    const T xj = x[j];
    const auto end = static_cast<std::size_t>(p.column_start[j + 1]);
    for (auto s = static_cast<std::size_t>(p.column_start[j]); s < end; ++s) {
      const auto i = static_cast<std::size_t>(p.row[s]);
      y[i] = y[i] + a.values[s] * xj;
    }
  }
}

// y += A^T x
template <class T>
void multiply_transposed(const CscView<const T>& a, std::span<const T> x, std::span<T> y) {
  const CscPattern& p = *a.pattern;
  for (std::size_t j = 0; j < static_cast<std::size_t>(p.n_cols); ++j) {
    T sum = y[j];
    const auto end = static_cast<std::size_t>(p.column_start[j + 1]);
    for (auto s = static_cast<std::size_t>(p.column_start[j]); s < end; ++s) {
      sum = sum + a.values[s] * x[static_cast<std::size_t>(p.row[s])];
    }
    y[j] = sum;
  }
}

// A pattern and, for every triplet it was made from, the slot its value belongs to. Values that
// share a slot are meant to be summed.
struct CscAssembly {
  CscPattern pattern;
  std::vector<index_t> slot;
};

// From triplets (rows[k], cols[k]) in any order, duplicates allowed. Two counting sorts, by row and
// then stably by column: O(triplets + n_rows + n_cols).
// Indices out of range and lists of different length are our bug (SALTUS_ASSERT).
CscAssembly assemble(index_t n_rows, index_t n_cols, std::span<const index_t> rows,
                     std::span<const index_t> cols);

// The transposed pattern; slot[s] is where entry s of `a` went.
CscAssembly transpose(const CscPattern& a);

}  // namespace saltus
