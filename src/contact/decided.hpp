// Forces and accelerations once it is decided which contacts are open, stick or slip.
#pragma once

#include <span>
#include <vector>

#include <saltus/contact/solve.hpp>
#include <saltus/numerics/matrix.hpp>

namespace saltus::detail {

struct DecidedContact {
  ContactStatus status = ContactStatus::open;
  bool bilateral = false;
  /// Of forces that slip, and the cone of those that stick.
  double mu_slip = 0.0;
  double mu_stick = 0.0;
};

/// Equations (C.1) in units in which the diagonal of W is between 1/2 and 2 (or 0).
struct ScaledResponse {
  Matrix w;
  std::vector<double> f;
  /// p = unit * (scaled p), a = (scaled a) / unit.
  std::vector<double> unit;

  std::size_t n_contacts() const { return f.size() / 2; }
};

struct DecidedForces {
  /// The rows that must vanish can, and some forces obey all cones.
  bool feasible = false;
  /// Forces can change without leaving the rows, and accelerations with them.
  bool motion_open = false;
  std::vector<double> p, a;
  /// Coefficients of scaled forces.
  std::vector<RedundantRow> redundant;
};

/// Of least norm in p (not scaled) if forces are not unique; signs of accelerations are not looked at.
DecidedForces solve_decided(const ScaledResponse& response,
                            std::span<const DecidedContact> contacts);

/// a = W p + f, with rows that vanish by decision set to 0.
std::vector<double> accelerations(const ScaledResponse& response, std::span<const double> p);

/// On some contacts nothing acts but the rounding of others: rows are not taken for smaller than this part of the
/// largest.
constexpr double smallest_row = 3e-6;

/// The largest violation of (C.2) and (C.3) over the largest term in a row of the contact (see above), in scaled units. For
/// those that slip, `slides` says that they did before, whatever a_T is.
double law_violation(const ScaledResponse& response, std::span<const DecidedContact> contacts,
                     const std::vector<bool>& slides, std::span<const double> p);

}  // namespace saltus::detail
