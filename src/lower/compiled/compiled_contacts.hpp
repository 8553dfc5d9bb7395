// The contacts of a model in a workspace: what they do at events, and what they drift by between them.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lower/compiled/contact_drift.hpp"
#include "lower/compiled/contact_jumps.hpp"
#include "lower/compiled/contact_reading.hpp"
#include "lower/compiled/contact_series.hpp"

namespace saltus::detail {

class CompiledContacts {
 public:
  CompiledContacts(const ContactPlan& plan, CompiledWorkspace& workspace)
      : reading_(plan, workspace), jumps_(plan), series_(plan) {}

  /// Sets x and the discrete variables of the contacts. What cannot be decided is said in words.
  std::optional<std::string> decide(ContactEvent event, double t, std::span<double> x,
                                    std::span<double> discrete);
  /// What the last decision did beyond collisions and forces: empty, or in words.
  const std::string& remark() const { return remark_; }

  /// Gaps, their rates and slip velocities, with what else the laws need.
  std::vector<double> watched(double t, std::span<const double> x, std::span<const double> xdot) {
    return reading_.values(t, x, xdot);
  }
  /// Watched before an instant, whose time may be off by `time_error`; nothing at the beginning of a run.
  void compare_with(std::span<const double> watched, double time_error) {
    jumps_.compare_with(watched, time_error);
  }
  /// What has jumped since so that it is to be decided anew; empty: nothing has.
  std::string jumped(double t, std::span<const double> x, std::span<const double> xdot,
                     std::span<const double> discrete);

  double drift(double t, std::span<const double> x, std::span<const double> xdot,
               std::span<const double> discrete, std::span<const double> tolerance) {
    return contact_drift(reading_, t, x, xdot, discrete, tolerance);
  }
  bool put_back(double t, std::span<const double> discrete, std::span<double> x) {
    return put_contacts_back(reading_, t, discrete, x);
  }

 private:
  void tell_of_choice(ContactMotion::Group closed, MotionVerdict verdict);

  ContactReading reading_;
  ContactJumps jumps_;
  ContactSeries series_;
  std::string remark_;
  std::set<std::string> told_of_;  // contacts whose motion may not be the only one
};

}  // namespace saltus::detail
