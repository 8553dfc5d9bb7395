// Supplies systems to the mode controller, which knows nothing else of compiled models.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <saltus/core/result.hpp>
#include <saltus/system/differentiated.hpp>
#include <saltus/core/outside_input.hpp>
#include <saltus/system/system.hpp>
#include <saltus/system/transition.hpp>

namespace saltus {

/// A mode, the branches of its relations, and the surfaces on which it slides. Every configuration
/// is smooth.
struct Configuration {
  std::uint32_t mode = 0;
  std::vector<std::uint8_t> locks;
  std::vector<std::uint32_t> sliding;

  friend bool operator==(const Configuration&, const Configuration&) = default;
};

/// Builds the system of a configuration when it is first entered and keeps it. Configurations that
/// differ in locks only may share one system whose workspaces offer Locks.
class ConfigurationSource {
 public:
  virtual ~ConfigurationSource() = default;
  virtual Configuration initial() const = 0;
  /// Returns the modes in which a run may begin, as candidates in order of preference, with groups
  /// as in a transition. Empty: the mode of initial().
  virtual std::span<const std::uint32_t> first_modes() const { return {}; }
  virtual std::span<const std::uint32_t> first_group_ends() const { return {}; }
  virtual std::uint32_t n_modes() const { return 1; }
  virtual std::string mode_name(std::uint32_t mode) const = 0;
  /// Returns the states of components that make up a mode, the same components in all modes; empty:
  /// a mode is a whole.
  virtual std::span<const std::string> mode_parts(std::uint32_t) const { return {}; }
  virtual Result<std::shared_ptr<const System>> system(const Configuration& configuration) = 0;
  /// Returns the same configuration with the derivatives of its equations that its structure
  /// requires. Null if none are required (structural index 0 or 1); a failure if the structure is
  /// singular or unknown.
  virtual Result<std::shared_ptr<const DifferentiatedSystem>> differentiated(const Configuration&) {
    return Failure{FailureCode::singular, "the structure of the equations is not known"};
  }

  /// Returns the inputs that the caller of a run sets.
  virtual std::vector<NamedInput> outside_inputs() const { return {}; }

  /// Returns all transitions, numbered as in ActionInfo::transition.
  virtual std::span<const TransitionInfo> transitions() const { return {}; }
  /// Returns the map of one transition into one of its candidates. Builds both modes if necessary.
  virtual Result<std::unique_ptr<TransitionMap>> transition_map(std::uint32_t, std::uint32_t) {
    return Failure{FailureCode::singular, "there are no transitions"};
  }
};

/// A single system without anything to switch to.
class SingleConfiguration final : public ConfigurationSource {
 public:
  explicit SingleConfiguration(std::shared_ptr<const System> system, std::string mode_name = "")
      : system_(std::move(system)), mode_name_(std::move(mode_name)) {}

  Configuration initial() const override { return {}; }
  std::string mode_name(std::uint32_t) const override { return mode_name_; }
  Result<std::shared_ptr<const System>> system(const Configuration&) override { return system_; }

 private:
  std::shared_ptr<const System> system_;
  std::string mode_name_;
};

}  // namespace saltus
