// When contacts touched, stopped and changed: which of them come to rest together.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "lower/compiled/contact_motion.hpp"

namespace saltus::detail {

class ContactSeries {
 public:
  /// Contacts whose normal, or slip, velocity has come to an end because events accumulate.
  struct Resting {
    std::vector<std::uint8_t> normal, slip;
  };

  explicit ContactSeries(const ContactPlan& plan)
      : plan_(plan),
        changed_at_(plan.contacts().size(), 0.0),
        touched_(plan.contacts().size()),
        stopped_(plan.contacts().size()) {}

  void begin(double t) { changed_at_.assign(changed_at_.size(), t); }
  void note(const ContactEvent& event, double t);
  /// When a contact was last part of an event.
  double changed_at(std::uint32_t contact) const { return changed_at_[contact]; }
  void note_change(std::uint32_t contact, double t) { changed_at_[contact] = t; }
  /// Whether it stuck after its last impact.
  bool stuck(std::uint32_t contact) const { return touched_[contact].sticks; }
  void note_stuck(std::uint32_t contact, bool sticks) { touched_[contact].sticks = sticks; }

  Resting resting(const ContactEvent& event, double t, const ContactMotion& motion,
                  std::span<const double> discrete) const;

 private:
  struct LastTimes {
    static constexpr double never = -std::numeric_limits<double>::infinity();
    double last = never, before = never;
    bool sticks = false;
  };

  const ContactPlan& plan_;
  std::vector<double> changed_at_;
  std::vector<LastTimes> touched_, stopped_;
};

}  // namespace saltus::detail
