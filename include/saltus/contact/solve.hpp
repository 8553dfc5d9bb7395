// Contacts of planar mechanics at one instant: forces and accelerations, impulses and velocities.
//
// Which contacts open, stick or slip is a linear complementarity problem. It is solved by Lemke's method in the
// form of Stewart and Trinkle (1996), whose matrix is copositive where no contact slips already: then the
// method ends with a solution if there is one. Forces and accelerations are then solved for anew with
// contacts as decided, and checked against (C.2) and (C.3): what is returned violates them by 1e-10 at most.
//
// Not every such problem has a solution, and not every one has only one (Painleve). Neither is chosen
// silently: a Failure names the contacts, and what was found. Where forces do not exist impulses may: contact_jam.
//
// mu_s > mu_k: as many as can stick do. Those that slip though all contacts have mu_s go on with mu_k; if others
// cannot hold then they slip too, and so on. Where a contact that sticks with mu_s could also slip with mu_k, or the
// other way round, that is a choice, and MotionVerdict says so.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <saltus/contact/problem.hpp>
#include <saltus/core/impact_law.hpp>
#include <saltus/core/result.hpp>

namespace saltus {

enum class ContactStatus : std::uint8_t {
  open,
  closed,  // without friction; a joint always is
  stick,
  slip_positive,  // a_T (v_T+; or v_T if it slips already) is positive, p_T <= 0
  slip_negative,
};
std::string_view name(ContactStatus status) noexcept;
constexpr bool slips(ContactStatus s) {
  return s == ContactStatus::slip_positive || s == ContactStatus::slip_negative;
}

struct ContactState {
  ContactStatus status = ContactStatus::open;
  double normal_force = 0.0;
  double tangential_force = 0.0;
  /// Velocities after the impact if forces are impulses. The tangential one is 0 without friction.
  double normal_acceleration = 0.0;
  double tangential_acceleration = 0.0;
};

/// Rows of (C.1) that vanish with contacts as decided (normals of those that are not open, tangents of those
/// that stick) may depend on each other; then forces are not unique, and those of least norm that obey (C.2)
/// and (C.3) are taken. `row` follows from the others: in its place stands
///   sum_j coefficients[j] p_j = 0,   j as in (C.1),
/// which with all rows that are not named makes forces unique.
struct RedundantRow {
  std::uint32_t row = 0;
  std::vector<double> coefficients;
};

enum class MotionVerdict : std::uint8_t {
  proven,         // accelerations are unique
  not_disproved,  // several searches came to the same ones
  chosen,         // another choice of those that stick obeys mu_s and mu_k as well
};

struct ContactSolution {
  std::vector<ContactState> contacts;
  std::vector<RedundantRow> redundant;
  MotionVerdict uniqueness = MotionVerdict::not_disproved;
  /// The largest violation of (C.1) to (C.3), over the largest term of its contact's row.
  double residual = 0.0;

  bool forces_unique() const { return redundant.empty(); }
};

/// All contacts touch, with normal velocity 0.
Result<ContactSolution> contact_accelerations(const ContactProblem& problem);

/// Where contact_accelerations finds none, because friction jams what slides (Painleve): impulses without a collision.
/// As the limit of time steps h -> 0 (Stewart 1998) or of stiff contacts, P_N grows without bound until slip has
/// ceased or turned: impulses from v_N- = 0 and v_T- = slip_velocity that obey (C.2) and (C.3) for v+, other than none,
/// with mu_k, at contacts that act on each other and have no forces. Kinetic energy falls: its change is
/// P . v+ - P . W P / 2, and P . v+ <= 0.
/// Failure if there are forces, or no such impulse, or several.
Result<ContactSolution> contact_jam(const ContactProblem& problem);

/// All contacts touch; `velocity_before`, of size 2n as in (C.1), may approach. In normal direction
///   0 <= P_N,  0 <= v_N+ + e v_N-  (e = 0 if it does not approach),  one of them 0;
/// tangentially Coulomb's law (C.3) for P_T and v_T+, with mu_k. (Tangential restitution is 0.)
/// Contacts that act on each other have no impulse if none of them approaches (v_N- >= 0; less than 1e-14 of the
/// largest velocity, each over the root of its response, is 0).
/// Status open: no impulse and not of zero velocity afterwards. An outcome with more kinetic energy than before is a Failure.
Result<ContactSolution> contact_impulses(const ContactProblem& problem,
                                         std::span<const double> velocity_before,
                                         ImpactLaw law = ImpactLaw::refuse_ambiguous);

}  // namespace saltus
