// Shows how far a relation was from switching: its function g over the run.
//
// A trajectory knows no relations. On request (output.switching), a run records the functions of
// some relations as columns of the same names.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <saltus/system/switching.hpp>
#include <saltus/system/system.hpp>
#include <saltus/system/variable_map.hpp>

namespace saltus {

/// One relation over a run. All vectors have an entry per row of the trajectory in which the
/// relation mattered, in the order of the run.
struct SwitchingView {
  std::string name;
  std::vector<double> times;
  std::vector<double> g;  // the margin in value is |g|
  /// The time at which the relation crosses next, flips of its lock included; nothing after the
  /// last crossing. In the row that ends at a crossing this is the crossing itself, in the row that
  /// begins there the next one.
  std::vector<std::optional<double>> next_event;
  /// The time left until then, >= 0.
  std::vector<std::optional<double>> margin;

  /// Where g came nearest to zero without crossing: the smallest |g| among the places where |g|
  /// stops falling other than at a crossing (the beginning and the end of the run may be such
  /// places). Nothing if there is none. Determined from rows, or from eight points of every step if
  /// steps are kept (output.dense).
  struct Approach {
    double t = 0.0;
    double g = 0.0;
  };
  std::optional<Approach> nearest_miss;
};

/// The description of columns of switching functions.
inline constexpr std::string_view switching_description = "switching function of the relation";

/// Defines the columns of output.switching for the recorder of a run; they follow the variables of
/// the model. Modes have relations of their own; the columns belong to names, and are absent in
/// modes without such a relation.
class SwitchingColumns {
 public:
  /// `names` are names of relations, or "all": all relations of the initial mode, whose functions
  /// are given (null: it does not switch). Throws OptionError, naming the nearest one, for names
  /// that are not relations of this mode. With `several_modes` another mode may have the relation:
  /// its column is then absent until such a mode is entered. Throws OptionError for a relation with
  /// the name of a variable.
  SwitchingColumns(std::span<const VariableInfo> variables, const SwitchingFunctions* functions,
                   std::span<const std::string> names, bool several_modes = false);

  /// Returns the variables of the model, then one per relation.
  std::span<const VariableInfo> variables() const { return variables_; }
  std::uint32_t n_model() const { return n_model_; }
  std::uint32_t n() const { return static_cast<std::uint32_t>(variables_.size()) - n_model_; }

 private:
  friend class MapWithSwitching;
  static constexpr std::uint32_t nowhere = 0xffffffffU;
  /// Positions of columns among the functions of one workspace, and the reverse.
  struct Places {
    const SwitchingFunctions* of = nullptr;
    std::vector<std::uint32_t> which;   // per column
    std::vector<std::uint32_t> column;  // per function
    bool any = false;
    bool at_once = false;     // every function has a column
    std::vector<double> all;  // room for the values of all functions
  };
  /// Determines the positions when a workspace is first seen. They are checked by names afterwards,
  /// as another workspace may later have the same address.
  std::shared_ptr<Places> places_in(const SwitchingFunctions& functions);
  bool still_hold(const Places& places, const SwitchingFunctions& functions) const;

  std::vector<VariableInfo> variables_;
  std::uint32_t n_model_ = 0;
  std::vector<std::shared_ptr<Places>> places_;  // the latest first
};

/// Extends the map of a system by these columns, for as long as a workspace lives. Cheap to make. A
/// relation is present where it is active, and absent in a workspace that does not know it.
/// Evaluations follow the locks of the workspace.
class MapWithSwitching final : public VariableMap {
 public:
  MapWithSwitching(const VariableMap& model, SwitchingColumns& columns, Workspace& workspace);

  std::span<const VariableInfo> variables() const override { return columns_.variables(); }
  bool present(std::uint32_t variable) const override;
  std::optional<std::uint32_t> unknown(std::uint32_t variable) const override;
  /// `workspace` must be that of the map.
  Evaluation values(Workspace& workspace, double t, std::span<const double> x,
                    std::span<const double> xdot, std::span<double> out) const override;

 private:
  const VariableMap& model_;
  SwitchingColumns& columns_;
  SwitchingFunctions* functions_;
  std::shared_ptr<SwitchingColumns::Places> places_;  // null: no functions
};

}  // namespace saltus
