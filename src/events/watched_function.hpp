// One switching function along one step, seen from the side it is locked on.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <saltus/system/switching.hpp>

#include "events/piece.hpp"

namespace saltus::detail {

/// G(s) = side * g + slack: on its side where G >= 0, departed where G < 0.
class WatchedFunction {
 public:
  WatchedFunction(SwitchingFunctions& functions, StepEnclosure* enclosure);

  void look_at(const StepPolynomial& step, double s_from);
  /// `enough`: a value of G that is as good as zero; 0: none is.
  void select(std::uint32_t which, int side, double slack, double enough = 0.0);
  double enough() const { return enough_; }
  /// G where g is known.
  Interval of_side(const Interval& g) const { return (side_ < 0 ? -g : g) + Interval(slack_); }
  /// G at a time, as the enclosure has it: no evaluation. False if it has none.
  bool estimate(double t, Interval& value);

  std::uint32_t which() const { return which_; }
  double s_from() const { return s_from_; }
  double time_at(double s) const;
  double position_of(double t) const;
  const StepPolynomial& step() const { return step_; }
  bool has_enclosure() const { return enclosure_ != nullptr; }

  /// G at a time, as the system evaluates it along the step. False outside its domain.
  bool evaluate(double t, double& value);
  /// The same for one of a few times at which many functions are looked at: what they share is kept until
  /// the next look_at(). A place stands for the same time throughout.
  bool evaluate_shared(std::size_t place, double t, double& value);
  /// Signs of G' over a part of the step and of G at its ends, 0 where not certain: cheaper than a model.
  /// False if there is no enclosure. The signs at the ends are known only if there is one of G'.
  struct Trend {
    Interval range;  // of G
    int slope = 0;
    int left = 0;
    int right = 0;
  };
  bool set_trend(double a, double b, Trend& trend);
  /// Whether there are Taylor coefficients of G at a point.
  bool has_series_at(double s);
  /// A Taylor model over [piece.a, piece.b], of low degree if piece.is_quick. False if there is none.
  bool set_model(Piece& piece);

  /// Work since select(), in units of a plain evaluation.
  double work() const { return work_; }
  void add_work(double evaluations) { work_ += evaluations; }

 private:
  /// The step at one time, and, if nothing can be enclosed, all functions there.
  struct Shared {
    bool is_known = false;
    bool has_values = false;
    std::vector<double> x, xdot, g;
  };

  int certain_sign(const Interval& g) const;
  void fill(Shared& shared, double t);
  void read_step(double t, std::span<double> x, std::span<double> xdot) const;

  SwitchingFunctions& functions_;
  StepEnclosure* enclosure_;
  StepPolynomial step_;
  double s_from_ = 0.0;
  std::uint32_t which_ = 0;
  double side_ = 1.0;
  double slack_ = 0.0;
  double enough_ = 0.0;
  double work_ = 0.0;
  std::vector<double> x_, xdot_;
  std::vector<Shared> shared_;
};

}  // namespace saltus::detail
