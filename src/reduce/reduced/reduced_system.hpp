// The definition behind reduce_index().
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <saltus/reduce/reduced_system.hpp>

#include "reduce/array/projectors.hpp"

namespace saltus::detail {

/// The variables of the original system, evaluated in its own workspace.
class ReducedMap final : public VariableMap {
 public:
  explicit ReducedMap(const VariableMap& raw) : raw_(raw) {}
  std::span<const VariableInfo> variables() const override { return raw_.variables(); }
  bool present(std::uint32_t variable) const override { return raw_.present(variable); }
  std::optional<std::uint32_t> unknown(std::uint32_t variable) const override {
    return raw_.unknown(variable);
  }
  Evaluation values(Workspace& workspace, double t, std::span<const double> x,
                    std::span<const double> xdot, std::span<double> out) const override;

 private:
  const VariableMap& raw_;
};

/// What a reduced system freezes between refreshes.
struct FrozenForm {
  Projectors basis;
  Eigen::MatrixXd r3;  // u rows, of x in its own units: T3^T in nominal units
};
/// At a point where the array was linearised.
FrozenForm frozen_form(const ArrayBlocks& array, const ProjectorRanks& ranks, const System& system,
                       const ArrayScaling& scaling);

class ReducedSystem final : public System {
 public:
  ReducedSystem(std::shared_ptr<const System> raw, double t, IndexAnalysis analysis,
                ReduceOptions options, ProjectorRanks ranks, FrozenForm start);

  std::uint32_t size() const override { return raw_->size(); }
  const CscPattern& pattern() const override { return pattern_; }
  std::span<const std::uint8_t> carries_derivative() const override {
    return raw_->carries_derivative();
  }
  std::string unknown_name(std::uint32_t unknown) const override {
    return raw_->unknown_name(unknown);
  }
  std::string equation_name(std::uint32_t row) const override;
  double nominal(std::uint32_t unknown) const override { return raw_->nominal(unknown); }
  bool is_constant(std::uint32_t unknown) const override { return raw_->is_constant(unknown); }
  StartValues start_values() const override;
  const VariableMap& variable_map() const override { return map_; }
  std::unique_ptr<Workspace> workspace() const override;

  const System& raw() const { return *raw_; }
  const IndexAnalysis& analysis() const { return analysis_; }
  const ReduceOptions& options() const { return options_; }
  const ProjectorRanks& ranks() const { return ranks_; }
  const FrozenForm& start_form() const { return start_; }
  double t_start() const { return t_; }

 private:
  std::shared_ptr<const System> raw_;
  double t_;
  IndexAnalysis analysis_;
  ReduceOptions options_;
  ProjectorRanks ranks_;
  FrozenForm start_;
  CscPattern pattern_;
  ReducedMap map_;
};

}  // namespace saltus::detail
