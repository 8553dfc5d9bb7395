// Finds dependent equations of a linear system, and the unknowns that they leave undetermined.
#pragma once

#include <cstdint>
#include <vector>

#include <saltus/numerics/matrix.hpp>

namespace saltus {

/// The rank of a matrix whose rows and columns are first scaled to size one by powers of two.
/// Entries below 1e-14 of the largest of their row count as rounding. Singular values count above
/// 1e-11 of the largest.
struct Dependence {
  std::uint32_t rank = 0;
  double gap = 0.0;                 // the smallest value that counts over the largest that does not
  std::vector<std::uint32_t> rows;  // rows that take part in some combination that vanishes
  std::vector<std::uint32_t> columns;  // columns that some solution of M x = 0 contains
};
Dependence find_dependence(const Matrix& m);

/// Returns as many well-independent columns as the rank, ascending (QR with column pivoting). Rows
/// are scaled to size one; columns are compared as they are.
std::vector<std::uint32_t> independent_columns(const Matrix& m);

}  // namespace saltus
