// All comparisons that a template residual is known to make.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include <saltus/system/switching.hpp>
#include <saltus/system/tracking.hpp>

namespace saltus::detail {

/// A comparison is known by its place in the code and by how often the place was met before in the same
/// evaluation: a loop meets a place many times.
class ComparisonTable {
 public:
  static constexpr std::uint32_t none = 0xffffffffU;

  std::uint32_t size() const { return static_cast<std::uint32_t>(entries_.size()); }
  std::uint32_t n_places() const { return static_cast<std::uint32_t>(places_.size()); }
  std::uint32_t find_place(const ComparisonPlace& place) const;
  /// The number of a comparison, or none.
  std::uint32_t find(std::uint32_t place, std::uint32_t occurrence) const;
  std::uint32_t add_place(const ComparisonPlace& place);
  std::uint32_t add(std::uint32_t place);

  const ComparisonPlace& place_of(std::uint32_t number) const {
    return places_[entries_[number].place].place;
  }
  std::string& left(std::uint32_t number) { return entries_[number].left; }
  std::string& right(std::uint32_t number) { return entries_[number].right; }

  /// Descriptions with names of their own.
  std::vector<SwitchInfo> infos() const;

 private:
  struct Place {
    ComparisonPlace place;
    std::vector<std::uint32_t> numbers;  // by occurrence
  };
  struct Entry {
    std::uint32_t place;
    std::string left, right;  // empty: too long to be shown
  };
  std::string name_of(const Entry& entry) const;

  std::vector<Place> places_;
  std::vector<Entry> entries_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> by_line_;
};

}  // namespace saltus::detail
