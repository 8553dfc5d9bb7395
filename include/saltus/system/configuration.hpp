// Where systems come from: the only thing the mode controller knows of compiled models.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <saltus/core/result.hpp>
#include <saltus/system/differentiated.hpp>
#include <saltus/system/system.hpp>
#include <saltus/system/transition.hpp>

namespace saltus {

/// A mode, the branches of its relations, and the surfaces it slides on. Every configuration is
/// smooth.
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
  /// The modes in which a run may begin, as candidates in the order in which they are preferred; with groups as
  /// those of a transition have them. Empty: in that of initial().
  virtual std::span<const std::uint32_t> first_modes() const { return {}; }
  virtual std::span<const std::uint32_t> first_group_ends() const { return {}; }
  virtual std::uint32_t n_modes() const { return 1; }
  virtual std::string mode_name(std::uint32_t mode) const = 0;
  virtual Result<std::shared_ptr<const System>> system(const Configuration& configuration) = 0;
  /// The same configuration with the derivatives of its equations that its structure asks for: null
  /// if it asks for none (structural index 0 or 1), a failure if the structure is singular or unknown.
  virtual Result<std::shared_ptr<const DifferentiatedSystem>> differentiated(const Configuration&) {
    return Failure{FailureCode::singular, "the structure of the equations is not known"};
  }

  /// All transitions; ActionInfo::transition counts them.
  virtual std::span<const TransitionInfo> transitions() const { return {}; }
  /// Of one transition into the mode that is one of its candidates. Both modes are built for it if they are not yet.
  virtual Result<std::unique_ptr<TransitionMap>> transition_map(std::uint32_t, std::uint32_t) {
    return Failure{FailureCode::singular, "there are no transitions"};
  }
};

/// One system and nothing to switch to.
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
