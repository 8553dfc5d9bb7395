// How far a relation was from switching: its function g over the run.
//
// A trajectory knows no relations; a run that is asked to (output.switching) records the functions of
// some as columns named like them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <saltus/system/switching.hpp>
#include <saltus/system/system.hpp>
#include <saltus/system/variable_map.hpp>

namespace saltus {

/// One relation over a run. All vectors have an entry per row of the trajectory in which the relation
/// mattered, in the order of the run.
struct SwitchingView {
  std::string name;
  std::vector<double> times;
  std::vector<double> g;  // the margin in value is |g|
  /// When the relation crosses next, flips of its lock included; nothing after the last crossing. In the
  /// row that ends at a crossing that is the crossing itself, in the row that begins there the next one.
  std::vector<std::optional<double>> next_event;
  /// The time that is left until then, >= 0.
  std::vector<std::optional<double>> margin;

  /// Where g came nearest to zero without crossing: the smallest |g| among the places where |g| stops
  /// falling other than at a crossing (the begin and the end of the run may be such places). Nothing if
  /// there is none. Seen in rows, or at eight points of every step if steps are kept (output.dense).
  struct Approach {
    double t = 0.0;
    double g = 0.0;
  };
  std::optional<Approach> nearest_miss;
};

/// For whoever records a run: the columns of output.switching, behind the variables of the model.
class SwitchingColumns {
 public:
  /// `names` are names of relations, or "all". Refuses (OptionError, naming the nearest one) what is
  /// none, and a relation that is called like a variable. Null functions: the model does not switch.
  SwitchingColumns(std::span<const VariableInfo> variables, const SwitchingFunctions* functions,
                   std::span<const std::string> names);

  /// Of the model, then one per relation.
  std::span<const VariableInfo> variables() const { return variables_; }
  std::uint32_t n_model() const { return static_cast<std::uint32_t>(variables_.size() - n()); }
  std::uint32_t n() const { return static_cast<std::uint32_t>(which_.size()); }
  std::span<const std::uint32_t> which() const { return which_; }

 private:
  friend class MapWithSwitching;
  std::vector<VariableInfo> variables_;
  std::vector<std::uint32_t> which_;
  std::vector<double> all_;  // room for the values of all functions
};

/// The map of a system together with these columns, for as long as a workspace lives. Cheap to make.
/// A relation is present where it is active, and nowhere in a workspace that offers no functions; what is
/// evaluated follows the locks of the workspace.
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
};

}  // namespace saltus
