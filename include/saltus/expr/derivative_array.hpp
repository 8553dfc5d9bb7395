// The derivative array F, F', F'', … of a residual, and its Jacobian, by one Taylor sweep each.
//
// Let x(tau) = sum_j x_j tau^j along a path, F(tau) = sum_k F_k tau^k the residual on it, and
// A^q_i the i-th Taylor coefficient of dF/dx^(q). Perturbing x_j perturbs x^(q) by
// j!/(j-q)! tau^(j-q), hence
//
//     dF_k / dx_j = sum_q  j!/(j-q)!  A^q_{k-j+q}        (q <= j, 0 <= k-j+q)          (E.1)
//
// so one sweep of the Jacobian program gives every block of the array's Jacobian.
// Derivatives are k! F_k and j! x_j; all blocks here are in Taylor coefficients, which are better
// scaled.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <saltus/expr/differentiate.hpp>
#include <saltus/expr/evaluator.hpp>

namespace saltus {

/// The programs of a derivative array. They are built once and shared between threads.
struct DerivativeArrayProgram {
  std::shared_ptr<const Program> residual;
  std::shared_ptr<const Program> jacobian;  // all dF/dx^(q), one after the other
  std::vector<CscPattern> patterns;         // of dF/dx^(q), q = 0 … max_order
  std::vector<std::uint32_t> first_entry;   // where the values of each pattern begin
  std::uint32_t n_rows = 0;
  std::uint32_t n_unknowns = 0;
  std::uint32_t max_order = 0;  // highest derivative of an unknown
};

/// Builds the programs. `unknowns` are ranges of order 0. Arguments of the programs: segment 0 is
/// time, segment 1 the held inputs in `held`, segment 2 + q the derivatives of order q of the
/// unknowns.
DerivativeArrayProgram derivative_array_program(Graph& g, std::span<const NodeId> residual,
                                                const InputSegment& unknowns,
                                                const InputSegment& held, std::uint32_t max_order,
                                                const CompileOptions& options = {});

/// Evaluates F_0 … F_K and the blocks of (E.1) over T = double, Interval or Quad.
template <class T>
class DerivativeArray {
 public:
  DerivativeArray(DerivativeArrayProgram program, int order);

  int order() const { return order_; }
  void set_locks(std::span<const std::uint8_t> locks);
  void set_held(std::span<const T> values);

  /// Evaluates. path[j] holds the coefficients x_j of all unknowns, j = 0 … order + max_order.
  void run(const T& time, std::span<const std::span<const T>> path, bool with_jacobian = true);

  /// Returns F_k of one row.
  const T& residual(std::size_t row, int k) const {
    return residual_.output(row)[static_cast<std::size_t>(k)];
  }
  /// Adds dF_k/dx_j, row by row and column by column: add(row, column, value).
  template <class Add>
  void block(int k, int j, Add&& add) const {
    for (std::uint32_t q = 0; q <= program_.max_order && static_cast<int>(q) <= j; ++q) {
      const int i = k - j + static_cast<int>(q);
      if (i < 0 || i > order_) continue;
      T factor(1.0);
      for (std::uint32_t s = 0; s < q; ++s)
        factor = factor * T(static_cast<double>(j - static_cast<int>(s)));
      const CscPattern& p = program_.patterns[q];
      for (index_t column = 0; column < p.n_cols; ++column) {
        const auto c = static_cast<std::size_t>(column);
        for (index_t e = p.column_start[c]; e < p.column_start[c + 1]; ++e) {
          const std::size_t slot = program_.first_entry[q] + static_cast<std::size_t>(e);
          add(p.row[static_cast<std::size_t>(e)], column,
              factor * jacobian_.output(slot)[static_cast<std::size_t>(i)]);
        }
      }
    }
  }

 private:
  void load(TaylorEvaluator<T>& evaluator, const T& time, std::span<const std::span<const T>> path);

  DerivativeArrayProgram program_;
  int order_;
  TaylorEvaluator<T> residual_;
  TaylorEvaluator<T> jacobian_;
};

}  // namespace saltus
