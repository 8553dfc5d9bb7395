// Contacts of planar mechanics at one instant: what is asked.
//
// n contacts press with normal forces p_N and rub with tangential forces p_T. With everything else held fixed
// accelerations along the contacts are affine in the forces,
//
//   a = W p + f,   rows and columns: the normals of all contacts, then the tangents of all contacts,      (C.1)
//
// where a_N > 0 separates. The law of a contact is
//
//   0 <= p_N,  0 <= a_N,  p_N a_N = 0;                                                                   (C.2)
//   |p_T| <= mu_s p_N and a_T = 0 (it sticks),  or  p_T = -mu_k sign(a_T) p_N (it begins to slip);        (C.3)
//
// a contact that slips already has p_T = -mu_k sign(v_T) p_N whatever a_T is. A bilateral contact (a joint) has
// a_N = 0 and a force of either sign. Impulses and velocities obey the same relations with P for p, v+ for a
// and v- for f.
//
// Nothing here knows of systems or models.
#pragma once

#include <span>
#include <string>

#include <saltus/numerics/matrix.hpp>

namespace saltus {

struct ContactLaw {
  /// For messages.
  std::string name;
  /// A joint: the row holds with a force of either sign. Has no friction and no restitution.
  bool bilateral = false;
  bool frictional = false;
  double mu_kinetic = 0.0;
  /// At least mu_kinetic.
  double mu_static = 0.0;
  /// Newton's: v_N+ = -e v_N-, from 0 (plastic) to 1 (elastic).
  double restitution = 0.0;
};

/// ModelError by name: a joint with friction, coefficients out of range.
void validate(const ContactLaw& law);

struct ContactProblem {
  std::span<const ContactLaw> laws;
  /// W, of size 2n. Rows and columns of tangents without friction are not read. H M^-1 H^T in mechanics, hence
  /// symmetric and positive semidefinite; this is not required, but what is proven of it is.
  const Matrix& response;
  /// f, of size 2n; not read for impulses.
  std::span<const double> free;
  /// Of size n, tangential velocities; exactly 0 (the caller decides): it may stick. Empty: all are 0. Not
  /// read for impulses.
  std::span<const double> slip_velocity = {};
};

}  // namespace saltus
