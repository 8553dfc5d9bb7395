// The length of the first step.
#pragma once

#include <span>

#include "integrate/problem.hpp"

namespace saltus::detail {

struct FirstStep {
  Evaluation evaluation = Evaluation::ok();  // `failed` if a user's function gave up
  double length = 0.0;
};

/// HNW II.4: a length at which an Euler step changes the solution by a hundredth of itself, then one
/// at which the leading error term of a method of this order is about a hundredth of the tolerance.
/// `h_max` > 0 bounds it; its sign is the direction. `scratch` has 3 n places.
FirstStep find_first_step(Problem& problem, double t, std::span<const double> x,
                          std::span<const double> f, double h_max, int order,
                          std::span<double> scratch);

}  // namespace saltus::detail
