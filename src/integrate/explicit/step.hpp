// One step of an explicit method: stages, error estimate, continuous extension. Knows nothing of step
// lengths.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <saltus/system/step_polynomial.hpp>

#include "integrate/explicit/combine.hpp"
#include "integrate/explicit/tableau.hpp"
#include "integrate/problem.hpp"

namespace saltus::detail {

/// A tableau, and its rows as they are used; the same for all steps of a method.
struct ExplicitScheme {
  explicit ExplicitScheme(const ExplicitTableau& of);

  ExplicitTableau tableau;
  std::vector<StageTerms> rows;  // of a; row 0 is unused
  std::vector<StageTerms> error_rows;
  std::vector<StageTerms> dense_rows;
  bool error_needs_new_point;
};

class ExplicitStep {
 public:
  struct Node {
    double t = 0.0;
    double* x = nullptr;
    double* f = nullptr;
  };

  ExplicitStep(std::shared_ptr<const ExplicitScheme> scheme, std::uint32_t n);

  /// The point reached, and where the step that led there began.
  const Node& now() const { return now_; }
  const Node& left() const { return left_; }
  /// Where an attempt ended.
  const Node& trial() const { return trial_; }

  /// A new beginning: copies x into trial. Nothing but trial changes.
  void place_trial(double t, std::span<const double> x);
  /// Evaluates there, without asking the stage check, which is about points inside steps.
  void set_start_derivative(std::span<const double> f);
  Evaluation evaluate_start(Problem& problem);

  /// Steps from `from` (now or left) to t. Nothing but trial and the stages changes. The derivative at
  /// the trial point may be missing afterwards, see complete(); it is there if error() is wanted and
  /// needs it.
  Evaluation attempt(Problem& problem, const Node& from, double t, bool error_wanted);
  /// Evaluates at the trial point, if that has not happened, or `anew`: it was moved so far that the
  /// stages no longer lead there.
  Evaluation complete(Problem& problem, bool anew);

  /// In units of the tolerance, like error().
  struct Shift {
    double moved = 0.0;
    double rounding = 0.0;  // what rounding of x alone may make of it
  };
  /// Moves the trial point onto the constraints. Its derivative is missing afterwards.
  Evaluation project(Problem& problem, Shift& shift);

  /// Of the last attempt, in units of the tolerance; the step is good if it is <= 1.
  double error(const Problem& problem) const;
  /// Of the last attempt, once completed: an estimate of h |lambda|.
  double h_lambda() const;

  /// The trial point becomes the present one, …
  void accept();            // … reached from what was the present one
  void accept_start();      // … without a history
  void replace_by_trial();  // … reached from the same left end

  /// After an attempt that did not replace the step from left() to now(): its stages are evaluated
  /// again.
  void restore(Problem& problem);

  /// Of the step from left() to now(), which was the last attempt. Evaluates what the extension needs;
  /// where that is refused, the answer is the cubic through both ends.
  StepPolynomial polynomial(Problem& problem);

 private:
  std::size_t index(int stage) const { return static_cast<std::size_t>(stage); }
  double stage_time(int stage) const;
  Evaluation evaluate_stage(Problem& problem, int stage);
  void make_polynomial(int degree);

  bool trial_corrected_ = false;  // its sign was
  bool corrected_ = false;        // that of the accepted point
  std::span<double> vector(double* data) const { return {data, n_}; }

  std::size_t n_;
  std::shared_ptr<const ExplicitScheme> scheme_;
  const ExplicitTableau& tableau_;  // of the scheme, as the rows
  const std::vector<StageTerms>& rows_;
  const std::vector<StageTerms>& error_rows_;
  const std::vector<StageTerms>& dense_rows_;
  bool error_needs_new_point_;

  std::vector<double> storage_;
  std::vector<double*> k_;
  double* stage_x_ = nullptr;
  double* before_projection_ = nullptr;
  std::vector<double> coefficients_;

  Node left_;
  Node now_;
  Node trial_;
  Node from_;  // of the last attempt
  double to_ = 0.0;
  double h_ = 0.0;
  bool completed_ = false;
  int degree_ = 0;  // of the coefficients; 0: not made
};

}  // namespace saltus::detail
