// Functions of time along a step as polynomials, in as many pieces as their tolerance asks for. What is computed
// from a solution may change much faster than the solution does: y = sin(1000 x) beside x' = 1.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <saltus/system/step_polynomial.hpp>

namespace saltus::detail {

/// What could not be fitted.
struct MissedFit {
  std::uint32_t which = 0;  // of the functions
  double t = 0.0;
  double error = 0.0;
  double tolerance = 0.0;
};

class FittedPieces {
 public:
  /// All functions at a time. False: they cannot be evaluated there, and fit() gives up. What is no number where a
  /// fit is only checked is passed over.
  using Functions = std::function<bool(double t, std::span<double> values)>;

  /// From t_left to t_right (which may be the smaller), first with a single polynomial of this degree. Each function
  /// may be off by rtol times its largest magnitude along a piece, or by its `allowed`. Checked at three points
  /// between those that a polynomial goes through.
  bool fit(double t_left, double t_right, int degree, double rtol, std::span<const double> allowed,
           const Functions& functions);

  /// One after the other, each with coefficients as those of StepPolynomial.
  std::size_t n_pieces() const { return pieces_.size(); }
  StepPolynomial piece(std::size_t i) const;
  /// Of the last fit, the worst; nothing if all is as accurate as asked for.
  const std::optional<MissedFit>& missed() const { return missed_; }

 private:
  struct Piece {
    double t_left, t_right;
    int degree;
    std::vector<double> coefficients;
  };
  bool sample(Piece& piece, const Functions& functions);
  /// In tolerances.
  double check(const Piece& piece, double rtol, const Functions& functions);
  /// Nothing is asked for beyond rounding, as it is near the worst place.
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

/// A part of a step, with coefficients up to a degree that is not lower.
void restrict_polynomial(const StepPolynomial& step, double t_left, double t_right, int degree,
                         std::uint32_t which, std::span<double> coefficients);

}  // namespace saltus::detail
