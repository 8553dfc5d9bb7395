// An expression of recorded variables along one step, in pieces on which nothing of it switches.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <saltus/expr/evaluator.hpp>
#include <saltus/model/measure.hpp>
#include <saltus/trajectory/fitted_pieces.hpp>
#include <saltus/trajectory/trajectory.hpp>

#include "ensemble/smoothness.hpp"

namespace saltus::detail {

/// One over a run, part after part.
class SmoothPieces {
 public:
  /// `fixed` are the values of inputs that are the same for the whole run (parameters, what was reduced before), one per
  /// input of the expression; the others are not looked at.
  SmoothPieces(const Reduced& what, const Trajectory& trajectory, std::span<const double> fixed);

  bool exists_in(const Segment& segment) const;

  /// From t_left to a later t_right, both in the step.
  struct Part {
    double t_left, t_right;
  };
  /// Where to cut it: on each part the same branches are taken, and nothing happens between the places where a fit looks
  /// at it. In order.
  std::vector<Part> parts(const StepPolynomial& step, double t_left, double t_right);

  // Of one of these parts, of the step they were last asked for:
  /// With the branches that are taken there.
  double value(const Part& part, double t);
  /// As polynomials that follow each other.
  const FittedPieces& fit(const Part& part);
  /// After all of them: throws Error if one was not what it stands for.
  void check() const;

  /// At one moment: what the values say. The step may have no length, if no derivative is read.
  double value_at(const StepPolynomial& step, double t);
  /// The same from values of all inputs.
  double value_of(std::span<const double> inputs);
  double fixed(std::size_t input) const { return inputs_[input]; }
  bool reads_derivatives() const { return reads_derivatives_; }

 private:
  void read(const StepPolynomial& step, double t, std::span<double> inputs) const;
  void decide(const Part& part);
  /// Of the functions and the expression: at t, or next to it if it has no value there by rounding.
  bool evaluate(const Part& part, double t);
  /// Functions that are zero all along a part but for rounding: nothing crosses there.
  void find_noise(const Part& part);
  void find_cuts(const Part& part, std::vector<double>& found);
  void find_crossings(const Part& part, std::vector<double>& found);
  /// Whether that is known, or the part too short to look into it.
  bool is_smooth(const Part& part, std::size_t output);
  double located(const Part& part, std::size_t function, double left, double right);
  [[noreturn]] void has_no_value(double t) const;

  const Reduced& what_;
  std::vector<std::uint32_t> columns_;  // per input that is a variable
  bool reads_derivatives_ = false;
  std::vector<double> inputs_;
  Evaluator<double> deciding_, decided_;
  Evaluator<Interval> enclosing_;  // with decisions as they are
  Smoothness smoothness_;
  std::vector<std::uint8_t> is_noise_;
  std::vector<double> rounding_;  // of the outputs; empty: not found yet
  StepPolynomial step_;
  FittedPieces functions_, expression_;
  std::optional<MissedFit> missed_;  // the worst
  double largest_ = 0.0;             // magnitude
};

}  // namespace saltus::detail
