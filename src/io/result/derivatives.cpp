#include "io/result/derivatives.hpp"

#include <algorithm>
#include <cmath>

namespace saltus::detail {

ResultTable derivatives_at_rows(const Sensitivities& sensitivities, const ResultTable& rows) {
  const Trajectory& from = sensitivities.trajectory();
  ResultTable out;
  if (from.n_steps() == 0) return out;
  out.times = rows.times;
  out.segments = rows.segments;
  constexpr double rounding = 1e-9;  // of derivatives that are 0 or 1
  const bool backward = from.backward();
  const auto reaches = [&](double t) {
    return backward ? t <= from.t_begin() && t >= from.t_end()
                    : t >= from.t_begin() && t <= from.t_end();
  };
  for (std::uint32_t i = 0; i < from.variables().size(); ++i) {
    const VariableInfo& variable = from.variables()[i];
    ResultColumn column{variable.name, variable.unit, variable.description};
    bool varies = false, whole = true;
    for (const ResultSegment& segment : rows.segments) {
      for (std::size_t r = segment.first_row; r < segment.first_row + segment.n_rows; ++r) {
        const double t = rows.times[r];
        // Rows at the end of a segment are limits from inside it.
        const bool at_end = t == segment.t_end && segment.t_begin != segment.t_end;
        const Side side = at_end != backward ? Side::left : Side::right;
        const std::optional<double> value =
            reaches(t) ? from.at(i, t, side) : std::optional<double>{};
        column.values.push_back(value.value_or(0.0));
        column.present.push_back(value.has_value());
        whole = whole && value;
        varies = varies || (value && std::abs(*value - column.values.front()) > rounding);
      }
    }
    if (whole) column.present.clear();
    // While parameters are differentiated they are unknowns; that they depend on themselves alone says nothing.
    const bool of_parameter = std::any_of(
        sensitivities.parameters().begin(), sensitivities.parameters().end(),
        [&](const std::string& p) { return variable.name.starts_with("d(" + p + ")/d("); });
    if (varies || !of_parameter) out.columns.push_back(std::move(column));
  }
  return out;
}

}  // namespace saltus::detail
