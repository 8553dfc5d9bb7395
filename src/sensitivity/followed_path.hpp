// The solution as far as derivatives have not been carried along it yet: steps of S need not end where steps of
// the engine do.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include <saltus/system/step_polynomial.hpp>

namespace saltus::detail {

class FollowedPath {
 public:
  /// Pieces join.
  void add(const StepPolynomial& piece) {
    if (used_ == pieces_.size()) pieces_.emplace_back();
    Piece& to = pieces_[used_++];
    to.coefficients.assign(piece.coefficients.begin(), piece.coefficients.end());
    to.step = piece;
    to.step.coefficients = to.coefficients;
  }
  /// What lies before t is not asked for any more.
  void forget_before(double t) {
    std::size_t n = 0;
    while (n < used_ && !(remaining(pieces_[n], t) > 0)) ++n;
    // Memory of what is forgotten serves what comes; a moved vector keeps its elements in place.
    for (std::size_t i = n; i < used_; ++i) std::swap(pieces_[i - n], pieces_[i]);
    used_ -= n;
  }
  bool empty() const { return used_ == 0; }
  std::size_t n_pieces() const { return used_; }
  double t_begin() const { return pieces_.front().step.t_left; }
  double t_end() const { return pieces_[used_ - 1].step.t_right; }

  void state_at(double t, std::span<double> x) const { at(t).state_at(t, x); }
  void derivative_at(double t, std::span<double> xdot) const { at(t).derivative_at(t, xdot); }

 private:
  struct Piece {
    StepPolynomial step;
    std::vector<double> coefficients;
  };
  /// Of a piece after t, in its direction; not positive if it ends before.
  static double remaining(const Piece& piece, double t) {
    return std::copysign(1.0, piece.step.t_right - piece.step.t_left) * (piece.step.t_right - t);
  }
  const StepPolynomial& at(double t) const {
    std::size_t i = 0;
    while (i + 1 < used_ && remaining(pieces_[i], t) < 0) ++i;
    return pieces_[i].step;
  }

  std::vector<Piece> pieces_;
  std::size_t used_ = 0;
};

}  // namespace saltus::detail
