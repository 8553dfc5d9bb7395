#include <saltus/fit/problem.hpp>

#include <algorithm>
#include <cmath>

#include <saltus/core/error.hpp>
#include <saltus/core/text.hpp>
#include <saltus/model/with_values.hpp>
#include <saltus/simulate/simulate.hpp>

#include "fit/report.hpp"

namespace saltus {

namespace {

[[noreturn]] void refuse_data(const Measurement& m, const std::string& why) {
  throw ModelError("measurement of '" + m.variable + "'", why);
}

void check_data(const Measurement& m, double t_begin) {
  const std::size_t n = m.times.size();
  if (n == 0) refuse_data(m, "has no times");
  if (m.values.size() != n)
    refuse_data(m, "has " + std::to_string(n) + " times and " + std::to_string(m.values.size()) +
                       " values");
  if (m.sigma.size() > 1 && m.sigma.size() != n)
    refuse_data(m, "has " + std::to_string(n) + " values and " + std::to_string(m.sigma.size()) +
                       " standard deviations: one for each, or one for all");
  for (std::size_t i = 0; i < n; ++i) {
    if (!std::isfinite(m.times[i]) || !std::isfinite(m.values[i]))
      refuse_data(m, "row " + std::to_string(i) +
                         " (counted from 0) has a time or a value that is not a finite number");
    if (m.times[i] < t_begin)
      refuse_data(m, "time " + to_text(m.times[i]) + " is before the begin of the run, " +
                         to_text(t_begin));
  }
  for (const double s : m.sigma)
    if (!(s > 0) || !std::isfinite(s)) refuse_data(m, "standard deviation " + to_text(s));
}

void check_parameter(const FitParameter& p) {
  if (!(p.lower < p.upper) || p.start < p.lower || p.start > p.upper)
    throw ModelError("parameter '" + p.name + "'", "start " + to_text(p.start) +
                                                       " is not within [" + to_text(p.lower) +
                                                       ", " + to_text(p.upper) + "]");
}

/// An event that moves with what is fitted, at a time or nearer to it than ten tolerances tell; null if there is none.
const EventTimeDerivative* moving_event(const Solution& s, double t, double rtol) {
  constexpr double likely_error = 10.0;
  for (const EventTimeDerivative& e : s.sensitivities.event_times())
    if (std::abs(e.t - t) <= likely_error * rtol * std::abs(t) &&
        std::ranges::any_of(e.derivatives, [](double d) { return d != 0; }))
      return &e;
  return nullptr;
}

/// Whether something is the same before and after an event, up to what tolerances leave open.
bool is_continuous(const Trajectory& trajectory, std::uint32_t column, double t, double rtol,
                   double atol) {
  constexpr double noticeable = 1000.0;
  const auto before = trajectory.at(column, t, Side::left);
  const auto after = trajectory.at(column, t, Side::right);
  if (!before || !after) return before.has_value() == after.has_value();
  return std::abs(*before - *after) <= noticeable * (rtol * std::abs(*before) + atol);
}

}  // namespace

FitProblem::FitProblem(std::shared_ptr<const ModelDefinition> model,
                       std::vector<FitParameter> parameters, std::vector<Measurement> data,
                       RunOptions options)
    : model_(std::move(model)),
      parameters_(std::move(parameters)),
      data_(std::move(data)),
      options_(std::move(options)) {
  if (parameters_.empty()) throw OptionError("parameters", "there are no parameters to fit");
  if (data_.empty()) throw OptionError("data", "there are no data to fit to");
  options_.sensitivities.clear();
  options_.t_end = options_.t_begin;
  std::vector<Named<double>> values;
  for (FitParameter& p : parameters_) {
    if (const Variable* v = model_->find(p.name.substr(0, p.name.find('[')))) {
      p.lower = std::max(p.lower, v->attributes.min);
      p.upper = std::min(p.upper, v->attributes.max);
    }
    check_parameter(p);
    if (std::ranges::find(options_.sensitivities, p.name) != options_.sensitivities.end())
      throw ModelError("parameter '" + p.name + "'", "is named twice among those to fit");
    options_.sensitivities.push_back(p.name);
    values.push_back({p.name, p.start});
  }
  (void)with_values(model_, values);  // names
  for (const Measurement& m : data_) {
    check_data(m, options_.t_begin);
    options_.t_end = std::max(options_.t_end, *std::ranges::max_element(m.times));
    if (m.sigma.empty() != data_.front().sigma.empty())
      refuse_data(m, "give standard deviations for all measurements or for none");
  }
  sigma_known_ = !data_.front().sigma.empty();
  options_.output.dense = true;
  options_.output.variables.clear();
}

std::string LeastSquaresProblem::residual_name(std::size_t residual,
                                               std::span<const double>) const {
  return "residual " + std::to_string(residual);
}

std::shared_ptr<const ModelDefinition> FitProblem::with(std::span<const double> p) const {
  SALTUS_ASSERT(p.size() == parameters_.size());
  std::vector<Named<double>> values;
  for (std::size_t k = 0; k < p.size(); ++k) values.push_back({parameters_[k].name, p[k]});
  return with_values(model_, values);
}

std::string FitProblem::residual_name(std::size_t residual, std::span<const double> p) const {
  auto m = data_.begin();
  while (residual >= m->times.size()) residual -= (m++)->times.size();
  const double t = m->times[residual];
  std::string text = quote(m->variable) + " at t = " + to_text_of_sum(t);
  RunOptions without_derivatives = options_;
  without_derivatives.sensitivities.clear();
  const Solution s = simulate(with(p), without_derivatives);
  const auto events = s.events();
  // a lock changes no equation
  const auto distance = [&](const Event& e) {
    return e.kind == EventKind::lock ? INFINITY : std::abs(e.t - t);
  };
  const auto nearest = std::ranges::min_element(events, {}, distance);
  if (nearest != events.end() && std::isfinite(distance(*nearest)))
    text +=
        ", passed by the event " + quote(nearest->name) + " at t = " + to_text_of_sum(nearest->t);
  return text;
}

Result<ResidualValues> FitProblem::evaluate(std::span<const double> p) const {
  std::shared_ptr<const ModelDefinition> model;
  try {
    model = with(p);
  } catch (const ModelError& refused) {  // what follows from the parameters is out of its range
    return Failure{FailureCode::not_converged, refused.what()};
  }
  const Solution s = simulate(std::move(model), options_);
  if (!s.ok() || s.t_end() < options_.t_end)
    return Failure{FailureCode::not_converged, "the run ended at t = " + to_text(s.t_end()) +
                                                   ", before the data: " + s.report.message};
  if (const auto& ends = s.sensitivities.ends(); ends && ends->t < options_.t_end)
    return Failure{FailureCode::not_certified,
                   "derivatives end at t = " + to_text(ends->t) + ": " + ends->why};
  ResidualValues found;
  const Trajectory& derivatives = s.sensitivities.trajectory();
  for (const Measurement& m : data_) {
    const std::uint32_t variable = s.trajectory.index_of(m.variable);
    std::vector<std::uint32_t> columns;
    for (const FitParameter& parameter : parameters_)
      columns.push_back(derivatives.index_of(Sensitivities::column(m.variable, parameter.name)));
    for (std::size_t i = 0; i < m.times.size(); ++i) {
      const double t = m.times[i];
      // After an event, also after one at the end.
      constexpr Side side = Side::right;
      const double sigma = m.sigma.empty() ? 1.0 : m.sigma.size() == 1 ? m.sigma[0] : m.sigma[i];
      const auto value = s.trajectory.at(variable, t, side);
      if (!value)
        return Failure{FailureCode::not_certified, "'" + m.variable + "' does not exist at t = " +
                                                       to_text(t) + ", where it was measured"};
      if (const EventTimeDerivative* event = moving_event(s, t, options_.rtol)) {
        // Where only derivatives differ it is a kink, and the fit knows what to do.
        if (!is_continuous(s.trajectory, variable, event->t, options_.rtol, options_.atol))
          return Failure{FailureCode::not_certified,
                         "'" + event->relation + "' happens at t = " + to_text(event->t) +
                             ", where '" + m.variable +
                             "' was measured: with other parameters the measurement falls before "
                             "or after the event, so it has no derivative"};
      }
      found.residuals.push_back((*value - m.values[i]) / sigma);
      for (const std::uint32_t column : columns) {
        const auto slope = derivatives.at(column, t, side);
        if (!slope)
          return Failure{FailureCode::not_certified,
                         "'" + m.variable + "' has no derivative at t = " + to_text(t)};
        found.jacobian.values.push_back(*slope / sigma);
      }
    }
  }
  found.jacobian.n_rows = static_cast<std::uint32_t>(found.residuals.size());
  found.jacobian.n_cols = static_cast<std::uint32_t>(p.size());
  return found;
}

}  // namespace saltus
