// Contacts, friction and joints between bodies.
//
//   Expr N = m.unilateral("floor", y - radius, {.restitution = 0.8});
//   Expr F = m.friction("floor friction", vx + radius * omega, N, {.mu_kinetic = 0.3});
//   m.equation(mass * der(vy) == -mass * 9.81 + N);
//   m.equation(mass * der(vx) == F);
//
// A contact pushes and never pulls. Each declaration returns a force to use in the equations of
// motion. A gap is an expression of positions; its rate follows from equations der(q) == ... or
// from second derivatives. At each event Saltus determines, for all contacts of a model together,
// whether bodies separate, stick, slip or bounce. Where the laws are ambiguous, the run ends and
// names the contacts.
#pragma once

#include <optional>
#include <string>

#include <saltus/core/impact_law.hpp>
#include <saltus/expr.hpp>

namespace saltus {

struct UnilateralOptions {
  /// Newton's coefficient of restitution: the velocity after an impact is minus this times the
  /// velocity before. It lies between 0 and 1 and is constant during a run.
  Expr restitution = 0.0;
  /// Treats impacts slower than this as plastic. Needed where several bodies bounce at once and
  /// none of them ever comes to rest exactly; a single body does not need it.
  double rest_velocity = 0.0;
};

struct FrictionOptions {
  /// Coulomb's coefficient while bodies slip. It may depend on the slip velocity (Stribeck).
  Expr mu_kinetic = 0.0;
  /// The coefficient while bodies stick; empty: the same. It must not be below the kinetic one at
  /// rest.
  std::optional<Expr> mu_static = {};
};

/// A contact of a finished model. Nodes belong to the graph of the model; numbers are those of its
/// variables.
struct ContactDefinition {
  std::string name;
  bool is_joint = false;  // also pulls, and never opens
  NodeId gap = none;
  NodeId restitution = none;
  double rest_velocity = 0.0;
  std::uint32_t force = 0;  // an algebraic variable
  /// The friction of the contact, if any.
  std::string friction_name;
  NodeId slip = none;  // tangential velocity; none: no friction
  std::uint32_t friction_force = 0;
  NodeId mu_kinetic = none, mu_static = none;

  /// Determined by build(): the rate of the gap, an expression of unknowns, and the derivatives of
  /// both velocities, which read x'.
  NodeId rate = none, acceleration = none, slip_acceleration = none;
  /// Discrete variables. `closed` is 1 while the contact is closed, `sticks` is 1 while it sticks,
  /// and `direction` is the direction of slip (-1, 1) or 0. `slack` is the distance of the gap
  /// below 0 at which the contact closes again; (slack + 1) is the velocity against its direction
  /// at which slip ends.
  std::uint32_t closed = 0, sticks = 0, direction = 0, slack = 0;
  /// Rows among the forces of all contacts, of `force` and of `friction_force`.
  std::uint32_t row = 0, friction_row = none;

  bool has_friction() const { return slip != none; }
};

/// The equations that determine the forces of all contacts. Row i is
///
///   on_i a_i + sum_k share_ik p_k + direction mu p_N = 0                                    (C.1)
///
/// with the acceleration a_i of its gap or slip, the forces p, and discrete variables `on`
/// (first_on + i) and `share` (first_share + i n + k). Only friction rows have the last term.
struct ContactRows {
  std::uint32_t n = 0;
  std::uint32_t first_on = 0, first_share = 0;
  std::uint32_t first_equation = 0;  // of the model; one each
};

}  // namespace saltus
