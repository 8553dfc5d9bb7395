// Sizes, names, pattern, start values: what a system says about itself before it is evaluated.
#include <cmath>
#include <functional>

#include <saltus/core/text.hpp>

#include "system/contract/trial.hpp"

namespace saltus::detail {

namespace {

void check_names(Trial& trial, const std::string& what, std::size_t count,
                 const std::function<std::string(std::uint32_t)>& name_of) {
  std::map<std::string, std::size_t> first;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name = name_of(static_cast<std::uint32_t>(i));
    if (name.empty()) {
      trial.findings.add("names", what + std::to_string(i),
                         what + " " + std::to_string(i) + " has no name");
      continue;
    }
    const auto [it, is_new] = first.emplace(name, i);
    if (!is_new) {
      trial.findings.add("names", what + name,
                         what + "s " + std::to_string(it->second) + " and " + std::to_string(i) +
                             " have the same name " + quote(name));
    }
  }
}

void check_size(Trial& trial, const std::string& what, std::size_t found) {
  if (found == trial.size()) return;
  trial.findings.add("sizes", what,
                     what + " has " + std::to_string(found) + " elements for " +
                         std::to_string(trial.size()) + " unknowns");
}

void check_pattern_shape(Trial& trial) {
  const CscPattern& p = trial.system.pattern();
  if (const PatternCheck check = p.validate(); !check) {
    trial.findings.add("pattern", "invalid", "the pattern is not valid: " + check.message);
  } else if (static_cast<std::size_t>(p.n_rows) != trial.size() ||
             static_cast<std::size_t>(p.n_cols) != trial.size()) {
    trial.findings.add("pattern", "shape",
                       "the pattern has " + std::to_string(p.n_rows) + " rows and " +
                           std::to_string(p.n_cols) + " columns for " +
                           std::to_string(trial.size()) + " unknowns");
  }
}

void check_magnitudes(Trial& trial, const StartValues& start) {
  for (std::size_t i = 0; i < trial.size(); ++i) {
    const double nominal = trial.system.nominal(static_cast<std::uint32_t>(i));
    if (!std::isnormal(nominal) || nominal < 0.0) {
      trial.findings.add("nominal values", trial.unknown(i),
                         "the nominal value of " + trial.unknown(i) + " is " + to_text(nominal) +
                             " and must be positive and finite");
    }
    for (const double value : {start.x[i], start.xdot[i]}) {
      if (!std::isfinite(value)) {
        trial.findings.add(
            "start values", trial.unknown(i),
            "the start values of " + trial.unknown(i) + " contain " + to_text(value));
      }
    }
  }
}

void check_map_description(Trial& trial) {
  const VariableMap& map = trial.system.variable_map();
  const auto variables = map.variables();
  check_names(trial, "variable", variables.size(),
              [&](std::uint32_t i) { return variables[i].name; });
  for (std::size_t v = 0; v < variables.size(); ++v) {
    const auto unknown = map.unknown(static_cast<std::uint32_t>(v));
    if (unknown && *unknown >= trial.size()) {
      trial.findings.add("the variable map", variables[v].name,
                         "variable " + quote(variables[v].name) + " refers to unknown " +
                             std::to_string(*unknown) + ", but there are " +
                             std::to_string(trial.size()));
    }
  }
}

}  // namespace

bool check_description(Trial& trial) {
  const System& system = trial.system;
  if (system.size() == 0) {
    trial.findings.add("sizes", "size", "the system has no unknowns");
    return false;
  }
  check_pattern_shape(trial);
  check_size(trial, "carries_derivative()", system.carries_derivative().size());
  const StartValues start = system.start_values();
  check_size(trial, "start_values().x", start.x.size());
  check_size(trial, "start_values().xdot", start.xdot.size());
  check_size(trial, "start_values().x_given", start.x_given.size());
  if (!trial.findings.empty()) return false;

  check_magnitudes(trial, start);
  check_map_description(trial);
  trial.workspace = system.workspace();
  trial.other_workspace = system.workspace();
  if (!trial.workspace || !trial.other_workspace) {
    trial.findings.add("sizes", "workspace", "workspace() gives no workspace");
  }
  const bool can_be_evaluated = trial.findings.empty();
  check_names(trial, "unknown", trial.size(),
              [&](std::uint32_t i) { return system.unknown_name(i); });
  check_names(trial, "equation", trial.size(),
              [&](std::uint32_t i) { return system.equation_name(i); });
  return can_be_evaluated;
}

}  // namespace saltus::detail
