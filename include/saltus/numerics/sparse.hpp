#pragma once

// Stores sparse matrices as compressed columns: many value arrays share one pattern.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace saltus {

// 32 bits: patterns are read far more often than they are counted, and no model has 2^31 entries.
using index_t = std::int32_t;

// The result of validate(): usable as a bool, with a sentence that names the first defect.
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

// Values on a pattern; owns neither.
template <class T>
struct CscView {
  const CscPattern* pattern = nullptr;
  std::span<T> values;
};

// Computes y += A x.
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

// Computes y += A^T x.
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

// A pattern and, for every triplet it was made from, the slot of its value. Values that share a
// slot are to be summed.
struct CscAssembly {
  CscPattern pattern;
  std::vector<index_t> slot;
};

// Assembles a pattern from triplets (rows[k], cols[k]) in any order, duplicates allowed. Two
// counting sorts, by row and then stably by column, take O(triplets + n_rows + n_cols). Indices out
// of range and lists of different length are bugs of the caller (SALTUS_ASSERT).
CscAssembly assemble(index_t n_rows, index_t n_cols, std::span<const index_t> rows,
                     std::span<const index_t> cols);

// Returns the transposed pattern; slot[s] is the slot to which entry s of `a` moved.
CscAssembly transpose(const CscPattern& a);

}  // namespace saltus
