// Higher derivatives at a point of a run, by an inner iteration.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "reduce/matrix/fixed_rank_inverse.hpp"
#include "reduce/reduced/array_at_point.hpp"

namespace saltus::detail {

/// What iterations at a point use, and may go on using nearby.
struct Inverses {
  FixedRankInverse m;  // of M
  Eigen::MatrixXd
      correction;  // n x a: the smallest change of x, in nominal units, for a change of R2
  bool has_correction = false;
};

/// Finds y with F(t, x, y) = 0 for a given x, beginning with the y it converged to last and with a frozen pseudo-inverse
/// of M.
class HigherDerivatives {
 public:
  using Vector = Eigen::VectorXd;
  enum class Precision : std::uint8_t {
    converged,
    exact  // the values of the array belong to the y found
  };
  /// Where an iteration begins.
  struct Beginning {
    Vector y;
    double t = 0.0;
  };

  HigherDerivatives(ArrayAtPoint& array, const ProjectorRanks& ranks, double t);

  /// A failure leaves the y that was accepted last.
  Evaluation find(double t, std::span<const double> x, Precision precision);
  /// Linearises the array and inverts M there.
  Evaluation renew(double t, std::span<const double> x);
  /// Inverts M where the array is linearised.
  void invert_here();

  /// The inverses in use: the engine's, or those of a point on its way to the user.
  Inverses& inverses() { return *inverses_; }
  const Inverses& of_engine() const { return of_engine_; }
  void use_local() { inverses_ = &local_; }
  /// M where it was inverted last, column by column.
  const Eigen::MatrixXd& m() const { return m_; }

  /// Keeps the present y: later searches fall back on it.
  void accept();
  const Beginning& accepted() const { return accepted_; }
  void begin_again(const Beginning& beginning);

  /// Searches for others stand between these two: the engine goes on with what it had.
  void keep();
  void return_to_kept();

  /// A new inverse was needed since this was last set to false.
  bool was_slow() const { return was_slow_; }
  void set_slow(bool slow) { was_slow_ = slow; }

 private:
  bool iterate(double t, std::span<const double> x, bool& out_of_domain);
  void shift_to(double t);

  ArrayAtPoint& array_;
  std::uint32_t first_constraint_;
  Inverses of_engine_, local_;
  Inverses* inverses_ = &of_engine_;
  Eigen::MatrixXd m_;
  double t_y_;
  Beginning accepted_, kept_;
  Vector step_;
  bool was_slow_ = false;
};

}  // namespace saltus::detail
