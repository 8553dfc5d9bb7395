// The definition behind select_states().
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <saltus/reduce/selected_states.hpp>

#include "reduce/system/state_selection.hpp"

namespace saltus::detail {

/// The variables of the differentiated system, evaluated in its own workspace.
class SelectedMap final : public VariableMap {
 public:
  explicit SelectedMap(const System& raw) : raw_(raw) {}
  std::span<const VariableInfo> variables() const override { return map().variables(); }
  bool present(std::uint32_t variable) const override { return map().present(variable); }
  std::optional<std::uint32_t> unknown(std::uint32_t variable) const override {
    return map().unknown(variable);
  }
  Evaluation values(Workspace& workspace, double t, std::span<const double> x,
                    std::span<const double> xdot, std::span<double> out) const override;

 private:
  const VariableMap& map() const { return raw_.variable_map(); }
  const System& raw_;
};

class SelectedSystem final : public System {
 public:
  SelectedSystem(std::shared_ptr<const DifferentiatedSystem> differentiated, StartValues start);

  std::uint32_t size() const override { return raw().size() + structure_.n_constraints(); }
  const CscPattern& pattern() const override { return pattern_; }
  std::span<const std::uint8_t> carries_derivative() const override { return carries_derivative_; }
  std::string unknown_name(std::uint32_t unknown) const override;
  std::string equation_name(std::uint32_t row) const override { return raw().equation_name(row); }
  double nominal(std::uint32_t unknown) const override { return nominal_[unknown]; }
  bool is_constant(std::uint32_t unknown) const override {
    return unknown < raw().size() && raw().is_constant(unknown);
  }
  StartValues start_values() const override { return start_; }
  const VariableMap& variable_map() const override { return map_; }
  std::unique_ptr<Workspace> workspace() const override;

  const System& raw() const { return *differentiated_->system; }
  const DifferentiatedSystem& differentiated() const { return *differentiated_; }
  const std::shared_ptr<const DifferentiatedSystem>& shared_differentiated() const {
    return differentiated_;
  }
  const SelectionStructure& structure() const { return structure_; }
  const StateSelection& first_selection() const { return first_selection_; }
  void set_first_selection(StateSelection selection) { first_selection_ = std::move(selection); }
  std::span<const double> nominals() const { return nominal_; }

  /// Where a tie stands in the pattern: -x_v in df_dx, x_u' in df_dxdot; by unknown u.
  struct TieSlots {
    std::size_t derivative = 0;
    std::size_t successor = 0;
  };
  const TieSlots& tie_slots(std::uint32_t unknown) const { return tie_slots_[unknown]; }
  /// The additional unknown of a constraint, and the slot with which it enters the tie of `unknown`.
  std::uint32_t slack(std::uint32_t stage, std::uint32_t equation) const {
    return slack_[stage - 1][equation];
  }
  std::size_t slack_slot(std::uint32_t slack_unknown, std::uint32_t tie_row) const;

  /// The matrix J of SelectionStructure: its pattern, and where the system's Jacobian holds its values.
  const CscPattern& top_pattern() const { return top_pattern_; }
  std::span<const std::size_t> top_slots() const { return top_slots_; }

 private:
  void lay_out_top();
  void add_slack_columns();
  void find_tie_slots();

  std::shared_ptr<const DifferentiatedSystem> differentiated_;
  SelectionStructure structure_;
  StateSelection first_selection_;
  StartValues start_;
  CscPattern pattern_, top_pattern_;
  std::vector<std::size_t> top_slots_;
  std::vector<std::uint8_t> carries_derivative_;
  std::vector<double> nominal_;
  std::vector<TieSlots> tie_slots_;
  std::vector<std::vector<std::uint32_t>> slack_;  // [stage - 1][equation]
  SelectedMap map_;
};

}  // namespace saltus::detail
