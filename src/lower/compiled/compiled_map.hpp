// The variables of a whole model, from what one of its modes has.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <saltus/model/mode_model.hpp>
#include <saltus/system/variable_map.hpp>

namespace saltus::detail {

/// Unknowns of the model, its discrete variables, then the expressions it names as outputs; the same list
/// in every mode.
class CompiledMap final : public VariableMap {
 public:
  CompiledMap(const ModelDefinition& whole, const ModeModel& mode);

  std::span<const VariableInfo> variables() const override { return variables_; }
  bool present(std::uint32_t variable) const override { return place_[variable] != none; }
  std::optional<std::uint32_t> unknown(std::uint32_t variable) const override;
  Evaluation values(Workspace& workspace, double t, std::span<const double> x,
                    std::span<const double> xdot, std::span<double> out) const override;
  /// Something of all variables, from that of unknowns and outputs of the mode; of discrete ones it is 0.
  void place(std::span<const double> of_unknowns, std::span<const double> of_outputs,
             std::span<double> out) const;

 private:
  void add(VariableInfo info, std::uint32_t place) {
    variables_.push_back(std::move(info));
    place_.push_back(place);
  }

  std::vector<VariableInfo> variables_;
  /// Among the unknowns, the discrete variables or the outputs of the mode; none: absent.
  std::vector<std::uint32_t> place_;
  std::uint32_t n_unknowns_ = 0;
  std::uint32_t n_discrete_ = 0;
};

}  // namespace saltus::detail
