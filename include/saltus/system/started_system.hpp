// Gives a system other start values and other values of its discrete variables.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <saltus/system/abilities.hpp>
#include <saltus/system/switching.hpp>
#include <saltus/system/system.hpp>

namespace saltus {

/// The current parameters and discrete variables of a run.
struct HeldSnapshot {
  std::vector<double> parameters;
  std::vector<double> discrete;
};

inline HeldSnapshot held_values_of(Workspace& workspace) {
  auto* held = workspace.ability<HeldValues>();
  if (held == nullptr) return {};
  return {{held->parameters().begin(), held->parameters().end()},
          {held->discrete().begin(), held->discrete().end()}};
}

/// Sets held values; all modes of a model have the same parameters and discrete variables.
inline void set_held_values(Workspace& workspace, const HeldSnapshot& values) {
  auto* held = workspace.ability<HeldValues>();
  if (held == nullptr) return;
  const auto copy = [](const std::vector<double>& from, std::span<double> to) {
    std::copy_n(from.begin(), std::min(from.size(), to.size()), to.begin());
  };
  copy(values.parameters, held->parameters());
  copy(values.discrete, held->discrete());
}

inline void set_locks(Workspace& workspace, std::span<const std::uint8_t> truths) {
  auto* locks = workspace.ability<Locks>();
  if (locks == nullptr) return;
  for (std::uint32_t k = 0; k < truths.size(); ++k) locks->set_lock(k, truths[k] != 0);
}

/// Gives one workspace the held values and locks of another one of the same model.
inline void set_as_in(Workspace& to, Workspace& from) {
  auto *values = to.ability<HeldValues>(), *others = from.ability<HeldValues>();
  const auto copy = [](std::span<const double> source, std::span<double> target) {
    std::copy_n(source.begin(), std::min(source.size(), target.size()), target.begin());
  };
  if (values != nullptr && others != nullptr) {
    copy(others->parameters(), values->parameters());
    copy(others->discrete(), values->discrete());
  }
  if (const auto* locks = from.ability<Locks>()) set_locks(to, locks->locks());
}

/// A system with other start values; everything else is that of the original.
class StartedSystem final : public System {
 public:
  StartedSystem(std::shared_ptr<const System> system, StartValues start, HeldSnapshot held = {})
      : system_(std::move(system)), start_(std::move(start)), held_(std::move(held)) {}

  std::uint32_t size() const override { return system_->size(); }
  std::uint32_t n_equations() const override { return system_->n_equations(); }
  const CscPattern& pattern() const override { return system_->pattern(); }
  std::span<const std::uint8_t> carries_derivative() const override {
    return system_->carries_derivative();
  }
  std::string unknown_name(std::uint32_t unknown) const override {
    return system_->unknown_name(unknown);
  }
  std::string equation_name(std::uint32_t row) const override {
    return system_->equation_name(row);
  }
  double nominal(std::uint32_t unknown) const override { return system_->nominal(unknown); }
  bool is_constant(std::uint32_t unknown) const override { return system_->is_constant(unknown); }
  StartValues start_values() const override { return start_; }
  const VariableMap& variable_map() const override { return system_->variable_map(); }
  std::unique_ptr<Workspace> workspace() const override {
    auto made = system_->workspace();
    set_held_values(*made, held_);
    return made;
  }

 private:
  std::shared_ptr<const System> system_;
  StartValues start_;
  HeldSnapshot held_;
};

}  // namespace saltus
