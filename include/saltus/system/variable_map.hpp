// Maps the vector that an engine integrates to the variables that a user wrote.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <saltus/system/evaluation.hpp>

namespace saltus {

class Workspace;

/// A column of a result.
struct VariableInfo {
  std::string name;
  std::string unit;
  std::string description;
  /// Whether it should stay constant; a run monitors it (RunReport::invariants).
  bool invariant = false;
  /// Whether it is the switching function of the relation of this name (output.switching), and not
  /// a variable of the model.
  bool switching = false;

  friend bool operator==(const VariableInfo&, const VariableInfo&) = default;
};

/// Maps unknowns to variables. The two differ as soon as a mode lacks an unknown of another mode, a
/// reduction adds or removes some, or a user declares an output. The variables are those of the
/// whole model, the same list in all of its modes; their existence and position differ.
class VariableMap {
 public:
  virtual ~VariableMap() = default;

  virtual std::span<const VariableInfo> variables() const = 0;
  /// Returns false if the variable does not exist in this mode: it then has no value.
  virtual bool present(std::uint32_t variable) const = 0;
  /// Returns the unknown that is this variable, if it is one; otherwise values() computes it.
  virtual std::optional<std::uint32_t> unknown(std::uint32_t variable) const = 0;
  /// Computes all variables at a point; those that are not present are left alone. The workspace
  /// must belong to the system of this map. `row` of a failed evaluation is the variable.
  virtual Evaluation values(Workspace& workspace, double t, std::span<const double> x,
                            std::span<const double> xdot, std::span<double> out) const = 0;
};

/// A map in which every unknown is a variable and nothing else is.
class IdentityMap final : public VariableMap {
 public:
  explicit IdentityMap(std::vector<VariableInfo> variables) : variables_(std::move(variables)) {}

  std::span<const VariableInfo> variables() const override { return variables_; }
  bool present(std::uint32_t) const override { return true; }
  std::optional<std::uint32_t> unknown(std::uint32_t variable) const override { return variable; }
  Evaluation values(Workspace&, double, std::span<const double> x, std::span<const double>,
                    std::span<double> out) const override {
    for (std::size_t i = 0; i < x.size(); ++i) out[i] = x[i];
    return Evaluation::ok();
  }

 private:
  std::vector<VariableInfo> variables_;
};

}  // namespace saltus
