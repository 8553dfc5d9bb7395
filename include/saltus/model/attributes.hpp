// Attributes of a variable beyond its name: start value, guess, range, unit.
#pragma once

#include <limits>
#include <optional>
#include <string>

namespace saltus {

/// Describes a variable or parameter. The attributes of an array hold for every element.
struct Attributes {
  /// The initial value. The solver keeps a start value; it uses a guess as the initial iterate
  /// only.
  std::optional<double> start = {};
  std::optional<double> guess = {};
  /// The same for the first time derivative.
  std::optional<double> derivative_start = {};
  std::optional<double> derivative_guess = {};
  /// A typical magnitude. Absolute tolerances scale with it.
  double nominal = 1.0;
  /// The range in which the model is valid.
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  std::string unit = {};
  std::string description = {};
};

}  // namespace saltus
