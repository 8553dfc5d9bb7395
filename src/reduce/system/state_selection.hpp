// Which derivatives are integrated, and which follow from constraints (dummy derivatives).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <saltus/numerics/sparse.hpp>
#include <saltus/system/differentiated.hpp>

namespace saltus::detail {

/// The chains of a differentiated system, and what its constraints let one leave out.
///
/// Equation i has been differentiated c_i times, variable j occurs up to order d_j. At stage l, the
/// constraints are the equations with c_i >= l, each in its derivative of order c_i - l, and the
/// candidates are the ties of the variables with d_j >= l between orders d_j - l and d_j - l + 1. All
/// stages share the values of one matrix, J_ij = dF_i^(c_i) / dx_j^(d_j): differentiating an equation
/// does not change its derivative by its highest unknown.
class SelectionStructure {
 public:
  explicit SelectionStructure(const DifferentiatedSystem& system);

  struct Equation {
    std::vector<std::uint32_t> rows;  // orders 0 … c
    std::uint32_t times() const { return static_cast<std::uint32_t>(rows.size()) - 1; }
  };
  struct Variable {
    std::vector<std::uint32_t> unknowns;  // orders 0 … d
    std::uint32_t order() const { return static_cast<std::uint32_t>(unknowns.size()) - 1; }
    /// The unknown that the tie of a stage determines.
    std::uint32_t low(std::uint32_t stage) const { return unknowns[order() - stage]; }
  };
  /// An entry of J: its column, and where the system's Jacobian holds it.
  struct Entry {
    std::uint32_t variable;
    std::size_t slot;
  };

  std::span<const Equation> equations() const { return equations_; }
  std::span<const Variable> variables() const { return variables_; }
  std::span<const Entry> row(std::size_t equation) const { return rows_[equation]; }
  /// An equation alone gives the highest derivative of the variable, as der(p) == 0 does: constraints that hold
  /// it say something of the other variables in them.
  bool has_own_equation(std::uint32_t variable) const { return own_equation_[variable] != none; }
  bool is_given_elsewhere(std::uint32_t variable, std::uint32_t equation) const {
    return has_own_equation(variable) && own_equation_[variable] != equation;
  }
  /// Equations with constraints, those first that hold a variable no later one holds: chosen as
  /// pivots, such variables cause no fill.
  std::span<const std::uint32_t> elimination_order() const { return elimination_order_; }
  std::uint32_t n_stages() const { return n_stages_; }
  /// Constraints of all stages together: as many ties are left out.
  std::uint32_t n_constraints() const { return n_constraints_; }

 private:
  static constexpr std::uint32_t none = DifferentiatedSystem::none;
  void order_constraints();

  std::vector<Equation> equations_;
  std::vector<Variable> variables_;
  std::vector<std::vector<Entry>> rows_;
  std::vector<std::uint32_t> own_equation_;  // of variables; none: others stand in it
  std::vector<std::uint32_t> elimination_order_;
  std::uint32_t n_stages_ = 0;
  std::uint32_t n_constraints_ = 0;
};

/// For every stage (1 … n_stages) and equation with a constraint there, the variable whose tie is left
/// out; none for the others.
struct StateSelection {
  std::vector<std::vector<std::uint32_t>> left_out;  // [stage - 1][equation]

  friend bool operator==(const StateSelection&, const StateSelection&) = default;
};

struct SelectionWish {
  /// df_dx on the pattern of the system.
  std::span<const double> jacobian;
  /// Size of each variable.
  std::span<const double> nominal;
  /// Per unknown: better integrated than left out, if there is a choice.
  std::span<const std::uint8_t> prefer_state;
  /// Kept as long as its pivots are not much smaller than the best.
  const StateSelection* before = nullptr;
};

/// By elimination with column pivoting, highest derivatives first. Returns the equation that has
/// no pivot left if constraints depend on each other there, else none.
std::uint32_t select_states(const SelectionStructure& structure, const SelectionWish& wish,
                            StateSelection& selection);

}  // namespace saltus::detail
