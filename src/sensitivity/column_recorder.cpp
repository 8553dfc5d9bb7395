#include "sensitivity/column_recorder.hpp"

#include <algorithm>
#include <array>

namespace saltus::detail {

namespace {

/// The polynomial of degree 3 that has the same values at the three points of Radau IIA and one more at 0: what is added
/// vanishes at the points.
std::array<double, 4> through_start(std::array<double, 4> c, double start) {
  // (x - c1)(x - c2)(x - 1) of Radau IIA, times 10: -1, 9, -18, 10
  const double by = (start - c[0]) / -1.0;
  return {start, c[1] + 9 * by, c[2] - 18 * by, c[3] + 10 * by};
}

}  // namespace

void ColumnRecorder::begin(const VariableMap& map, const std::vector<std::string>& parameters) {
  std::vector<VariableInfo> variables;
  for (const std::string& parameter : parameters)
    for (const VariableInfo& v : map.variables())
      variables.push_back({Sensitivities::column(v.name, parameter), "", ""});
  recorder_.emplace(std::move(variables));
  names_.clear();
  for (const VariableInfo& v : map.variables()) names_.push_back(v.name);
}

void ColumnRecorder::begin_segment(const FollowedPoint& from, const std::string& segment,
                                   const Columns& columns) {
  settle_point();
  const std::size_t p = columns.p();
  const VariableMap& map = from.system.variable_map();
  const auto n_variables = static_cast<std::uint32_t>(map.variables().size());
  unknown_of_.assign(n_variables, std::nullopt);
  computed_ = std::make_unique<ComputedVariables>(from.system, static_cast<std::uint32_t>(p));
  workspace_ = &from.workspace;
  segment_ = segment;
  present_.assign(n_variables * p, 0);
  std::vector<double> values(n_variables * p, 0.0);
  for (std::uint32_t v = 0; v < n_variables; ++v) {
    if (!map.present(v)) continue;
    unknown_of_[v] = map.unknown(v);
    if (!unknown_of_[v]) continue;
    for (std::size_t k = 0; k < p; ++k) {
      present_[k * n_variables + v] = 1;
      values[k * n_variables + v] = columns.s[*unknown_of_[v] * p + k];
    }
  }
  point_ = {from.t, std::move(values)};
}

/// What has no steps is a point, without computed variables: they may need S', which is known along steps.
void ColumnRecorder::settle_point() {
  if (!point_) return;
  recorder_->begin_segment(segment_, point_->t, present_);
  recorder_->add_point(point_->values);
  point_.reset();
}

void ColumnRecorder::add_step(const FollowedPath& path, const VariationalStep& step, double t_from,
                              double t_to, const Columns& columns, bool starts_known) {
  const StepPolynomial s{t_from, t_to, 3, static_cast<std::uint32_t>(columns.s.size()),
                         step.coefficients()};
  if (!computed_->any()) {
    show_columns(t_from, columns.p());
    return record_piece(s, {t_from, t_to, 3, 0, {}}, columns, starts_known);
  }
  computed_->fit(*workspace_, path, s, columns.options.rtol, columns.scale);
  show_columns(t_from, columns.p());
  const FittedPieces& pieces = computed_->pieces();
  if (pieces.missed()) note_missed(*pieces.missed(), columns);
  for (std::size_t i = 0; i < pieces.n_pieces(); ++i)
    record_piece(s, pieces.piece(i), columns, starts_known);
}

/// A part of a step of S, with what is computed as it was fitted.
void ColumnRecorder::record_piece(const StepPolynomial& s, const StepPolynomial& computed,
                                  const Columns& columns, bool starts_known) {
  const std::size_t p = columns.p(), n_variables = unknown_of_.size(), n = n_variables * p;
  const int degree = std::max(s.degree, computed.degree);
  const auto n_coefficients = static_cast<std::size_t>(degree) + 1;
  recorded_.assign(n_coefficients * n, 0.0);
  for (std::uint32_t e = 0; e < computed.n; ++e) {
    const std::size_t to = e % p * n_variables + computed_->variables()[e / p];
    for (int k = 0; k <= computed.degree; ++k)
      recorded_[static_cast<std::size_t>(k) * n + to] = computed.coefficient(k, e);
  }
  std::vector<double> part(n_coefficients);
  for (std::size_t v = 0; v < n_variables; ++v) {
    for (std::size_t k = 0; unknown_of_[v] && k < p; ++k) {
      const std::size_t e = *unknown_of_[v] * p + k;
      std::array<double, 4> c;
      for (int i = 0; i < 4; ++i)
        c[static_cast<std::size_t>(i)] = s.coefficient(i, static_cast<std::uint32_t>(e));
      if (starts_known) c = through_start(c, columns.s[e]);
      restrict_polynomial({s.t_left, s.t_right, 3, 1, c}, computed.t_left, computed.t_right, degree,
                          0, part);
      for (std::size_t i = 0; i < n_coefficients; ++i)
        recorded_[i * n + k * n_variables + v] = part[i];
    }
  }
  recorder_->add_step(
      {computed.t_left, computed.t_right, degree, static_cast<std::uint32_t>(n), recorded_});
}

void ColumnRecorder::note_missed(const MissedFit& missed, const Columns& columns) {
  if (coarsest_ && !(missed.error / missed.tolerance > coarsest_in_tolerances_)) return;
  coarsest_in_tolerances_ = missed.error / missed.tolerance;
  const std::size_t p = columns.p();
  coarsest_ =
      CoarseDerivative{Sensitivities::column(names_[computed_->variables()[missed.which / p]],
                                             columns.parameters[missed.which % p]),
                       missed.t, missed.error};
}

void ColumnRecorder::note_rates(const FollowedPoint& left, const MotionAtEvent& motion) {
  rates_ = RatesBeforeEvent{left.t, std::vector<std::optional<double>>(unknown_of_.size())};
  for (std::size_t v = 0; v < unknown_of_.size(); ++v)
    if (unknown_of_[v]) rates_->of[v] = motion.slope[*unknown_of_[v]];
  if (!computed_->any()) return;
  const auto found = computed_->rates(left, motion);
  for (std::size_t j = 0; j < found.size(); ++j) rates_->of[computed_->variables()[j]] = found[j];
}

/// Computed variables are there where they can be differentiated.
void ColumnRecorder::show_columns(double t, std::size_t p) {
  std::vector<std::uint8_t> present = present_;
  const auto variables = computed_->variables();
  for (std::size_t j = 0; j < variables.size(); ++j)
    for (std::size_t k = 0; k < p; ++k)
      present[k * unknown_of_.size() + variables[j]] = computed_->known(j) ? 1 : 0;
  if (!point_ && present == present_) return;
  point_.reset();
  present_ = std::move(present);
  recorder_->begin_segment(segment_, t, present_);
}

Trajectory ColumnRecorder::take() {
  settle_point();
  return recorder_ ? recorder_->take() : Trajectory();
}

}  // namespace saltus::detail
