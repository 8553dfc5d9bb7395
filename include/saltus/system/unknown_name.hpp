// Parses names of unknowns that are derivatives of variables.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace saltus {

/// Splits a name: "der(der(x))" is derivative number 2 of "x".
inline std::pair<std::string, std::uint32_t> variable_and_order(std::string name) {
  std::uint32_t order = 0;
  while (name.starts_with("der(") && name.ends_with(")")) {
    name = name.substr(4, name.size() - 5);
    ++order;
  }
  return {std::move(name), order};
}

}  // namespace saltus
