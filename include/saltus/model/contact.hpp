// Bodies that touch: contacts that push and never pull, friction at them, joints.
//
//   Expr N = m.unilateral("floor", y - radius, {.restitution = 0.8});
//   Expr F = m.friction("floor friction", vx + radius * omega, N, {.mu_kinetic = 0.3});
//   m.equation(mass * der(vy) == -mass * 9.81 + N);
//   m.equation(mass * der(vx) == F);
//
// What is declared returns a force, to be used in the equations of motion. A gap is an expression of positions, its
// rate follows from equations der(q) == ... or from second derivatives. Whether bodies separate, stick, slip
// or bounce is found at events, for all contacts of a model together; where the laws do not say it, the run ends
// with the contacts named.
#pragma once

#include <optional>
#include <string>

#include <saltus/core/impact_law.hpp>
#include <saltus/expr.hpp>

namespace saltus {

struct UnilateralOptions {
  /// Newton's law: the velocity after an impact is minus this times the velocity before. 0 … 1, constant during a
  /// run.
  Expr restitution = 0.0;
  /// Slower impacts are plastic. Needed where several bodies bounce at once and none of them ever comes to rest
  /// exactly; a single one does without.
  double rest_velocity = 0.0;
};

struct FrictionOptions {
  /// Coulomb's coefficient while bodies slip; may depend on the slip velocity (Stribeck).
  Expr mu_kinetic = 0.0;
  /// While they stick; empty: the same. Not below the kinetic one at rest.
  std::optional<Expr> mu_static = {};
};

/// A contact of a finished model. Nodes are of its graph, numbers those of its variables.
struct ContactDefinition {
  std::string name;
  bool is_joint = false;  // it pulls as well, and never opens
  NodeId gap = none;
  NodeId restitution = none;
  double rest_velocity = 0.0;
  std::uint32_t force = 0;  // an algebraic variable
  /// Friction, if there is any.
  std::string friction_name;
  NodeId slip = none;  // tangential velocity; none: no friction
  std::uint32_t friction_force = 0;
  NodeId mu_kinetic = none, mu_static = none;

  /// What build() finds: the gap's rate, an expression of unknowns, and the derivatives of both velocities, which
  /// read x'.
  NodeId rate = none, acceleration = none, slip_acceleration = none;
  /// Discrete variables: 1 while it is closed; 1 while it sticks; the direction in which it slips (-1, 1) or 0; how far
  /// below 0 the gap is where it closes again, and (slack + 1) the velocity against its direction where it stops.
  std::uint32_t closed = 0, sticks = 0, direction = 0, slack = 0;
  /// Rows among the forces of all contacts: of `force`, of `friction_force`.
  std::uint32_t row = 0, friction_row = none;

  bool has_friction() const { return slip != none; }
};

/// The equations that determine the forces of all contacts. Row i says
///
///   on_i a_i + sum_k share_ik p_k + direction mu p_N = 0                                         (C.1)
///
/// with the acceleration a_i of its gap or slip, the forces p, and discrete `on` (first_on + i) and `share`
/// (first_share + i n + k); the last term only in rows of friction.
struct ContactRows {
  std::uint32_t n = 0;
  std::uint32_t first_on = 0, first_share = 0;
  std::uint32_t first_equation = 0;  // of the model; one each
};

}  // namespace saltus
