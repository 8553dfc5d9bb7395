#include "hybrid/output/output_writer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <saltus/core/text.hpp>
#include <saltus/system/abilities.hpp>

#include "hybrid/core/step_part.hpp"

namespace saltus::detail {

namespace {

std::vector<std::uint32_t> chosen_variables(const SwitchingColumns& columns,
                                            const std::vector<std::string>& names) {
  std::vector<std::uint32_t> chosen;
  const auto all = columns.variables();
  if (names.empty()) {
    for (std::uint32_t v = 0; v < all.size(); ++v) chosen.push_back(v);
    return chosen;
  }
  for (const std::string& wanted : names) {
    const auto it = std::find_if(all.begin(), all.end(),
                                 [&](const VariableInfo& v) { return v.name == wanted; });
    if (it == all.end()) {
      std::vector<std::string> known;
      for (const VariableInfo& v : all) known.push_back(v.name);
      const auto near = nearest_name(wanted, known);
      throw OptionError("output.variables",
                        quote(wanted) + " is not a variable of the model" +
                            (near ? ", did you mean " + quote(*near) + "?" : ""));
    }
    chosen.push_back(static_cast<std::uint32_t>(it - all.begin()));
  }
  // Functions that are asked for need not be named twice.
  for (std::uint32_t v = columns.n_model(); v < all.size(); ++v) {
    if (std::find(chosen.begin(), chosen.end(), v) == chosen.end()) chosen.push_back(v);
  }
  return chosen;
}

std::vector<VariableInfo> infos_of(const SwitchingColumns& columns,
                                   std::span<const std::uint32_t> chosen) {
  std::vector<VariableInfo> infos;
  for (const std::uint32_t v : chosen) infos.push_back(columns.variables()[v]);
  return infos;
}

}  // namespace

OutputWriter::OutputWriter(const VariableMap& map, const SwitchingFunctions* functions,
                           const RunOptions& options, bool several_modes)
    : columns_(map.variables(), functions, options.output.switching, several_modes),
      recorded_(chosen_variables(columns_, options.output.variables)),
      n_all_(columns_.variables().size()),
      recorder_(infos_of(columns_, recorded_)),
      output_(options.output),
      t_begin_(options.t_begin),
      t_end_(options.t_end),
      rtol_(options.rtol),
      atol_(options.atol),
      invariants_(map) {
  if (output_.absent == AbsentVariables::held) {
    std::vector<std::uint8_t> of_model;
    for (const std::uint32_t v : recorded_) of_model.push_back(v < columns_.n_model() ? 1 : 0);
    recorder_.hold_absent(std::move(of_model));
  }
  if (output_.interval > 0 && output_.points != OutputPoints::grid)
    throw OptionError("output.interval", "needs output.points = grid");
  if (!output_.times.empty() && output_.points != OutputPoints::times)
    throw OptionError("output.times", "need output.points = times");
  if (output_.points == OutputPoints::grid) {
    if (!(output_.interval > 0)) throw OptionError("output.interval", "must be > 0 for a grid");
    // The last point of the grid that is not the end itself, and the end.
    const double length = std::abs(t_end_ - t_begin_);
    n_due_ = static_cast<std::size_t>(std::ceil(length / output_.interval * (1 - 1e-12))) + 1;
  } else if (output_.points == OutputPoints::times) {
    if (t_end_ < t_begin_) std::sort(output_.times.rbegin(), output_.times.rend());
    if (t_end_ >= t_begin_) std::sort(output_.times.begin(), output_.times.end());
    for (const double t : output_.times) {
      if (std::min(t_begin_, t_end_) <= t && t <= std::max(t_begin_, t_end_)) continue;
      throw OptionError("output.times", to_text(t) + " lies outside the run, which goes from " +
                                            to_text(t_begin_) + " to " + to_text(t_end_));
    }
    n_due_ = output_.times.size();
  }
  if (output_.dense) {
    points_ = std::make_shared<PointsOnConstraints>(recorded_);
    recorder_.set_exact_points(points_);
  }
  values_.resize(n_all_);
  row_.resize(recorded_.size());
  unknown_of_.resize(recorded_.size());
}

const VariableMap& OutputWriter::map_of(const System& system, Workspace& workspace) {
  if (columns_.n() == 0) return system.variable_map();
  return map_.emplace(system.variable_map(), columns_, workspace);
}

void OutputWriter::read_step(const StepPolynomial& step, double t) {
  step.state_at(t, x_);
  step.derivative_at(t, xdot_);
  for (std::size_t i = 0; i < non_negative_.size(); ++i) {
    if (non_negative_[i]) x_[i] = std::max(x_[i], 0.0);
  }
}

double OutputWriter::due_time(std::size_t number) const {
  if (output_.points == OutputPoints::times) return output_.times[number];
  if (number + 1 == n_due_) return t_end_;
  const double distance = static_cast<double>(number) * output_.interval;
  return t_end_ >= t_begin_ ? t_begin_ + distance : t_begin_ - distance;
}

bool OutputWriter::is_due(double t_due, double t_reached) const {
  return t_end_ >= t_begin_ ? t_due <= t_reached : t_due >= t_reached;
}

bool OutputWriter::needs_polynomial(double t_right) const {
  if (output_.dense) return true;
  return next_due_ < n_due_ && is_due(due_time(next_due_), t_right) &&
         due_time(next_due_) != t_right;
}

Result<void> OutputWriter::evaluate(const System& system, Workspace& workspace, double t,
                                    std::span<const double> x, std::span<const double> xdot) {
  const VariableMap& map = map_of(system, workspace);
  const Evaluation evaluated = map.values(workspace, t, x, xdot, values_);
  if (evaluated) return {};
  const auto at_point = [&](std::span<const double> point) {
    return map.values(workspace, t, point, xdot, values_);
  };
  if (evaluated.status() == Evaluation::Status::out_of_domain && own_side_ &&
      own_side_(workspace, t, x, xdot, at_point)) {
    // What is an unknown is what it is.
    for (std::uint32_t v = 0; v < map.variables().size(); ++v)
      if (const auto u = map.unknown(v); u && map.present(v)) values_[v] = x[*u];
    return {};
  }
  undefined_ = {map.variables()[evaluated.row()].name, t};
  return Failure{FailureCode::out_of_domain, "at t = " + to_text(t) + ": output '" +
                                                 undefined_->name + "' cannot be evaluated"};
}

Result<void> OutputWriter::project_point(Workspace& workspace, double t) {
  if (projected_ != &workspace) {
    projected_ = &workspace;
    projection_ = workspace.ability<OutputProjection>();
  }
  if (projection_ == nullptr) return {};
  double moved = 0.0;
  if (!projection_->project(t, x_, xdot_, moved)) {
    return Failure{
        FailureCode::not_converged,
        "at t = " + to_text(t) + ": an output point cannot be moved onto the constraints"};
  }
  largest_projection_ = std::max(largest_projection_, moved);
  return {};
}

Result<void> OutputWriter::add_row(const System& system, Workspace& workspace, double t,
                                   std::span<const double> x, std::span<const double> xdot) {
  if (x.data() != x_.data()) {
    std::copy(x.begin(), x.end(), x_.begin());
    std::copy(xdot.begin(), xdot.end(), xdot_.begin());
  }
  if (auto ok = project_point(workspace, t); !ok) return ok;
  if (auto ok = evaluate(system, workspace, t, x_, xdot_); !ok) return ok;
  for (std::size_t r = 0; r < recorded_.size(); ++r) row_[r] = values_[recorded_[r]];
  recorder_.add_row(t, row_);
  return {};
}

Result<void> OutputWriter::begin_segment(const SegmentName& name,
                                         const std::shared_ptr<const System>& of,
                                         Workspace& workspace, double t, std::span<const double> x,
                                         std::span<const double> xdot) {
  const System& system = *of;
  if (points_) points_->begin_stretch(of, workspace, t_end_, non_negative_);
  x_.resize(x.size());
  xdot_.resize(x.size());
  projected_ = nullptr;  // another one may be where the last one was
  const std::size_t n_segments_before = trajectory().segments().size();
  std::vector<std::uint8_t> present = recorded_flags(system, workspace);
  if (!output_.dense && recorder_.is_empty_segment(name.mode, present, name.sliding)) {
    // Nothing of the last stretch was kept: two of them are one.
    recorder_.extend_to(t);
  } else {
    recorder_.begin_segment(name.mode, t, std::move(present),
                            {name.sliding.begin(), name.sliding.end()});
  }
  if (output_.points == OutputPoints::steps) {
    if (auto ok = add_row(system, workspace, t, x, xdot); !ok) return ok;
  }
  if (output_.points != OutputPoints::steps && last_due_ == t && n_segments_before > 0) {
    // A row stands at the end of the last stretch: here is the other limit, if it is another one.
    if (auto ok = evaluate(system, workspace, t, x, xdot); !ok) return ok;
    const auto last = trajectory().row(trajectory().n_rows() - 1);
    const auto before = trajectory().segments()[n_segments_before - 1].present;
    const auto now = trajectory().segments().back().present;
    bool differs = before != now;
    for (std::size_t r = 0; r < recorded_.size() && !differs; ++r) {
      differs = now[r] && values_[recorded_[r]] != last[r];
    }
    if (differs) {
      if (auto ok = add_row(system, workspace, t, x, xdot); !ok) return ok;
    }
  }
  while (next_due_ < n_due_ && due_time(next_due_) == t) {
    ++next_due_;
    if (auto ok = add_row(system, workspace, t, x, xdot); !ok) return ok;
  }
  return watch_invariants(system, workspace, t, x, xdot);
}

Result<void> OutputWriter::end_with_point(const SegmentName& name,
                                          const std::shared_ptr<const System>& system,
                                          Workspace& workspace, double t, std::span<const double> x,
                                          std::span<const double> xdot) {
  if (auto ok = begin_segment(name, system, workspace, t, x, xdot); !ok) return ok;
  return close(*system, workspace, t, x, xdot);
}

void OutputWriter::cut_back_to(double t) {
  recorder_.cut_back_to(t);
  if (points_) points_->cut_back_to(trajectory().n_steps());
}

Result<void> OutputWriter::leave(const System& system, Workspace& workspace, double t,
                                 std::span<const double> x, std::span<const double> xdot) {
  if (output_.absent != AbsentVariables::held || trajectory().empty()) return {};
  auto values = recorded_values(system, workspace, t, x, xdot);
  if (!values) return values.failure();
  recorder_.pass(t, *values);
  return {};
}

Result<void> OutputWriter::close(const System& system, Workspace& workspace, double t,
                                 std::span<const double> x, std::span<const double> xdot) {
  const auto segments = trajectory().segments();
  if (!output_.dense || segments.empty() || segments.back().n_steps > 0) return {};
  auto values = recorded_values(system, workspace, t, x, xdot);
  if (!values) return values.failure();
  recorder_.add_point(*values);
  return {};
}

std::vector<std::uint8_t> OutputWriter::recorded_flags(const System& system, Workspace& workspace) {
  const VariableMap& map = map_of(system, workspace);
  std::vector<std::uint8_t> present;
  present.reserve(recorded_.size());
  for (const std::uint32_t v : recorded_) present.push_back(map.present(v) ? 1 : 0);
  return present;
}

Result<std::vector<double>> OutputWriter::recorded_values(const System& system,
                                                          Workspace& workspace, double t,
                                                          std::span<const double> x,
                                                          std::span<const double> xdot) {
  x_.assign(x.begin(), x.end());
  xdot_.assign(xdot.begin(), xdot.end());
  projected_ = nullptr;  // it may be the workspace of another system
  if (auto ok = project_point(workspace, t); !ok) return ok.failure();
  if (auto ok = evaluate(system, workspace, t, x_, xdot_); !ok) return ok.failure();
  std::vector<double> values;
  values.reserve(recorded_.size());
  const VariableMap& map = map_of(system, workspace);
  for (const std::uint32_t v : recorded_) {
    values.push_back(map.present(v) ? values_[v] : 0.0);
  }
  return values;
}

Result<void> OutputWriter::watch_invariants(const System& system, Workspace& workspace, double t,
                                            std::span<const double> x,
                                            std::span<const double> xdot) {
  if (invariants_.empty()) return {};
  // Rows at the ends of steps have just been evaluated, there.
  if (output_.points != OutputPoints::steps) {
    std::copy(x.begin(), x.end(), x_.begin());
    std::copy(xdot.begin(), xdot.end(), xdot_.begin());
    if (auto ok = project_point(workspace, t); !ok) return ok;
    // Other outputs need not exist where no row is asked for.
    (void)evaluate(system, workspace, t, x_, xdot_);
  }
  invariants_.observe(system.variable_map(), t, values_);
  return {};
}

Result<void> OutputWriter::add_step(const System& system, Workspace& workspace,
                                    const StepPolynomial& step, std::span<const double> x,
                                    std::span<const double> xdot) {
  undefined_.reset();
  if (output_.dense) {
    const std::uint32_t first = trajectory().n_steps();
    if (auto ok = add_polynomial(system, workspace, step); !ok) return ok;
    points_->add_step(step, workspace, first, trajectory().n_steps());
  }
  const std::size_t first_due = next_due_;
  if (auto ok = add_due_rows(system, workspace, step, x, xdot); !ok) {
    // The polynomial was defined everywhere it was looked at: what is defined is recorded anew (add_defined_part).
    if (output_.dense) {
      cut_back_to(step.t_left);
      next_due_ = first_due;
    }
    return ok;
  }
  recorder_.extend_to(step.t_right);
  return watch_invariants(system, workspace, step.t_right, x, xdot);
}

std::optional<OutputWriter::Undefined> OutputWriter::add_defined_part(const System& system,
                                                                      Workspace& workspace,
                                                                      const StepPolynomial& step) {
  if (!undefined_) return std::nullopt;
  Undefined found = *undefined_;
  // Without dense output nothing was evaluated between rows, and the last step may have gone beyond.
  read_step(step, trajectory().t_end());
  if (!evaluate(system, workspace, trajectory().t_end(), x_, xdot_)) return found;
  found.is_last_defined = true;
  std::vector<double> coefficients;
  // The part that seems to be defined may have a place inside where an output is not.
  constexpr int most_tries = 60;
  for (int tries = 0; tries < most_tries; ++tries) {
    const double t_from = trajectory().t_end();
    const double t_to = last_defined(system, workspace, step, t_from, found.t);
    found.t = t_to;
    if (t_to == t_from) break;
    const StepPolynomial part = part_of(step, t_from, t_to, coefficients);
    read_step(part, t_to);
    const std::vector<double> x = x_, xdot = xdot_;
    if (add_step(system, workspace, part, x, xdot) || !undefined_) break;
    found = {undefined_->name, undefined_->t, true};
  }
  return found;
}

/// The last of all times from t_defined on at which outputs can be evaluated, by bisection down to the resolution of
/// time.
double OutputWriter::last_defined(const System& system, Workspace& workspace,
                                  const StepPolynomial& step, double t_defined,
                                  double t_undefined) {
  for (;;) {
    const double middle = t_defined + 0.5 * (t_undefined - t_defined);
    if (middle == t_defined || middle == t_undefined) return t_defined;
    read_step(step, middle);
    (evaluate(system, workspace, middle, x_, xdot_) ? t_defined : t_undefined) = middle;
  }
}

Result<void> OutputWriter::add_due_rows(const System& system, Workspace& workspace,
                                        const StepPolynomial& step, std::span<const double> x,
                                        std::span<const double> xdot) {
  if (output_.points == OutputPoints::steps) {
    return add_row(system, workspace, step.t_right, x, xdot);
  }
  for (; next_due_ < n_due_ && is_due(due_time(next_due_), step.t_right); ++next_due_) {
    const double t = due_time(next_due_);
    last_due_ = t;
    if (t == step.t_right) {
      if (auto ok = add_row(system, workspace, t, x, xdot); !ok) return ok;
      continue;
    }
    read_step(step, t);
    if (auto ok = add_row(system, workspace, t, x_, xdot_); !ok) return ok;
  }
  return {};
}

Result<void> OutputWriter::add_polynomial(const System& system, Workspace& workspace,
                                          const StepPolynomial& step) {
  const VariableMap& map = map_of(system, workspace);
  computed_.clear();
  bool are_the_unknowns = recorded_.size() == step.n;  // all, and in their order
  for (std::uint32_t r = 0; r < recorded_.size(); ++r) {
    const bool is_present = map.present(recorded_[r]);
    unknown_of_[r] = is_present ? map.unknown(recorded_[r]) : std::nullopt;
    if (is_present && !unknown_of_[r]) computed_.push_back(r);
    are_the_unknowns = are_the_unknowns && unknown_of_[r] == r;
  }
  if (are_the_unknowns) {
    recorder_.add_step(step);
    return {};
  }
  if (computed_.empty()) {
    record_whole(step);
    return {};
  }
  if (auto ok = fit_expressions(system, workspace, step); !ok) return ok;
  for (std::size_t i = 0; i < fitted_.n_pieces(); ++i) record_piece(step, fitted_.piece(i));
  return {};
}

/// A step of which unknowns are all that is recorded.
void OutputWriter::record_whole(const StepPolynomial& step) {
  const std::size_t m = recorded_.size();
  const auto n_coefficients = static_cast<std::size_t>(step.degree) + 1;
  coefficients_.assign(n_coefficients * m, 0.0);
  for (std::size_t r = 0; r < m; ++r) {
    if (!unknown_of_[r]) continue;
    const double* from = step.coefficients.data() + *unknown_of_[r];
    for (std::size_t k = 0; k < n_coefficients; ++k) coefficients_[k * m + r] = from[k * step.n];
  }
  recorder_.add_step(
      {step.t_left, step.t_right, step.degree, static_cast<std::uint32_t>(m), coefficients_});
}

/// A part of a step: unknowns as they are along it, the others as fitted.
void OutputWriter::record_piece(const StepPolynomial& step, const StepPolynomial& fitted) {
  const std::size_t m = recorded_.size();
  const int degree = std::max(step.degree, fitted.degree);
  const auto n_coefficients = static_cast<std::size_t>(degree) + 1;
  coefficients_.assign(n_coefficients * m, 0.0);
  samples_.resize(n_coefficients);
  for (std::size_t r = 0; r < m; ++r) {
    if (!unknown_of_[r]) continue;
    restrict_polynomial(step, fitted.t_left, fitted.t_right, degree, *unknown_of_[r], samples_);
    for (std::size_t k = 0; k < n_coefficients; ++k) coefficients_[k * m + r] = samples_[k];
  }
  for (std::uint32_t j = 0; j < fitted.n; ++j)
    for (int k = 0; k <= fitted.degree; ++k)
      coefficients_[static_cast<std::size_t>(k) * m + computed_[j]] = fitted.coefficient(k, j);
  recorder_.add_step(
      {fitted.t_left, fitted.t_right, degree, static_cast<std::uint32_t>(m), coefficients_});
}

/// What is not an unknown may be off by rtol, or by a part of what errors of the unknowns make of it.
Result<void> OutputWriter::fit_expressions(const System& system, Workspace& workspace,
                                           const StepPolynomial& step) {
  Failure failure;
  const auto values_at = [&](double t, std::span<double> values) {
    read_step(step, t);
    if (auto ok = evaluate(system, workspace, t, x_, xdot_); !ok) {
      failure = ok.failure();
      return false;
    }
    for (std::size_t j = 0; j < computed_.size(); ++j) values[j] = values_[recorded_[computed_[j]]];
    return true;
  };
  find_allowed(system, workspace, step);
  if (!fitted_.fit(step.t_left, step.t_right, step.degree, rtol_, allowed_, values_at))
    return failure;
  if (const auto& missed = fitted_.missed();
      missed && (!missed_ || missed->error / missed->tolerance > missed_->off / missed_->tolerance))
    missed_ = {columns_.variables()[recorded_[computed_[missed->which]]].name, missed->t,
               missed->error, missed->tolerance};
  return {};
}

/// By how much expressions change where every unknown is off by its tolerance. Signs differ, so that what
/// differences of unknowns come to is seen as well.
void OutputWriter::find_allowed(const System& system, Workspace& workspace,
                                const StepPolynomial& step) {
  constexpr double part = 0.1;
  allowed_.assign(computed_.size(), 0.0);
  const double middle = step.t_left + 0.5 * (step.t_right - step.t_left);
  read_step(step, middle);
  if (!evaluate(system, workspace, middle, x_, xdot_)) return;
  for (std::size_t j = 0; j < computed_.size(); ++j) allowed_[j] = values_[recorded_[computed_[j]]];
  for (std::uint32_t i = 0; i < x_.size(); ++i) {
    const double off = rtol_ * std::abs(x_[i]) + atol_ * system.nominal(i);
    const bool up = ((i * 2654435761U) >> 16U) % 2 == 0;
    x_[i] += up ? off : -off;
    xdot_[i] += (up ? off : -off) / std::abs(step.t_right - step.t_left);
  }
  const bool known = static_cast<bool>(evaluate(system, workspace, middle, x_, xdot_));
  for (std::size_t j = 0; j < computed_.size(); ++j)
    allowed_[j] = known ? part * std::abs(values_[recorded_[computed_[j]]] - allowed_[j]) : 0.0;
}

}  // namespace saltus::detail
