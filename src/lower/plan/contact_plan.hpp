// What all workspaces share of the contacts of a model.
#pragma once

#include <memory>
#include <vector>

#include <saltus/contact/problem.hpp>
#include <saltus/model/definition.hpp>
#include <saltus/numerics/sparse.hpp>

#include "lower/layout/layout.hpp"

namespace saltus::detail {

class ContactPlan {
 public:
  /// `system_pattern`: of the system's equations, which contain (C.1) as their last model rows.
  ContactPlan(const ModelDefinition& model, const Layout& layout, const CscPattern& system_pattern,
              std::uint32_t n_model_rows);

  std::span<const ContactDefinition> contacts() const { return contacts_; }
  const ContactRows& rows() const { return rows_; }
  ImpactLaw impact_law() const { return impact_law_; }

  /// Values per contact that the laws need at a point.
  enum Value : std::uint32_t { gap, rate, restitution, slip, mu_kinetic, mu_static, n_values };
  std::shared_ptr<const Program> values;
  /// Accelerations of all rows, which read x', and their derivatives by it.
  std::shared_ptr<const Program> accelerations;
  std::shared_ptr<const Program> gradients;
  CscPattern gradient_pattern;
  /// Derivatives by x of what a contact keeps at zero: gap, rate and slip of each, in this order.
  enum Kept : std::uint32_t { kept_gap, kept_rate, kept_slip, n_kept };
  std::shared_ptr<const Program> kept_gradients;
  CscPattern kept_pattern;

  /// The equations without (C.1) as a matrix for x' and what is algebraic, without forces: where its entries
  /// are found in the system's Jacobians.
  CscPattern motion_pattern;
  struct Source {
    std::size_t slot = 0;
    bool of_xdot = false;
  };
  std::vector<Source> motion_sources;
  /// Unknowns by the column of that matrix, and rows of the system by its row.
  std::vector<std::uint32_t> motion_unknowns, motion_rows;
  /// Unknowns that are forces, by row of (C.1), and the entries of the motion's rows in their columns.
  std::vector<std::uint32_t> forces;
  struct Effect {
    std::uint32_t row = 0;  // of the motion
    std::size_t slot = 0;
  };
  std::vector<std::vector<Effect>> effects;
  /// Whether x' of an unknown is found by the motion (else the unknown itself is).
  std::vector<std::uint8_t> carries_derivative;

 private:
  void split(const CscPattern& system_pattern, std::uint32_t first_row);

  std::vector<ContactDefinition> contacts_;
  ContactRows rows_;
  ImpactLaw impact_law_;
};

}  // namespace saltus::detail
