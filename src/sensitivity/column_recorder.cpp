#include "sensitivity/column_recorder.hpp"

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
  const std::size_t p = columns.p(), n_variables = unknown_of_.size(), n = n_variables * p;
  const std::size_t size = columns.s.size();
  recorded_.assign(4 * n, 0.0);
  if (computed_->any()) {
    computed_->sample(*workspace_, path,
                      {t_from, t_to, 3, static_cast<std::uint32_t>(size), step.coefficients()});
    const auto variables = computed_->variables();
    for (std::size_t degree = 0; degree < 4; ++degree)
      for (std::size_t j = 0; j < variables.size(); ++j)
        for (std::size_t k = 0; k < p; ++k)
          recorded_[degree * n + k * n_variables + variables[j]] =
              computed_->coefficient(degree, j, k);
  }
  show_columns(t_from, p);
  for (std::size_t v = 0; v < n_variables; ++v) {
    for (std::size_t k = 0; unknown_of_[v] && k < p; ++k) {
      const std::size_t e = *unknown_of_[v] * p + k;
      std::array<double, 4> c;
      for (std::size_t degree = 0; degree < 4; ++degree)
        c[degree] = step.coefficients()[degree * size + e];
      if (starts_known) c = through_start(c, columns.s[e]);
      for (std::size_t degree = 0; degree < 4; ++degree)
        recorded_[degree * n + k * n_variables + v] = c[degree];
    }
  }
  recorder_->add_step({t_from, t_to, 3, static_cast<std::uint32_t>(n), recorded_});
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
