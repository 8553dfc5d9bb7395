// What all parts of derivatives share: S of all unknowns, and where it ends.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <saltus/sensitivity/forward.hpp>
#include <saltus/system/system.hpp>
#include <saltus/trajectory/sensitivity.hpp>

namespace saltus::detail {

struct Columns {
  std::vector<std::string> parameters;
  SensitivityOptions options;
  std::vector<std::string> names = {};  // of unknowns,
  std::vector<double> nominal = {};     // and their typical magnitudes
  std::vector<double> s = {};           // [unknown p + parameter]
  std::vector<double> scale = {};       // of parameters
  std::optional<NoDerivative> ends = {};

  std::size_t p() const { return parameters.size(); }
  /// The first reason counts.
  void end(double t, std::string why) {
    if (!ends) ends = NoDerivative{t, std::move(why)};
  }
};

inline std::vector<std::string> names_of(const System& system) {
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < system.size(); ++i) names.push_back(system.unknown_name(i));
  return names;
}

inline std::vector<double> nominals_of(const System& system) {
  std::vector<double> all;
  for (std::uint32_t i = 0; i < system.size(); ++i) all.push_back(system.nominal(i));
  return all;
}

inline std::optional<std::size_t> place_of(const std::vector<std::string>& names,
                                           const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

}  // namespace saltus::detail
