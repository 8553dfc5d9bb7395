// One decision about the contacts of a model at an event.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lower/compiled/contact_jumps.hpp"
#include "lower/compiled/contact_reading.hpp"
#include "lower/compiled/contact_series.hpp"

namespace saltus::detail {

/// Finds impulses if a contact that touches approaches, then forces with the velocities after it (contact/solve.hpp), and
/// with them the equations (C.1) that hold from there on. Sets x and the discrete variables of the contacts.
class ContactDecision {
 public:
  ContactDecision(ContactReading& reading, const ContactJumps& jumps, ContactSeries& series,
                  ContactEvent event, double t, std::span<double> x, std::span<double> discrete);

  /// What cannot be decided is said in words.
  std::optional<std::string> make();
  /// What it did beyond collisions and forces: empty, or in words.
  const std::string& remark() const { return remark_; }
  /// Contacts that are closed after it.
  ContactMotion::Group closed() const { return closed_.contacts; }
  /// Whether their motion is the only one; nothing if it was not asked for.
  std::optional<MotionVerdict> uniqueness() const;

 private:
  /// Contacts that are closed, and how fast each slips.
  struct Closed {
    std::vector<std::uint32_t> contacts;
    std::vector<double> slip;
  };
  /// Velocities of a group: normal ones, then those of slip.
  struct Velocities {
    std::vector<double> of_group;
    double fastest = 0.0;
    bool approaches = false;
  };

  std::optional<std::string> read();
  void withdraw_what_jumps_contradict();
  std::vector<std::uint32_t> touching() const;
  std::optional<std::string> find_velocities(Velocities& before) const;
  double normal_velocity(std::uint32_t contact) const;
  double slip_velocity(std::uint32_t contact) const;
  bool is_put_to_rest(std::uint32_t contact) const;
  std::optional<std::string> collide(const Velocities& before);
  double slowest_hop(std::uint32_t contact) const;
  static Closed still_closed(ContactMotion::Group group, const ContactSolution& impulses,
                             double fastest);
  void open_all();
  Result<ContactSolution> forces_after_jams();
  std::optional<std::string> close();
  bool push_over(const ContactSolution& holding, std::span<double> free) const;
  void write();
  void let_sink(std::span<const double> push, std::span<std::optional<double>> sinks);
  std::optional<std::string> begin_from_rest();
  void leave_room(std::span<const std::optional<double>> sinks);

  const ContactPlan& plan() const { return reading_.plan(); }

  ContactReading& reading_;
  const ContactJumps& before_;
  ContactSeries& series_;
  ContactEvent event_;
  double t_;
  std::span<double> x_, discrete_;
  std::vector<double> earlier_;  // discrete variables
  ContactMotion motion_;
  std::vector<ContactJump> jumps_;
  ContactSeries::Resting resting_;
  std::vector<std::uint32_t> group_;  // contacts that touch
  Closed closed_;
  std::optional<ContactSolution> forces_;
  std::string remark_;
};

}  // namespace saltus::detail
