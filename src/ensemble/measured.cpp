#include <saltus/ensemble/measured.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

#include <saltus/core/error.hpp>
#include <saltus/core/text.hpp>
#include <saltus/ensemble/kept.hpp>

#include "ensemble/polynomial_roots.hpp"
#include "ensemble/smooth_pieces.hpp"

namespace saltus {

namespace detail {
namespace {

/// Of a run, by name: "k", or an element of an array of numbers as a model in C++ calls it, "k[0]".
double parameter_of(const ModelDefinition& model, const std::string& name) {
  const Variable* v = model.find(name);
  std::uint32_t element = 0;
  if (v == nullptr && name.ends_with(']')) {
    const std::size_t bracket = name.rfind('[');
    v = model.find(name.substr(0, bracket));
    element = static_cast<std::uint32_t>(std::stoul(name.substr(bracket + 1)));
  }
  if (v == nullptr || v->kind != InputKind::parameter || element >= v->count)
    throw Error("the model of this run has no parameter " + quote(name));
  return model.initial_values(InputKind::parameter)[v->first + element];
}

/// Times of a part of a run, t_left <= t_right.
struct Stretch {
  double t_left, t_right;
};

/// What is known of one reduction after some parts of a run.
class ReductionOverRun {
 public:
  ReductionOverRun(const Reduced& what, const Solution& run, std::span<const double> fixed)
      : what_(what), trajectory_(run.trajectory), pieces_(what, run.trajectory, fixed) {}

  double over(const Stretch& wanted) {
    is_reached_ = wanted.t_left <= std::max(trajectory_.t_begin(), trajectory_.t_end()) &&
                  wanted.t_right >= std::min(trajectory_.t_begin(), trajectory_.t_end());
    for (const Segment& segment : trajectory_.segments()) {
      if (!pieces_.exists_in(segment)) continue;
      for (std::uint32_t k = 0; k < segment.n_steps; ++k)
        add_step(trajectory_.step(segment.first_step + k), wanted,
                 segment.first_step + k + 1 == trajectory_.n_steps());
    }
    pieces_.check();
    return result();
  }

  double at(double t) {
    const double from = std::min(trajectory_.t_begin(), trajectory_.t_end());
    const double to = std::max(trajectory_.t_begin(), trajectory_.t_end());
    if (!(t >= from && t <= to)) return absent;
    std::vector<double> inputs(what_.inputs.size(), 0.0);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const MeasureInput& in = what_.inputs[i];
      std::optional<double> value;
      if (in.kind == MeasureInput::Kind::variable)
        value = trajectory_.at(trajectory_.index_of(in.name), t);
      else if (in.kind == MeasureInput::Kind::derivative)
        value = trajectory_.derivative_at(trajectory_.index_of(in.name), t);
      else
        value = in.kind == MeasureInput::Kind::time ? t : pieces_.fixed(i);
      if (!value) return absent;
      inputs[i] = *value;
    }
    const double v = pieces_.value_of(inputs);
    if (!std::isfinite(v)) throw Error(quote(what_.text) + " has no value at t = " + to_text(t));
    return v;
  }

 private:
  void add_step(const StepPolynomial& step, const Stretch& wanted, bool is_last) {
    const double left = std::max(std::min(step.t_left, step.t_right), wanted.t_left);
    const double right = std::min(std::max(step.t_left, step.t_right), wanted.t_right);
    if (left > right) return;
    if (left < right) {
      for (const auto& part : pieces_.parts(step, left, right)) add_part(part);
    } else if ((is_last && step.t_left == step.t_right && !pieces_.reads_derivatives()) ||
               (wanted.t_left == wanted.t_right && step.t_left != step.t_right)) {
      add_moment(left, pieces_.value_at(step, left));
    }
  }

  void add_moment(double t, double value) {
    if (what_.reduction == Reduction::max || what_.reduction == Reduction::min) {
      add_value(value);
    } else if (is_of_condition()) {
      if (value > 0.5) add_held(t, t);
    }
  }

  void add_part(const SmoothPieces::Part& part) {
    if (is_of_condition()) {
      if (pieces_.value(part, part.t_left + 0.5 * (part.t_right - part.t_left)) > 0.5)
        add_held(part.t_left, part.t_right);
      return;
    }
    const FittedPieces& fitted = pieces_.fit(part);
    if (what_.reduction == Reduction::max || what_.reduction == Reduction::min)
      add_extrema(part, fitted);
    else
      add_integral(fitted);
    length_ += part.t_right - part.t_left;
  }

  void add_integral(const FittedPieces& fitted) {
    for (std::size_t k = 0; k < fitted.n_pieces(); ++k) {
      const StepPolynomial p = fitted.piece(k);
      double sum = 0.0;
      for (int i = p.degree; i >= 0; --i) sum += p.coefficient(i, 0) / (i + 1);
      integral_ += sum * (p.t_right - p.t_left);
    }
  }

  void add_extrema(const SmoothPieces::Part& part, const FittedPieces& fitted) {
    std::vector<double> times = {part.t_left, part.t_right};
    std::vector<double> slope;
    for (std::size_t k = 0; k < fitted.n_pieces(); ++k) {
      const StepPolynomial p = fitted.piece(k);
      times.push_back(p.t_right);
      slope.clear();
      for (int i = 1; i <= p.degree; ++i) slope.push_back(i * p.coefficient(i, 0));
      if (slope.empty()) continue;
      for (const double s : polynomial_roots(slope))
        times.push_back(p.t_left + s * (p.t_right - p.t_left));
    }
    for (const double t : times) add_value(pieces_.value(part, t));
  }

  void add_value(double v) {
    if (is_of_max() ? v > extremum_.value_or(-HUGE_VAL) : v < extremum_.value_or(HUGE_VAL))
      extremum_ = v;
  }

  void add_held(double from, double to) {
    duration_ += to - from;
    first_ = std::min(first_.value_or(from), from);
    last_ = std::max(last_.value_or(to), to);
  }

  double result() const {
    const bool backward = trajectory_.backward();
    switch (what_.reduction) {
      case Reduction::max:
      case Reduction::min:
        return extremum_.value_or(absent);
      case Reduction::integral:
        return length_ > 0 ? (backward ? -integral_ : integral_) : absent;
      case Reduction::mean:
        return length_ > 0 ? integral_ / length_ : absent;
      case Reduction::duration:
        return is_reached_ ? duration_ : absent;
      case Reduction::first:
        return (backward ? last_ : first_).value_or(absent);
      case Reduction::last:
        return (backward ? first_ : last_).value_or(absent);
      case Reduction::at:
        break;
    }
    return absent;
  }

  bool is_of_max() const { return what_.reduction == Reduction::max; }
  bool is_of_condition() const {
    return what_.reduction == Reduction::duration || what_.reduction == Reduction::first ||
           what_.reduction == Reduction::last;
  }

  const Reduced& what_;
  const Trajectory& trajectory_;
  SmoothPieces pieces_;
  std::optional<double> extremum_, first_, last_;
  double integral_ = 0.0, length_ = 0.0, duration_ = 0.0;
  bool is_reached_ = true;  // the stretch asked for
};

}  // namespace
}  // namespace detail

double measured(const Measure& measure, const Solution& run, const ModelDefinition& model) {
  std::vector<double> reduced;
  const auto fixed_inputs = [&](std::span<const MeasureInput> inputs) {
    std::vector<double> values(inputs.size(), 0.0);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i].kind == MeasureInput::Kind::parameter)
        values[i] = detail::parameter_of(model, inputs[i].name);
      else if (inputs[i].kind == MeasureInput::Kind::reduced)
        values[i] = inputs[i].number < reduced.size() ? reduced[inputs[i].number] : absent;
    }
    return values;
  };
  Evaluator<double> result(measure.result);
  const auto outer = [&](std::size_t which) {
    std::ranges::copy(fixed_inputs(measure.inputs), result.input(0).begin());
    result.run();
    // Nothing is decided by what is not there.
    if (!result.all_decided() && std::ranges::any_of(reduced, is_absent)) return absent;
    return result.outputs()[which];
  };
  const double from = std::min(run.t_begin(), run.t_end()),
               to = std::max(run.t_begin(), run.t_end());
  for (std::size_t k = 0; k < measure.reduced.size(); ++k) {
    const Reduced& what = measure.reduced[k];
    const double first = outer(1 + 2 * k), second = outer(2 + 2 * k);
    const std::vector<double> fixed = fixed_inputs(what.inputs);
    const bool known =
        std::ranges::none_of(fixed, is_absent) && !is_absent(first) && !is_absent(second);
    if (!known) {
      reduced.push_back(absent);
      continue;
    }
    detail::ReductionOverRun reduction(what, run, fixed);
    if (what.reduction == Reduction::at)
      reduced.push_back(reduction.at(what.is_at_end ? run.t_end() : first));
    else
      reduced.push_back(reduction.over({what.has_from ? first : from, what.has_to ? second : to}));
  }
  const double value = outer(0);
  if (!std::isfinite(value) && std::ranges::none_of(reduced, is_absent))
    throw Error(quote(measure.text) + " has no value: " + to_text(value));
  return std::isfinite(value) ? value : absent;
}

}  // namespace saltus
