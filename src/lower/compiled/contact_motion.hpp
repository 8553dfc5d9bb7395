// The contacts of a model at one point, and what forces do there.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <saltus/contact/solve.hpp>
#include <saltus/numerics/matrix.hpp>

#include "lower/plan/contact_plan.hpp"

namespace saltus::detail {

/// What an event is about, per contact.
struct ContactEvent {
  std::vector<std::uint8_t> touches;    // its gap has just closed
  std::vector<std::uint8_t> separates;  // its force has just become zero
  std::vector<std::int8_t> gives_way;  // its friction is exhausted: the direction it slips in, or 0
  std::vector<std::uint8_t> stops;     // its slip velocity has just become zero
  std::uint32_t rest_of = none;        // impacts of this contact have accumulated
};

/// Rows are those of (C.1); a group is a list of contacts, whose problem has first the normal rows of all, then those of
/// friction.
class ContactMotion {
 public:
  using Group = std::span<const std::uint32_t>;

  explicit ContactMotion(const ContactPlan& plan) : plan_(&plan) {}

  std::vector<double> values;               // ContactPlan::Value of each contact
  std::vector<double> scales;               // of what it keeps (ContactPlan::Kept), see small()
  std::vector<double> free;                 // accelerations without forces
  std::vector<std::vector<double>> effect;  // S, column by column, in unknowns
  Matrix response;                          // W

  double value(std::uint32_t contact, ContactPlan::Value which) const {
    return values[contact * ContactPlan::n_values + which];
  }
  /// Gaps, or velocities, below this are zero: contacts that come so near touch at the same instant. 1e-9 of the change
  /// that one of the unknowns makes by its nominal value.
  double small(std::uint32_t contact, ContactPlan::Kept which) const {
    constexpr double part = 1e-9;
    return part * scales[contact * ContactPlan::n_kept + which];
  }
  /// What is zero may be evaluated to this.
  double least_slack(std::uint32_t contact, ContactPlan::Kept which) const {
    constexpr double part_of_small = 1e-3;
    return part_of_small * small(contact, which);
  }

  /// Of row j of the problem of a group; none if it is no row of (C.1).
  std::uint32_t row_of(Group group, std::size_t j) const;
  std::vector<double> free_of(Group group) const;
  Matrix response_of(Group group) const;
  std::vector<ContactLaw> laws_of(Group group, const ContactEvent& event) const;

  void apply(std::uint32_t row, double impulse, std::span<double> x) const;
  void strike(Group group, const ContactSolution& impulses, std::span<double> x) const;
  /// Impulses of what is held, and of further rows, that take away the given velocities, by row; nothing if rows
  /// depend on each other.
  std::optional<std::vector<double>> held_back(std::span<const double> discrete,
                                               std::span<const std::uint32_t> further,
                                               std::span<const double> velocity) const;
  /// Contacts that feel a force of this one, directly or through others that push.
  std::vector<std::uint8_t> coupled_with(std::uint32_t contact,
                                         std::span<const std::uint8_t> pushes) const;
  /// How long the hop takes that a contact is on, from and to its surface.
  double hop_time(std::uint32_t contact) const;

 private:
  const ContactPlan* plan_;
};

}  // namespace saltus::detail
