// Contacts without joints, each with one coefficient of friction: one linear complementarity problem.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "decided.hpp"

namespace saltus::detail {

struct CoulombContact {
  std::uint32_t index = 0;  // among the contacts that were asked for
  bool frictional = false;
  /// In scaled units.
  double mu = 0.0;
  /// The sign of its tangential velocity; 0: it may stick.
  int slides = 0;

  bool may_stick() const { return frictional && slides == 0; }
  DecidedContact decided(ContactStatus status) const { return {status, false, mu, mu}; }
};

struct CoulombProblem {
  ScaledResponse response;
  std::vector<CoulombContact> contacts;
};

struct CoulombMotion {
  std::vector<ContactStatus> status;
  std::vector<double> p, a;
};

/// What a solution may violate its law by, over the largest term in a row of the contact.
constexpr double contact_tolerance = 1e-10;

/// `variant` 0, 1, …: from where Lemke's method starts. Nothing if it ends on a ray, or the law is violated.
std::optional<CoulombMotion> solve_by_lemke(const CoulombProblem& problem, unsigned variant);

/// By projections of one contact after the other (nonlinear Gauss-Seidel, Jourdan, Alart and Jean 1998), which need no
/// pivots: forces that Lemke's method has lost its way to. Nothing if they do not settle in so many sweeps.
std::optional<CoulombMotion> solve_by_sweeps(const CoulombProblem& problem, unsigned n_sweeps);

/// What is nearly a solution tells the statuses: the motion with them that obeys the law, with contacts that vanish
/// within a tolerance because others do first.
std::optional<CoulombMotion> settled(const CoulombProblem& problem, const CoulombMotion& nearly,
                                     double tolerance);

/// The motion with these statuses if it obeys the law. `motion_open`: accelerations are not unique with these
/// statuses alone.
std::optional<CoulombMotion> motion_of(const CoulombProblem& problem,
                                       std::span<const ContactStatus> status,
                                       bool* motion_open = nullptr);

/// All statuses a contact can have.
std::span<const ContactStatus> possible_statuses(const CoulombContact& contact);

/// Accelerations differ by more than 1e-7 of the largest term in their row.
bool same_motion(const CoulombProblem& problem, const CoulombMotion& one,
                 const CoulombMotion& other);

}  // namespace saltus::detail
