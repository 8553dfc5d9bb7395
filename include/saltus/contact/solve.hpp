// Solves contact problems of planar mechanics: forces and accelerations, impulses and velocities.
//
// A linear complementarity problem decides which contacts open, stick or slip. It is solved by
// Lemke's method in the form of Stewart and Trinkle (1996). Its matrix is copositive if no contact
// already slips; then the method ends with a solution if one exists. With the contacts decided,
// forces and accelerations are solved for again and checked: results violate (C.2) and (C.3) by
// 1e-10 at most.
//
// A contact problem may have no solution or several (Painleve). The solver never chooses silently:
// a Failure names the contacts and reports the candidates. Impulses may exist where forces do not;
// see contact_jam.
//
// If mu_s > mu_k, as many contacts stick as possible. Contacts that slip even with mu_s continue
// with mu_k. If others cannot hold then, they slip too, and so on. MotionVerdict reports a choice:
// a sticking contact (mu_s) could also slip (mu_k), or the reverse.
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
  closed,  // without friction; joints are always closed
  stick,
  slip_positive,  // p_T <= 0, and a_T > 0 (impulses: v_T+ > 0; if it already slips: v_T > 0)
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
  /// Velocities after the impact if the forces are impulses. The tangential one is 0 without
  /// friction.
  double normal_acceleration = 0.0;
  double tangential_acceleration = 0.0;
};

/// A dependent row of (C.1). The rows that vanish (normals of contacts that are not open, tangents
/// of sticking contacts) may depend on each other. Then forces are not unique, and those of least
/// norm that obey (C.2) and (C.3) are taken. `row` follows from the others; its place is taken by
///   sum_j coefficients[j] p_j = 0,   j as in (C.1).
/// Together with all rows that are not listed, this makes the forces unique.
struct RedundantRow {
  std::uint32_t row = 0;
  std::vector<double> coefficients;
};

enum class MotionVerdict : std::uint8_t {
  proven,         // the accelerations are unique
  not_disproved,  // several searches found the same accelerations
  chosen,         // another choice of sticking contacts also obeys mu_s and mu_k
};

struct ContactSolution {
  std::vector<ContactState> contacts;
  std::vector<RedundantRow> redundant;
  MotionVerdict uniqueness = MotionVerdict::not_disproved;
  /// The largest violation of (C.1) to (C.3), relative to the largest term of its contact's row.
  double residual = 0.0;

  bool forces_unique() const { return redundant.empty(); }
};

/// Returns forces and accelerations. All contacts touch, with normal velocity 0.
Result<ContactSolution> contact_accelerations(const ContactProblem& problem);

/// Returns impulses without a collision, for contacts without forces because friction jams them
/// (Painleve). In the limit of time steps h -> 0 (Stewart 1998) or of stiff contacts, P_N grows
/// without bound until slip stops or reverses. The impulses start from v_N- = 0 and
/// v_T- = slip_velocity, are not all zero, and obey (C.2) and (C.3) for v+ with mu_k. They act at
/// contacts that influence each other and have no forces. Kinetic energy falls: its change is
///   P . v+ - P . W P / 2,   with P . v+ <= 0.
/// Returns a Failure if forces exist, or if there is no such impulse or more than one.
Result<ContactSolution> contact_jam(const ContactProblem& problem);

/// Returns impulses and velocities after an impact. All contacts touch, and `velocity_before`, of
/// size 2n as in (C.1), may approach. The normal direction obeys
///   0 <= P_N,  0 <= v_N+ + e v_N-  (e = 0 if it does not approach),  one of them 0.
/// The tangential direction obeys Coulomb's law (C.3) for P_T and v_T+, with mu_k. Tangential
/// restitution is 0. Contacts that influence each other have no impulse if none of them approaches
/// (v_N- >= 0). A velocity counts as 0 below 1e-14 of the largest one, each over the root of its
/// response. Status open means: no impulse, and a velocity other than zero afterwards. Returns a
/// Failure if kinetic energy would grow.
Result<ContactSolution> contact_impulses(const ContactProblem& problem,
                                         std::span<const double> velocity_before,
                                         ImpactLaw law = ImpactLaw::refuse_ambiguous);

}  // namespace saltus
