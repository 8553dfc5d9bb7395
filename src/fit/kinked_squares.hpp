// A sum of squares near a point, when residuals may have kinks there.
//
// An event that passes the time of a datum changes the slope of its residual: the sum of squares has a kink, and its
// minimum may lie just there, where the derivatives of one side promise what the other side does not keep. So all
// points seen nearby say something. With f = |r|^2 / 2, a point q and the curvature J^T J of the present point p,
//
//   f(p + d) ~ f(p) + max over q of (-a_q + c_q . d) + |J d|^2 / 2,    c_q = J_q^T r_q + J^T J (p - q),
//   a_q = f(p) - f(q) - J_q^T r_q . (p - q) - |J (p - q)|^2 / 2,
//
// a parabola that touches f in every q. For residuals without kinks all of them are that of Gauss and Newton. Steps
// are its minimum, with damping: a bundle method (C. Lemarechal, An extension of Davidon methods to nondifferentiable
// problems, 1975) with the curvature of least squares.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <saltus/fit/problem.hpp>
#include <saltus/numerics/matrix.hpp>

namespace saltus {

struct SeenPoint {
  std::vector<double> p;
  ResidualValues at;
};

class KinkedSquares {
 public:
  /// Points with |J (q - p)| <= reach, but only those whose parabola is below f(p) + slack: above, f is not the
  /// larger of both, and has no kink that could hold a minimum.
  KinkedSquares(const SeenPoint& now, std::span<const SeenPoint> seen, double reach, double slack);

  struct Step {
    std::vector<double> d;             // of the free parameters
    double promised = 0.0;             // by which f falls at most, damping included
    std::vector<std::size_t> weighed;  // indices of points seen that have a say in it
  };
  /// Of free parameters alone. `inverse` is that of J^T J plus damping.
  Step step(std::span<const std::size_t> free, const Matrix& inverse) const;
  /// By which f falls with d of all parameters, damping not included.
  double promises(std::span<const double> d) const;
  bool has_other_sides() const { return parabolas_.size() > 1; }
  /// The point of that index is one of them.
  bool knows(std::size_t seen) const;

 private:
  struct Parabola {
    std::vector<double> slope;
    double below = 0.0;     // f(p) by that much
    std::size_t point = 0;  // index of the point seen; that of the present one is beyond the last
  };
  const ResidualValues& now_;
  std::vector<Parabola> parabolas_;
};

std::vector<double> times(const Matrix& a, std::span<const double> x);
/// J^T r.
std::vector<double> slope_of_half_squares(const ResidualValues& at);
double sum_of_squares(std::span<const double> r);

}  // namespace saltus
