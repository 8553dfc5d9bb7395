#include <saltus/trajectory/trajectory.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <saltus/core/error.hpp>
#include <saltus/core/text.hpp>

#include "trajectory/where_else.hpp"

namespace saltus {

namespace {

std::string in_mode(const Segment& segment) {
  return segment.mode.empty() ? "" : " in mode " + quote(segment.mode);
}

[[noreturn]] void outside_solution(const Trajectory& trajectory, double t) {
  throw Error("t = " + to_text(t) + " is outside the solution, which reaches from t = " +
              to_text(trajectory.t_begin()) + " to t = " + to_text(trajectory.t_end()));
}

[[noreturn]] void steps_missing(const Trajectory& trajectory, double t) {
  if (trajectory.n_steps() > 0)
    throw Error("no step was recorded at t = " + to_text(t) +
                ", although the solution reaches there");
  throw Error("the solution cannot be asked at t = " + to_text(t) +
              ": no steps were recorded; set the option output.dense to true, or use the rows");
}

[[noreturn]] void variable_absent(const Trajectory& trajectory, std::uint32_t variable,
                                  const Segment& segment, double t) {
  throw Error("variable " + quote(trajectory.variables()[variable].name) + " does not exist" +
              in_mode(segment) + " at t = " + to_text(t) +
              detail::where_else(trajectory, variable, t));
}

/// A short string lives inside its object, which is counted by whoever holds it.
std::size_t heap_bytes(const std::string& text) {
  return text.capacity() > std::string().capacity() ? text.capacity() + 1 : 0;
}

template <class T>
std::size_t heap_bytes(const std::vector<T>& elements) {
  return elements.capacity() * sizeof(T);
}

}  // namespace

std::string detail::where_else(const Trajectory& trajectory, std::uint32_t variable, double t) {
  const Segment* before = nullptr;  // the nearest in time, whichever way the run went
  const Segment* after = nullptr;
  for (const Segment& segment : trajectory.segments()) {
    if (!segment.present[variable]) continue;
    const auto [low, high] = std::minmax(segment.t_begin, segment.t_end);
    if (high <= t && (before == nullptr || high >= std::max(before->t_begin, before->t_end)))
      before = &segment;
    if (low >= t && (after == nullptr || low < std::min(after->t_begin, after->t_end)))
      after = &segment;
  }
  std::string text;
  if (before != nullptr)
    text = "; it exists until t = " + to_text(std::max(before->t_begin, before->t_end)) +
           in_mode(*before);
  if (after != nullptr)
    text += (text.empty() ? "; it exists from t = " : " and again from t = ") +
            to_text(std::min(after->t_begin, after->t_end)) + in_mode(*after);
  return text.empty() ? "; no mode of this run has it" : text;
}

// ---- names -----------------------------------------------------------------------------------------

std::optional<std::uint32_t> Trajectory::find(std::string_view variable) const {
  const auto found = std::lower_bound(
      by_name_.begin(), by_name_.end(), variable,
      [&](std::uint32_t i, std::string_view name) { return variables_[i].name < name; });
  if (found == by_name_.end() || variables_[*found].name != variable) return std::nullopt;
  return *found;
}

std::uint32_t Trajectory::index_of(std::string_view variable) const {
  if (const auto found = find(variable)) return *found;
  std::vector<std::string_view> names;
  for (const VariableInfo& info : variables_) names.push_back(info.name);
  constexpr std::string_view begin = "der(", end = ")";
  if (variable.starts_with(begin) && variable.ends_with(end)) {
    const std::string_view inner =
        variable.substr(begin.size(), variable.size() - begin.size() - end.size());
    if (find(inner)) {
      throw Error("the solution has no variable " + quote(variable) + ": ask for derivative_at(" +
                  quote(inner) + ", t), or make it an output of the model");
    }
  }
  const auto near = nearest_name(variable, std::span<const std::string_view>(names));
  throw Error("the solution has no variable " + quote(variable) +
              (near ? "; did you mean " + quote(*near) + "?" : ""));
}

// ---- times -----------------------------------------------------------------------------------------

double Trajectory::t_begin() const {
  if (empty()) throw Error("the solution is empty: the run did not start");
  return segments_.front().t_begin;
}

double Trajectory::t_end() const {
  if (empty()) throw Error("the solution is empty: the run did not start");
  return segments_.back().t_end;
}

double Trajectory::within(double t) const {
  // 0.1 + 0.2 is meant to be the end of a run to 0.3.
  constexpr double ulps = 4 * std::numeric_limits<double>::epsilon();
  for (const double end : {t_begin(), t_end()}) {
    const double beyond = (t - end) * (end == t_begin() ? -1.0 : 1.0) * (backward_ ? -1.0 : 1.0);
    if (beyond > 0 && beyond <= ulps * std::abs(end)) return end;
  }
  return t;
}

std::uint32_t Trajectory::step_at(double t, Side side) const {
  if (std::isnan(t) || earlier(t, t_begin()) || earlier(t_end(), t)) outside_solution(*this, t);

  // In the order of the run both ends of the steps are sorted. The first step that contains t lies on
  // the side the run came from.
  const bool first = (side == Side::left) != backward_;
  auto found = steps_.begin();
  if (first) {
    found = std::lower_bound(steps_.begin(), steps_.end(), t,
                             [&](const Step& s, double at) { return earlier(s.t_right, at); });
    if (found == steps_.end() || earlier(t, found->t_left)) steps_missing(*this, t);
  } else {
    found = std::upper_bound(steps_.begin(), steps_.end(), t,
                             [&](double at, const Step& s) { return earlier(at, s.t_left); });
    if (found == steps_.begin()) steps_missing(*this, t);
    --found;
    if (earlier(found->t_right, t)) steps_missing(*this, t);
  }
  auto k = static_cast<std::uint32_t>(found - steps_.begin());
  if (t == steps_[k].t_right) {
    const Segment& segment = segments_[segment_of_step(k)];
    const std::uint32_t last = segment.first_step + segment.n_steps - 1;
    while (k < last && steps_[k + 1].t_left == t) ++k;
  }
  return k;
}

std::optional<double> Trajectory::at(std::uint32_t variable, double time, Side side) const {
  SALTUS_ASSERT(variable < variables_.size());
  const double t = within(time);
  const std::uint32_t k = step_at(t, side);
  if (!segments_[segment_of_step(k)].present[variable]) return std::nullopt;
  return value_in(k, variable, t);
}

double Trajectory::value_in(std::uint32_t k, std::uint32_t variable, double t) const {
  if (exact_) {
    if (const auto exact = exact_->at(k, t, variable)) return *exact;
  }
  const StepPolynomial p = step(k);
  // Not by the formula: 0 c + (-0) is +0, and a step without length has no position.
  return t == p.t_left ? p.coefficient(0, variable) : p.value(variable, t);
}

std::optional<double> Trajectory::derivative_at(std::uint32_t variable, double time,
                                                Side side) const {
  SALTUS_ASSERT(variable < variables_.size());
  const double t = within(time);
  const std::uint32_t k = step_at(t, side);
  const Segment& segment = segments_[segment_of_step(k)];
  if (!segment.present[variable]) return std::nullopt;
  const StepPolynomial p = step(k);
  if (p.t_left == p.t_right)
    throw Error("no derivative at t = " + to_text(t) + ": the solution" + in_mode(segment) +
                " consists of this instant only");
  return p.slope(variable, t);
}

double Trajectory::at(std::string_view variable, double t, Side side) const {
  const std::uint32_t i = index_of(variable);
  if (const auto value = at(i, t, side)) return *value;
  variable_absent(*this, i, segments_[segment_of_step(step_at(within(t), side))], t);
}

double Trajectory::derivative_at(std::string_view variable, double t, Side side) const {
  const std::uint32_t i = index_of(variable);
  if (const auto value = derivative_at(i, t, side)) return *value;
  variable_absent(*this, i, segments_[segment_of_step(step_at(within(t), side))], t);
}

void Trajectory::at(double time, std::span<double> values, Side side) const {
  SALTUS_ASSERT(values.size() == variables_.size());
  const double t = within(time);
  const std::uint32_t k = step_at(t, side);
  const Segment& segment = segments_[segment_of_step(k)];
  for (std::uint32_t i = 0; i < values.size(); ++i) {
    if (segment.present[i]) values[i] = value_in(k, i, t);
  }
}

// ---- rows and steps --------------------------------------------------------------------------------

std::span<const double> Trajectory::row(std::uint32_t r) const {
  SALTUS_ASSERT(r < n_rows());
  const std::size_t n = variables_.size();
  return std::span<const double>(row_values_).subspan(r * n, n);
}

std::uint32_t Trajectory::segment_of_row(std::uint32_t r) const {
  SALTUS_ASSERT(r < n_rows());
  // Of segments with the same first row, all but the last are without rows.
  const auto next =
      std::upper_bound(segments_.begin(), segments_.end(), r,
                       [](std::uint32_t at, const Segment& s) { return at < s.first_row; });
  return static_cast<std::uint32_t>(next - segments_.begin()) - 1;
}

std::vector<double> Trajectory::column(std::string_view variable) const {
  const std::uint32_t i = index_of(variable);
  std::vector<double> values;
  for (const Segment& segment : segments_) {
    if (!segment.present[i]) continue;
    for (std::uint32_t r = 0; r < segment.n_rows; ++r)
      values.push_back(row(segment.first_row + r)[i]);
  }
  return values;
}

MaskedColumn Trajectory::masked_column(std::string_view variable) const {
  const std::uint32_t i = index_of(variable);
  MaskedColumn column;
  column.values.reserve(n_rows());
  column.present.reserve(n_rows());
  for (const Segment& segment : segments_) {
    for (std::uint32_t r = 0; r < segment.n_rows; ++r) {
      column.values.push_back(row(segment.first_row + r)[i]);
      column.present.push_back(segment.present[i]);
    }
  }
  return column;
}

StepPolynomial Trajectory::step(std::uint32_t k) const {
  SALTUS_ASSERT(k < n_steps());
  const Step& s = steps_[k];
  const std::uint64_t end = k + 1 < steps_.size() ? steps_[k + 1].offset : coefficients_.size();
  const std::size_t n = variables_.size();
  StepPolynomial p;
  p.t_left = s.t_left;
  p.t_right = s.t_right;
  p.degree = n == 0 ? 0 : static_cast<int>((end - s.offset) / n) - 1;
  p.n = static_cast<std::uint32_t>(n);
  p.coefficients = std::span<const double>(coefficients_).subspan(s.offset, end - s.offset);
  return p;
}

std::uint32_t Trajectory::segment_of_step(std::uint32_t k) const {
  SALTUS_ASSERT(k < n_steps());
  const auto next =
      std::upper_bound(segments_.begin(), segments_.end(), k,
                       [](std::uint32_t at, const Segment& s) { return at < s.first_step; });
  return static_cast<std::uint32_t>(next - segments_.begin()) - 1;
}

std::size_t Trajectory::memory() const {
  std::size_t bytes = sizeof(*this) + heap_bytes(variables_) + heap_bytes(by_name_) +
                      heap_bytes(segments_) + heap_bytes(steps_) + heap_bytes(coefficients_) +
                      heap_bytes(row_times_) + heap_bytes(row_values_);
  for (const VariableInfo& v : variables_)
    bytes += heap_bytes(v.name) + heap_bytes(v.unit) + heap_bytes(v.description);
  for (const Segment& s : segments_) {
    bytes += heap_bytes(s.mode) + heap_bytes(s.present) + heap_bytes(s.sliding);
    for (const std::string& relation : s.sliding) bytes += heap_bytes(relation);
  }
  if (exact_) bytes += exact_->memory();
  return bytes;
}

}  // namespace saltus
