// What is known of a variable besides its name.
#pragma once

#include <limits>
#include <optional>
#include <string>

namespace saltus {

/// Attributes of a variable or parameter. For an array they hold for every element.
struct Attributes {
  /// The value at the beginning; a start value is kept, a guess is where a search begins.
  std::optional<double> start = {};
  std::optional<double> guess = {};
  /// The same for the first time derivative.
  std::optional<double> derivative_start = {};
  std::optional<double> derivative_guess = {};
  /// A typical magnitude: absolute tolerances scale with it.
  double nominal = 1.0;
  /// The range in which the model is meant to hold.
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  std::string unit = {};
  std::string description = {};
};

}  // namespace saltus
