#include <saltus/numerics/sparse.hpp>

#include <limits>
#include <numeric>
#include <utility>

#include <saltus/core/error.hpp>

namespace saltus {

namespace {

std::size_t at(index_t i) { return static_cast<std::size_t>(i); }

PatternCheck defect(std::string message) { return {false, std::move(message)}; }

// Stable counting sort: the positions of `order` rearranged so that keys[position] ascends.
std::vector<index_t> sort_by(std::span<const index_t> keys, index_t n_keys,
                             std::span<const index_t> order) {
  std::vector<index_t> next(at(n_keys) + 1, 0);
  for (const index_t key : keys) ++next[at(key) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<index_t> sorted(order.size());
  for (const index_t k : order) sorted[at(next[at(keys[at(k)])]++)] = k;
  return sorted;
}

bool all_below(std::span<const index_t> indices, index_t bound) {
  for (const index_t i : indices) {
    if (i < 0 || i >= bound) return false;
  }
  return true;
}

}  // namespace

PatternCheck CscPattern::validate() const {
  if (n_rows < 0 || n_cols < 0) return defect("negative dimension");
  if (column_start.size() != at(n_cols) + 1) {
    return defect("column_start has " + std::to_string(column_start.size()) + " elements for " +
                  std::to_string(n_cols) + " columns");
  }
  if (column_start.front() != 0) return defect("column_start does not begin with 0");
  for (std::size_t j = 0; j < at(n_cols); ++j) {
    if (column_start[j + 1] < column_start[j]) {
      return defect("column_start descends after column " + std::to_string(j));
    }
  }
  if (at(column_start.back()) != row.size()) {
    return defect("column_start ends with " + std::to_string(column_start.back()) + " for " +
                  std::to_string(row.size()) + " entries");
  }
  for (std::size_t j = 0; j < at(n_cols); ++j) {
    index_t previous = -1;
    for (index_t s = column_start[j]; s < column_start[j + 1]; ++s) {
      const index_t i = row[at(s)];
      if (i < 0 || i >= n_rows) {
        return defect("row " + std::to_string(i) + " of column " + std::to_string(j) +
                      " is outside the matrix");
      }
      if (i <= previous) {
        return defect("rows of column " + std::to_string(j) + " do not ascend strictly");
      }
      previous = i;
    }
  }
  return {};
}

CscAssembly assemble(index_t n_rows, index_t n_cols, std::span<const index_t> rows,
                     std::span<const index_t> cols) {
  SALTUS_ASSERT(n_rows >= 0 && n_cols >= 0);
  SALTUS_ASSERT(rows.size() == cols.size());
  SALTUS_ASSERT(rows.size() <= at(std::numeric_limits<index_t>::max()));
  SALTUS_ASSERT(all_below(rows, n_rows) && all_below(cols, n_cols));

  std::vector<index_t> order(rows.size());
  std::iota(order.begin(), order.end(), index_t{0});
  order = sort_by(rows, n_rows, order);
  order = sort_by(cols, n_cols, order);

  CscAssembly result;
  CscPattern& p = result.pattern;
  p.n_rows = n_rows;
  p.n_cols = n_cols;
  p.column_start.assign(at(n_cols) + 1, 0);
  p.row.reserve(rows.size());
  result.slot.resize(rows.size());
  index_t last_row = -1;
  index_t last_col = -1;
  for (const index_t k : order) {
    if (rows[at(k)] != last_row || cols[at(k)] != last_col) {
      last_row = rows[at(k)];
      last_col = cols[at(k)];
      p.row.push_back(last_row);
      ++p.column_start[at(last_col) + 1];
    }
    result.slot[at(k)] = p.nnz() - 1;
  }
  std::partial_sum(p.column_start.begin(), p.column_start.end(), p.column_start.begin());
  return result;
}

CscAssembly transpose(const CscPattern& a) {
  std::vector<index_t> column(a.row.size());
  for (std::size_t j = 0; j < at(a.n_cols); ++j) {
    for (index_t s = a.column_start[j]; s < a.column_start[j + 1]; ++s) {
      column[at(s)] = static_cast<index_t>(j);
    }
  }
  return assemble(a.n_cols, a.n_rows, column, a.row);
}

}  // namespace saltus
