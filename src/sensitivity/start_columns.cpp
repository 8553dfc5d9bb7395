#include "sensitivity/start_columns.hpp"

#include <cmath>

#include <saltus/core/error.hpp>

#include "sensitivity/linearised_point.hpp"

namespace saltus::detail {

namespace {

/// Of one column, by four searches around the value that is stated, or by three on one side of it where the search would
/// decide otherwise on the other. A search is exact to about 1e-12: that over the step, and the fourth power (on one
/// side the third) of the step are of the same size. Exact for what keeps its value: the step is a power of two.
void start_by_differences(Columns& columns, const FollowedPoint& at, const FoundStart& start,
                          std::size_t k) {
  constexpr double part = 2e-4;       // of the value
  constexpr double smooth = 0.05;     // both sides agree up to curvature times the step
  constexpr double rounding = 1e-11;  // of what searches find
  using Found = std::optional<std::vector<double>>;
  const std::string& parameter = columns.parameters[k];
  const double step = std::exp2(std::floor(std::log2(part * columns.scale[k])));
  const Found up = start.moved(parameter, step), down = start.moved(parameter, -step);
  const double h = up ? step : -step;  // towards where there is a start
  const Found& first = up ? up : down;
  Found second, third;
  if (first) second = start.moved(parameter, 2 * h);
  Found opposite = up && down ? start.moved(parameter, -2 * h) : std::nullopt;
  if (second && !opposite) third = start.moved(parameter, 3 * h);
  if (!second || !(opposite || third))
    return columns.end(at.t,
                       "with a slightly different '" + parameter + "' the run starts differently");
  for (std::size_t i = 0; i < columns.names.size(); ++i) {
    const double x = at.x[i], one = (*first)[i] - x, two = (*second)[i] - x;
    const double other = opposite ? x - (*down)[i] : two / 2;
    if (std::abs(one - other) >
        smooth * (std::abs(one) + std::abs(other)) + rounding * (std::abs(x) + columns.nominal[i]))
      return columns.end(at.t, "the start value of '" + columns.names[i] +
                                   "' does not depend smoothly on '" + parameter + "'");
    columns.s[i * columns.p() + k] =
        opposite ? (8 * ((*up)[i] - (*down)[i]) - ((*second)[i] - (*opposite)[i])) / (12 * h)
                 : (18 * one - 9 * two + 2 * ((*third)[i] - x)) / (6 * h);
  }
}

}  // namespace

bool begin_columns(Columns& columns, const FollowedPoint& at, const FoundStart& start) {
  columns.names = names_of(at.system);
  columns.nominal = nominals_of(at.system);
  columns.s.assign(columns.names.size() * columns.p(), 0.0);
  for (std::size_t k = 0; k < columns.p(); ++k) {
    const auto place = place_of(columns.names, columns.parameters[k]);
    if (!place)
      throw OptionError("sensitivities",
                        "'" + columns.parameters[k] + "' is neither a parameter nor a state");
    columns.s[*place * columns.p() + k] = 1.0;
    columns.scale.push_back(std::max(std::abs(at.x[*place]), columns.nominal[*place]));
  }
  // Where unknowns without derivatives follow from the others, these start where they were stated to.
  if (start.is_as_stated && LinearisedPoint::at(at)) return false;
  for (std::size_t k = 0; k < columns.p() && !columns.ends; ++k)
    start_by_differences(columns, at, start, k);
  return true;
}

}  // namespace saltus::detail
