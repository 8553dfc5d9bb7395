// Whether time goes on from event to event.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace saltus::detail {

/// Many events may follow each other closely, but not so closely that numbers of time run out: of many events in a
/// row some must be apart by more than a few of the smallest differences that a time can have.
class ProgressClock {
 public:
  /// An event at `t`, of relations with these names; false if time stands still. The more functions there are, the
  /// more may switch together.
  bool note(double t, std::span<const std::string> names, std::uint32_t n_functions) {
    constexpr double n_ulp = 16;
    constexpr std::uint32_t least = 100;
    constexpr std::size_t most_named = 8;
    const double ulp = std::numeric_limits<double>::epsilon() * std::max(std::abs(t), std::abs(t_));
    if (n_ == 0 || std::abs(t - t_) > n_ulp * ulp * n_) {
      t_ = t;
      n_ = 0;
      names_.clear();
    }
    for (const std::string& name : names) {
      if (names_.size() < most_named &&
          std::find(names_.begin(), names_.end(), name) == names_.end())
        names_.push_back(name);
    }
    return ++n_ <= std::max(least, 2 * n_functions);
  }
  std::uint32_t n_events() const { return n_; }
  std::span<const std::string> names() const { return names_; }

 private:
  std::uint32_t n_ = 0;
  double t_ = 0.0;  // of the first of them
  std::vector<std::string> names_;
};

}  // namespace saltus::detail
