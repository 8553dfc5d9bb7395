// The contact problem of planar mechanics at one instant: its laws and its data.
//
// n contacts press with normal forces p_N and rub with tangential forces p_T. With everything else
// held fixed, the accelerations along the contacts are affine in the forces,
//
//   a = W p + f,   rows and columns: normals of all contacts, then tangents of all,        (C.1)
//
// where a_N > 0 separates. The law of a contact is
//
//   0 <= p_N,  0 <= a_N,  p_N a_N = 0;                                                     (C.2)
//   |p_T| <= mu_s p_N and a_T = 0  (it sticks),  or
//   p_T = -mu_k sign(a_T) p_N      (it begins to slip).                                    (C.3)
//
// A contact that already slips has p_T = -mu_k sign(v_T) p_N for every a_T. A bilateral contact (a
// joint) has a_N = 0 and a force of either sign. Impulses and velocities obey the same relations,
// with P for p, v+ for a and v- for f.
//
// This part is independent of systems and models.
#pragma once

#include <span>
#include <string>

#include <saltus/numerics/matrix.hpp>

namespace saltus {

struct ContactLaw {
  /// Used in messages.
  std::string name;
  /// A joint: its row holds with a force of either sign. It has no friction and no restitution.
  bool bilateral = false;
  bool frictional = false;
  double mu_kinetic = 0.0;
  /// At least mu_kinetic.
  double mu_static = 0.0;
  /// Newton's coefficient: v_N+ = -e v_N-, from 0 (plastic) to 1 (elastic).
  double restitution = 0.0;
};

/// Throws ModelError, naming the contact, if a joint has friction or a coefficient is out of range.
void validate(const ContactLaw& law);

struct ContactProblem {
  std::span<const ContactLaw> laws;
  /// W, of size 2n. Rows and columns of tangents without friction are not read. In mechanics
  /// W = H M^-1 H^T, hence symmetric and positive semidefinite. This is not required, but the
  /// proofs assume it.
  const Matrix& response;
  /// f, of size 2n. Not read for impulses.
  std::span<const double> free;
  /// Tangential velocities, of size n. A contact may stick if its velocity is exactly 0; the caller
  /// decides that. Empty: all are 0. Not read for impulses.
  std::span<const double> slip_velocity = {};
};

}  // namespace saltus
