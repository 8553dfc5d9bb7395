// What a named mechanism consists of: its equations of high index as they stand, and beside them, as
// outputs, what must hold along its motion.
//
// write() adds for each constraint "c" of positions the outputs "c, position", "c, velocity" and
// "c, acceleration": the constraint and its first two derivatives at the point delivered, each divided by
// the size of its largest term along the motion. A constraint of velocities lacks the first of them.
// "energy" is an output too, and an invariant where nothing does work.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <saltus/saltus.hpp>

namespace saltus::problems {

struct Mechanism {
  std::string name;
  void (*write)(Model& model);
  double t_end;
  /// Certified values at t_end of variables and outputs, in the order of the file.
  std::vector<Named<double>> reference;
  std::string file = {};  // in tests/reference
};

inline constexpr std::array<std::string_view, 3> constraint_levels = {", position", ", velocity",
                                                                      ", acceleration"};

/// The total time derivative of an expression of the model.
inline Expr rate(const Expr& value) {
  Graph& g = *value.graph();
  const NodeId node = value.id();
  return {g, total_derivative(g, std::span(&node, 1)).front()};
}

/// Sizes of the largest terms of a constraint and its derivatives; 1: as it is.
struct ConstraintSizes {
  double position = 1.0;
  double velocity = 1.0;
  double acceleration = 1.0;
};

/// What vanishes at a delivered point, unscaled; a constraint of velocities has no position.
inline void write_velocity_outputs(Model& m, const std::string& name, const Expr& velocity,
                                   const Expr& acceleration, ConstraintSizes sizes) {
  m.output(name + ", velocity", velocity / sizes.velocity);
  m.output(name + ", acceleration", acceleration / sizes.acceleration);
}

/// The equation value = 0 between velocities, and its outputs.
inline void write_rolling(Model& m, const std::string& name, const Expr& value,
                          ConstraintSizes sizes) {
  m.equation(name, value == 0.0);
  write_velocity_outputs(m, name, value, rate(value), sizes);
}

/// The equation value = 0 between positions, and its outputs.
inline void write_constraint(Model& m, const std::string& name, const Expr& value,
                             ConstraintSizes sizes) {
  m.equation(name, value == 0.0);
  m.output(name + ", position", value / sizes.position);
  write_velocity_outputs(m, name, rate(value), rate(rate(value)), sizes);
}

/// Largest error of the first n_values reference values, each relative to its own size if that is above 1;
/// infinity for a run that did not arrive.
inline double reference_error(const Solution& solution, const Mechanism& mechanism,
                              std::size_t n_values = ~std::size_t{0}) {
  if (!solution.ok() || solution.t_end() != mechanism.t_end) {
    return std::numeric_limits<double>::infinity();
  }
  double worst = 0.0;
  for (std::size_t i = 0; i < std::min(n_values, mechanism.reference.size()); ++i) {
    const auto& [name, value] = mechanism.reference[i];
    worst =
        std::max(worst, std::abs(solution.final(name) - value) / std::max(1.0, std::abs(value)));
  }
  return worst;
}

/// Largest constraint residual over rows [first, last) of a trajectory, level by level.
inline std::array<double, 3> constraint_residuals(const Trajectory& trajectory, std::uint32_t first,
                                                  std::uint32_t last) {
  std::array<double, 3> worst{};
  for (std::uint32_t v = 0; v < trajectory.variables().size(); ++v) {
    for (std::size_t level = 0; level < constraint_levels.size(); ++level) {
      if (!trajectory.variables()[v].name.ends_with(constraint_levels[level])) continue;
      for (std::uint32_t r = first; r < last; ++r) {
        const double size = std::abs(trajectory.row(r)[v]);
        worst[level] = size <= worst[level] ? worst[level] : size;  // NaN counts
      }
    }
  }
  return worst;
}
inline std::array<double, 3> constraint_residuals(const Trajectory& trajectory) {
  return constraint_residuals(trajectory, 0, trajectory.n_rows());
}

}  // namespace saltus::problems
