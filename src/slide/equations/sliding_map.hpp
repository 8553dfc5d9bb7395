// Variables of the base while it slides.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include <saltus/system/variable_map.hpp>

namespace saltus::detail {

/// What a workspace of a sliding system shows of its base: what is no unknown is the mixture of what the
/// vertices show.
class MixtureOfSides {
 public:
  virtual ~MixtureOfSides() = default;
  virtual Evaluation mixed_variables(const VariableMap& base, double t, std::span<const double> x,
                                     std::span<const double> xdot, std::span<double> out) = 0;
};

/// Workspaces offer MixtureOfSides.
class SlidingMap final : public VariableMap {
 public:
  explicit SlidingMap(const VariableMap& base) : base_(base) {}
  std::span<const VariableInfo> variables() const override { return base_.variables(); }
  bool present(std::uint32_t variable) const override { return base_.present(variable); }
  std::optional<std::uint32_t> unknown(std::uint32_t variable) const override {
    return base_.unknown(variable);
  }
  Evaluation values(Workspace& workspace, double t, std::span<const double> x,
                    std::span<const double> xdot, std::span<double> out) const override;

 private:
  const VariableMap& base_;
};

}  // namespace saltus::detail
