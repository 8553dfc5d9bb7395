// What an expression does between the places where it is looked at: enclosures of its Taylor series over parts of a step.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <saltus/expr/evaluator.hpp>
#include <saltus/model/measure.hpp>
#include <saltus/trajectory/fitted_pieces.hpp>

namespace saltus::detail {

/// An output f of Reduced::decided is smooth on a part if it is known to be near a polynomial q there,
///
///   |f - q| <= tolerance * size,   the degree of q less than the number of places where a fit (FittedPieces) is compared
///
/// with f. Then the fit is near f everywhere: it is near q in all of these places, hence between them. The size is the
/// largest magnitude of the output that was seen in the step.
class Smoothness {
 public:
  /// `columns` and `fixed`: per input, of variables and of what is the same for the whole run; both outlive it.
  Smoothness(const Reduced& what, std::span<const std::uint32_t> columns,
             std::span<const double> fixed);

  void set_lock(SwitchId which, std::uint8_t lock) { series_.set_lock(which, lock); }
  /// Of a new step nothing has been seen.
  void forget();
  void see(std::span<const double> outputs);
  double size(std::size_t output) const { return sizes_[output]; }

  /// From now on it is about this part of a step, with the locks that are set.
  void enclose(const StepPolynomial& step, double t_left, double t_right);
  /// False: the enclosure says nothing.
  bool is_bounded(std::size_t output) const;
  /// `rounding` is by how much values may be off in any case.
  bool is_smooth(std::size_t output, double rounding) const;

 private:
  void enclose_column(const StepPolynomial& step, double t_left, double t_right, std::size_t input);

  const Reduced& what_;
  std::span<const std::uint32_t> columns_;
  std::span<const double> fixed_;
  TaylorEvaluator<Interval> series_;  // in s, from 0 to 1 along the part, about all of these points
  std::size_t order_ = 0;             // of the remainder that is looked at
  std::vector<double> coefficients_;
  std::vector<Interval> shifted_;
  std::vector<double> sizes_;  // per output
};

}  // namespace saltus::detail
