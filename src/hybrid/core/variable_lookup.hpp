// Variables of a model by name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <saltus/system/system.hpp>

namespace saltus::detail {

inline std::optional<std::uint32_t> find_variable(const VariableMap& map, const std::string& name) {
  const auto variables = map.variables();
  for (std::uint32_t v = 0; v < variables.size(); ++v) {
    if (variables[v].name == name) return v;
  }
  return std::nullopt;
}

/// Empty if it has none, or is no variable.
inline std::string unit_of(const System& system, const std::string& variable) {
  const auto found = find_variable(system.variable_map(), variable);
  return found ? system.variable_map().variables()[*found].unit : std::string();
}

}  // namespace saltus::detail
