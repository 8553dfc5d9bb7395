// How far candidates that come in groups are tried.
#pragma once

#include <cstdint>
#include <span>

namespace saltus::detail {

/// Those of a later group are tried only if no earlier one is possible without a price (impulses, start values that
/// change); those after an empty group only if no earlier one is possible at all.
class CandidateGroups {
 public:
  explicit CandidateGroups(std::span<const std::uint32_t> ends) : ends_(ends) {}

  /// Asked for each candidate in order.
  bool goes_on(std::uint32_t candidate, bool found_any, bool found_without_price) {
    for (; next_ < ends_.size() && ends_[next_] == candidate; ++next_) {
      const bool is_empty = next_ > 0 && ends_[next_] == ends_[next_ - 1];
      if (found_without_price || (is_empty && found_any)) return false;
    }
    return true;
  }

 private:
  std::span<const std::uint32_t> ends_;
  std::size_t next_ = 0;
};

}  // namespace saltus::detail
