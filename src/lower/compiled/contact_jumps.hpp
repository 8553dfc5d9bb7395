// What contacts make of gaps and velocities that jump.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lower/compiled/contact_motion.hpp"

namespace saltus::detail {

/// By how much the values of a contact have jumped at an instant; 0 for what the error of its time explains.
struct ContactJump {
  double gap = 0.0, rate = 0.0, slip = 0.0;
};

/// Compares a motion with what was watched before an instant.
class ContactJumps {
 public:
  explicit ContactJumps(const ContactPlan& plan) : plan_(plan) {}

  /// Watched before an instant, whose time may be off by `time_error`; nothing at the beginning of a run.
  void compare_with(std::span<const double> watched, double time_error) {
    before_.assign(watched.begin(), watched.end());
    time_error_ = time_error;
  }
  bool is_start() const { return before_.empty(); }
  bool is_as_before(const std::vector<double>& watched) const { return watched == before_; }

  ContactJump of(const ContactMotion& motion, std::uint32_t contact) const;
  /// What of it matters to a contact as it is: in words, or empty.
  std::string felt(const ContactMotion& motion, std::uint32_t contact, const ContactJump& jump,
                   std::span<const double> discrete) const;
  /// Bodies are not moved apart, and joints not put together.
  std::optional<std::string> check_overlap(const ContactMotion& motion,
                                           std::span<const ContactJump> jumps) const;

 private:
  std::string text(const ContactMotion& motion, std::uint32_t contact,
                   ContactPlan::Value which) const;

  const ContactPlan& plan_;
  std::vector<double> before_;
  double time_error_ = 0.0;
};

}  // namespace saltus::detail
