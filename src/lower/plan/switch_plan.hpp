// The switching functions of a mode: what every workspace shares.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <saltus/expr/differentiate.hpp>
#include <saltus/expr/switches.hpp>
#include <saltus/model/definition.hpp>
#include <saltus/system/switching.hpp>

#include "lower/layout/condition_truth.hpp"
#include "lower/layout/derivative_source.hpp"
#include "lower/layout/gathered_program.hpp"
#include "lower/layout/layout.hpp"
#include "lower/layout/mode_equations.hpp"

namespace saltus::detail {

/// First switches of the tracked relations that conditions are made of.
std::vector<SwitchId> tracked_in(const Graph& graph, std::span<const ConditionId> conditions);

/// Switches are first the relations, one per lane, in the order in which they were written, then the
/// declared ranges of variables, then what holds surfaces (SwitchInfo::hold).
class SwitchPlan {
 public:
  SwitchPlan(const ModelDefinition& model, const ModeEquations& equations, const Layout& layout);

  std::uint32_t count() const { return static_cast<std::uint32_t>(infos_.size()); }
  std::uint32_t n_relations() const { return static_cast<std::uint32_t>(switch_ids_.size()); }
  const SwitchInfo& info(std::uint32_t which) const { return infos_[which]; }
  /// The number of a relation among the switches of the graph.
  SwitchId switch_id(std::uint32_t relation) const { return switch_ids_[relation]; }
  /// Whether a switch of the graph is one of the relations: others occur in values of actions only.
  bool knows(SwitchId id) const;
  /// The relation that has a switch of the graph, which is one it knows.
  std::uint32_t number_of(SwitchId id) const;

  /// One relation or range, an array as a whole.
  struct Function {
    NodeId node = none;
    std::uint32_t first = 0;
    std::uint32_t count = 1;
    std::vector<Literal> context;
    std::vector<Literal> lane_context;
    std::vector<PlacedLiteral> active_if;       // the context
    std::vector<PlacedLiteral> lane_active_if;  // the context of each lane
    bool encloses = true;                       // no function that cannot be enclosed
    bool has_series = true;                     // no external function at all
  };
  std::span<const Function> functions() const { return functions_; }
  const Function& function_of(std::uint32_t which) const { return functions_[function_of_[which]]; }
  std::uint32_t function_number(std::uint32_t which) const { return function_of_[which]; }

  /// All functions, each at its own number; those that have series; those that can be enclosed.
  const GatheredProgram& all() const { return all_; }
  const GatheredProgram& with_series() const { return with_series_; }
  const GatheredProgram& enclosable() const { return enclosable_; }
  bool all_have_series() const { return all_have_series_; }
  /// Some lane of an array may not matter although others do.
  bool has_lane_contexts() const { return has_lane_contexts_; }

  /// Conditions of contexts and branches.
  const ConditionPlan& conditions() const { return *conditions_; }
  struct Branch {
    ConditionPlan::Place place;
    std::vector<PlacedLiteral> active_if;
    std::vector<PlacedLiteral> lane_active_if;
  };
  std::span<const Branch> branches() const { return branches_; }
  std::uint32_t n_equation_branches() const { return n_equation_branches_; }
  std::uint32_t n_branches() const { return n_branches_; }

  /// Functions a time + b with held a and b: the program leaves a and b one after the other.
  std::span<const std::uint32_t> timed() const { return timed_; }
  const GatheredProgram& time_coefficients() const { return time_coefficients_; }

  /// Compiled when first asked for.
  const GatheredProgram& single(std::uint32_t which) const;
  struct Gradients {
    CscPattern pattern;
    GatheredProgram values;
  };
  const Gradients& gradients() const;
  /// A function, its derivative with respect to time alone, and those with respect to unknowns, one after the other.
  struct Tangent {
    GatheredProgram values;
    std::vector<std::uint32_t> unknowns;  // of the last ones
  };
  /// Null for functions that read inputs or no unknown, or call functions from outside.
  const Tangent* tangent(std::uint32_t which) const;
  /// The first row that is not linear in what a relation chooses, and in derivatives with it.
  std::optional<std::uint32_t> nonlinear_in_choice(std::uint32_t relation,
                                                   bool and_derivatives) const;

 private:
  void add_relations(const ModelDefinition& model, const SwitchTable& table,
                     DerivativeSource& derivatives);
  void mark_what_sets_unknowns(const ModelDefinition& model);
  void add_limits(const ModelDefinition& model);
  void add_holds(const ModelDefinition& model, const SwitchTable& table,
                 DerivativeSource& derivatives);
  Function& add_function(NodeId node, std::uint32_t count);
  void add_branches(std::span<const NodeId> equations, std::span<const NodeId> others);
  void find_timed();
  void find_same();
  void make_names_differ();
  std::vector<Output> outputs_of(bool Function::*wanted) const;
  NodeId node_of(std::uint32_t which) const;
  bool knows_derivatives(NodeId g) const;

  Layout layout_;
  std::unique_ptr<Graph> graph_;
  std::vector<NodeId> equations_;
  std::vector<SwitchInfo> infos_;
  std::vector<SwitchId> switch_ids_;
  std::vector<Function> functions_;
  std::vector<std::uint32_t> function_of_;
  GatheredProgram all_, with_series_, enclosable_;
  bool all_have_series_ = true;
  bool has_lane_contexts_ = false;
  std::unique_ptr<ConditionPlan> conditions_;
  std::vector<Branch> branches_;
  std::uint32_t n_equation_branches_ = 0;
  std::uint32_t n_branches_ = 0;
  std::vector<std::uint32_t> timed_;
  GatheredProgram time_coefficients_;

  mutable std::mutex mutex_;  // guards what is compiled late, and the graph with it
  mutable std::vector<std::unique_ptr<const GatheredProgram>> singles_;
  mutable std::unique_ptr<const Gradients> gradients_;
  mutable std::vector<std::unique_ptr<const Tangent>> tangents_;
  /// The same once they are complete: read without the mutex.
  std::unique_ptr<std::atomic<const GatheredProgram*>[]> single_made_;
  mutable std::atomic<const Gradients*> gradients_made_ = nullptr;
  std::unique_ptr<std::atomic<const Tangent*>[]> tangent_made_;
};

}  // namespace saltus::detail
