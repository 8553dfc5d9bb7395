// With which step a stay began well, the last time the same branches held.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace saltus::detail {

/// Branches differ in what they ask of a step: the last one of a flight is far too long for the contact after it. What
/// suited the same branches before does so again, more often than not, and no evaluation is spent on a guess.
class FirstSteps {
 public:
  /// 0 where nothing is known.
  double length(std::span<const std::uint8_t> truths) const {
    const std::size_t at = place_of(truths);
    return at < entries_.size() ? entries_[at].length : 0.0;
  }

  void note(std::span<const std::uint8_t> truths, double length) {
    constexpr std::size_t most =
        32;  // patterns: a search beyond that would cost more than it saves
    const std::size_t at = place_of(truths);
    if (at == entries_.size() && at < most) entries_.push_back({{truths.begin(), truths.end()}});
    if (at < entries_.size()) entries_[at].length = length;
  }

 private:
  struct Entry {
    std::vector<std::uint8_t> truths;
    double length = 0.0;
  };
  /// Behind the last one if there is none.
  std::size_t place_of(std::span<const std::uint8_t> truths) const {
    const auto is_same = [&](const Entry& e) { return std::ranges::equal(e.truths, truths); };
    return static_cast<std::size_t>(std::ranges::find_if(entries_, is_same) - entries_.begin());
  }

  std::vector<Entry> entries_;
};

}  // namespace saltus::detail
