// Which equations of a linear system say the same, and which unknowns they leave open.
#pragma once

#include <cstdint>
#include <vector>

#include <saltus/numerics/matrix.hpp>

namespace saltus {

/// The rank of a matrix whose rows and columns are first brought to size one by powers of two; entries
/// below 1e-14 of the largest of their row are rounding. Singular values count above 1e-11 of the largest.
struct Dependence {
  std::uint32_t rank = 0;
  double gap = 0.0;                 // the smallest value that counts over the largest that does not
  std::vector<std::uint32_t> rows;  // those that take part in some combination that vanishes
  std::vector<std::uint32_t> columns;  // those that some solution of M x = 0 contains
};
Dependence find_dependence(const Matrix& m);

/// As many columns as the rank, ascending, that are well independent (QR with column pivoting; rows are
/// brought to size one, columns are compared as they are).
std::vector<std::uint32_t> independent_columns(const Matrix& m);

}  // namespace saltus
