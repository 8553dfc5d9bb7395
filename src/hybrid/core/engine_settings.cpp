#include "hybrid/core/engine_settings.hpp"

#include <cmath>
#include <algorithm>
#include <optional>
#include <unordered_map>

#include <saltus/core/text.hpp>
#include <saltus/system/abilities.hpp>
#include <saltus/system/switching.hpp>

namespace saltus::detail {

namespace {

std::optional<double> named_value(const std::vector<Named<double>>& list, const std::string& name) {
  for (const Named<double>& entry : list) {
    if (entry.name == name) return entry.value;
  }
  return std::nullopt;
}

/// Unknowns by name; built only if an option names some.
class UnknownNames {
 public:
  explicit UnknownNames(const System& system) {
    for (std::uint32_t i = 0; i < system.size(); ++i) {
      names_.push_back(system.unknown_name(i));
      index_.emplace(names_.back(), i);
    }
  }
  /// None if the unknown is one that this mode does not have.
  std::optional<std::uint32_t> find(const char* field, const std::string& name,
                                    const VariableMap& map) const {
    const auto it = index_.find(name);
    if (it != index_.end()) return it->second;
    const auto all = map.variables();
    for (std::uint32_t v = 0; v < all.size(); ++v) {
      if (all[v].name == name && !map.present(v)) return std::nullopt;
    }
    const auto near = nearest_name(name, names_);
    throw OptionError(field, quote(name) + " is not an unknown of the model" +
                                 (near ? ", did you mean " + quote(*near) + "?" : ""));
  }

 private:
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::uint32_t> index_;
};

}  // namespace

EngineOptions engine_options_for(const System& system, const std::string& mode,
                                 const RunOptions& options) {
  EngineOptions engine;
  engine.rtol = named_value(options.mode_rtol, mode).value_or(options.rtol);
  const double atol = named_value(options.mode_atol, mode).value_or(options.atol);
  const std::uint32_t n = system.size();
  engine.atol.resize(n);
  for (std::uint32_t i = 0; i < n; ++i) engine.atol[i] = atol * system.nominal(i);
  if (!options.atol_of.empty() || !options.non_negative.empty()) {
    const UnknownNames names(system);
    for (const Named<double>& entry : options.atol_of) {
      if (const auto i = names.find("atol_of", entry.name, system.variable_map()))
        engine.atol[*i] = entry.value;
    }
    if (!options.non_negative.empty()) engine.non_negative.assign(n, 0);
    for (const std::string& name : options.non_negative) {
      if (const auto i = names.find("non_negative", name, system.variable_map()))
        engine.non_negative[*i] = 1;
    }
  }
  engine.initial_step = options.initial_step;
  engine.min_step = options.min_step;
  engine.max_step = options.max_step;
  engine.fixed_step = options.fixed_step;
  engine.max_order = options.max_order;
  engine.linear_solver = options.linear_solver;
  return engine;
}

IndexOptions index_options_for(const RunOptions& options, const EngineOptions& engine) {
  IndexOptions index;
  // Of size one: equations that miss each other altogether.
  const bool goes_on = options.redundant == RedundantEquations::least_squares;
  index.tolerated_contradiction = goes_on ? 1.0 : engine.rtol;
  const std::vector<double>& e = options.expected_values;
  if (e.empty()) return index;
  for (const double value : e) {
    if (value != std::floor(value)) throw OptionError("expected_values", "must be whole numbers");
  }
  if (e.size() != 5) throw OptionError("expected_values", "must be five: mu, d, a, v, u");
  const auto count = [&](std::size_t i) { return static_cast<std::uint32_t>(e[i]); };
  index.expected = {static_cast<int>(e[0]), count(1), count(2), count(3), count(4)};
  return index;
}

ReduceOptions reduce_options_for(const RunOptions& options, const EngineOptions& engine) {
  return {engine.rtol, engine.atol, options.redundant, options.undetermined};
}

void check_mode_names(const ConfigurationSource& source, const RunOptions& options) {
  std::vector<std::string> modes;
  for (std::uint32_t mode = 0; mode < source.n_modes(); ++mode) {
    modes.push_back(source.mode_name(mode));
  }
  const auto check = [&](const char* field, const auto& list) {
    for (const auto& entry : list) {
      if (std::find(modes.begin(), modes.end(), entry.name) != modes.end()) continue;
      const auto near = nearest_name(entry.name, modes);
      throw OptionError(field, quote(entry.name) + " is not a mode of the model" +
                                   (near ? ", did you mean " + quote(*near) + "?" : ""));
    }
  };
  if (!options.mode.empty()) check("mode", std::vector<Named<double>>{{options.mode, 0.0}});
  check("mode_rtol", options.mode_rtol);
  check("mode_atol", options.mode_atol);
  check("mode_engine", options.mode_engine);
}

namespace {

bool is_implicit(EngineKind kind) {
  return kind != EngineKind::automatic && !traits_of(kind).is_explicit;
}

}  // namespace

void check_sliding_rule(const RunOptions& options) {
  if (options.events.sliding_rule != SlidingRule::moments) return;
  std::string who =
      is_implicit(options.engine) ? "engine = " + std::string(name(options.engine)) : "";
  for (const Named<EngineKind>& entry : options.mode_engine) {
    if (is_implicit(entry.value))
      who = "mode_engine of " + quote(entry.name) + " = " + std::string(name(entry.value));
  }
  if (who.empty()) return;
  throw OptionError("events.sliding_rule",
                    "moments is offered by the engines dopri5 and dop853 only, but " + who +
                        "; take one of these, or the rule bilinear");
}

bool offers_sliding_rule(EngineKind kind, const RunOptions& options) {
  return options.events.sliding_rule != SlidingRule::moments || !is_implicit(kind);
}

void check_sliding_rule_of_dae(Workspace& workspace, const RunOptions& options) {
  auto* functions = workspace.ability<SwitchingFunctions>();
  if (options.events.sliding_rule != SlidingRule::moments || functions == nullptr ||
      workspace.ability<ExplicitForm>() != nullptr)
    return;
  std::uint32_t n_relations = 0;
  for (std::uint32_t w = 0; w < functions->count(); ++w) {
    if (functions->info(w).kind == SwitchKind::relation && !functions->is_timed(w)) ++n_relations;
  }
  // It says what two surfaces do together.
  if (n_relations < 2) return;
  throw OptionError(
      "events.sliding_rule",
      "moments is offered by the engines dopri5 and dop853 only, and this model does not have the "
      "form x' = f(t, x), which they need: take the rule bilinear, or write the model "
      "without algebraic unknowns");
}

EngineKind engine_kind_for(const std::string& mode, const RunOptions& options) {
  for (const Named<EngineKind>& entry : options.mode_engine)
    if (entry.name == mode) return entry.value;
  return options.engine;
}

}  // namespace saltus::detail
