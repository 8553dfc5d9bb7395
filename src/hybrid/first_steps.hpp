// With which step a stay began well, the last time the same branches held.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace saltus::detail {

/// Branches differ in what they ask of a step: the last one of a flight is far too long for the contact after it. What
/// suited the same branches before does so again, more often than not, and no evaluation is spent on a guess.
class FirstSteps {
 public:
  /// 0 where nothing is known.
  double length(std::span<const std::uint8_t> truths) const {
    const Entry* entry = find(truths);
    return entry != nullptr ? entry->length : 0.0;
  }

  void note(std::span<const std::uint8_t> truths, double length) {
    constexpr std::size_t most =
        32;  // patterns: a search beyond that would cost more than it saves
    if (Entry* entry = find(truths)) {
      entry->length = length;
    } else if (entries_.size() < most) {
      entries_.push_back({{truths.begin(), truths.end()}, length});
    }
  }

 private:
  struct Entry {
    std::vector<std::uint8_t> truths;
    double length = 0.0;
  };
  const Entry* find(std::span<const std::uint8_t> truths) const {
    const auto found = std::ranges::find_if(
        entries_, [&](const Entry& entry) { return std::ranges::equal(entry.truths, truths); });
    return found != entries_.end() ? &*found : nullptr;
  }
  Entry* find(std::span<const std::uint8_t> truths) {
    return const_cast<Entry*>(std::as_const(*this).find(truths));
  }

  std::vector<Entry> entries_;
};

}  // namespace saltus::detail
