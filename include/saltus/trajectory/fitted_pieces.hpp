// Fits functions of time along a step by polynomials, in as many pieces as their tolerance
// requires. A function of a solution may change much faster than the solution does: y = sin(1000 x)
// beside x' = 1.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <saltus/system/step_polynomial.hpp>

namespace saltus::detail {

/// A fit that missed its tolerance.
struct MissedFit {
  std::uint32_t which = 0;  // of the functions
  double t = 0.0;
  double error = 0.0;
  double tolerance = 0.0;
};

class FittedPieces {
 public:
  /// Evaluates all functions at a time. False: they cannot be evaluated there, and fit() gives up.
  /// NaN and infinite values are skipped where a fit is only checked.
  using Functions = std::function<bool(double t, std::span<double> values)>;

  /// Fits from t_left to t_right (which may be the smaller), first with a single polynomial of this
  /// degree. Each function may deviate by rtol times its largest magnitude along a piece, or by its
  /// `allowed`. The fit is checked at three points between those that a polynomial interpolates.
  bool fit(double t_left, double t_right, int degree, double rtol, std::span<const double> allowed,
           const Functions& functions);

  /// Return the pieces one after the other, each with coefficients as those of StepPolynomial.
  std::size_t n_pieces() const { return pieces_.size(); }
  StepPolynomial piece(std::size_t i) const;
  /// Returns the worst miss of the last fit; nothing if all functions are within the tolerance.
  const std::optional<MissedFit>& missed() const { return missed_; }

 private:
  struct Piece {
    double t_left, t_right;
    int degree;
    std::vector<double> coefficients;
  };
  bool sample(Piece& piece, const Functions& functions);
  /// Returns the deviation in tolerances.
  double check(const Piece& piece, double rtol, const Functions& functions);
  /// Raises the tolerance to the rounding of the functions, as found near the worst place.
  void allow_rounding(const Piece& piece, const Functions& functions);

  std::vector<Piece> pieces_;
  std::uint32_t n_ = 0;
  std::int64_t n_left_ = 1024;  // pieces that may be added: noise must not fill the memory
  std::optional<MissedFit> missed_, worst_;  // of all, and of the piece looked at
  double worst_part_ = 0.0;                  // of the magnitude of the worst
  bool is_flat_ = false;                     // near the worst place
  std::vector<double> values_, largest_, allowed_, near_;
  std::vector<double> noise_;  // the largest rounding that was seen
};

/// Computes the coefficients of a part of a step, up to a degree that is not lower.
void restrict_polynomial(const StepPolynomial& step, double t_left, double t_right, int degree,
                         std::uint32_t which, std::span<double> coefficients);

}  // namespace saltus::detail
