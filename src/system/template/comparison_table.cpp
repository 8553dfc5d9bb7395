#include "system/template/comparison_table.hpp"

#include <map>

#include <saltus/core/error.hpp>

namespace saltus::detail {

namespace {

std::uint64_t place_key(const ComparisonPlace& place) {
  return (std::uint64_t{place.line} << 32) | (std::uint64_t{place.column} << 8) |
         static_cast<std::uint64_t>(place.by);
}

}  // namespace

const char* text_of(ComparedBy by) {
  switch (by) {
    case ComparedBy::less:
    case ComparedBy::min:
      return "<";
    case ComparedBy::less_equal:
      return "<=";
    case ComparedBy::greater:
    case ComparedBy::sign:
    case ComparedBy::max:
      return ">";
    case ComparedBy::greater_equal:
    case ComparedBy::abs:
      return ">=";
  }
  return "?";
}

std::string text_of(const ComparisonPlace& place) {
  const std::string file = place.file;
  return file.substr(file.find_last_of("/\\") + 1) + ":" + std::to_string(place.line);
}

void refuse_comparison(const ComparisonPlace& place) {
  throw ModelError("comparison at " + text_of(place),
                   "tracked numbers are compared outside of an evaluation of their system");
}

std::uint32_t ComparisonTable::find_place(const ComparisonPlace& place) const {
  const auto [first, last] = by_line_.equal_range(place_key(place));
  for (auto it = first; it != last; ++it) {
    if (places_[it->second].place == place) return it->second;
  }
  return none;
}

std::uint32_t ComparisonTable::find(std::uint32_t place, std::uint32_t occurrence) const {
  const auto& numbers = places_[place].numbers;
  return occurrence < numbers.size() ? numbers[occurrence] : none;
}

std::uint32_t ComparisonTable::add_place(const ComparisonPlace& place) {
  const std::uint32_t number = n_places();
  places_.push_back({place, {}});
  by_line_.emplace(place_key(place), number);
  return number;
}

std::uint32_t ComparisonTable::add(std::uint32_t place) {
  const std::uint32_t number = size();
  places_[place].numbers.push_back(number);
  entries_.push_back({place, "", ""});
  return number;
}

std::string ComparisonTable::name_of(const Entry& entry) const {
  const ComparisonPlace& place = places_[entry.place].place;
  const bool has_texts = !entry.left.empty() && !entry.right.empty();
  std::string name = text_of(place) + ": " + (has_texts ? entry.left : "left") + " " +
                     text_of(place.by) + " " + (has_texts ? entry.right : "right");
  switch (place.by) {
    case ComparedBy::abs:
      return name + " in abs";
    case ComparedBy::sign:
      return name + " in sign";
    case ComparedBy::min:
      return name + " in min";
    case ComparedBy::max:
      return name + " in max";
    default:
      return name;
  }
}

std::vector<SwitchInfo> ComparisonTable::infos() const {
  std::vector<SwitchInfo> infos;
  std::map<std::string, int> n_of_name;
  for (const Entry& entry : entries_) {
    std::string name = name_of(entry);
    const int number = ++n_of_name[name];
    if (number > 1) name += " (" + std::to_string(number) + ")";
    const std::string relation = text_of(places_[entry.place].place.by);
    infos.push_back({.name = std::move(name),
                     .kind = SwitchKind::relation,
                     .true_if_positive = relation[0] == '>',
                     .true_at_zero = relation.size() == 2});
  }
  return infos;
}

}  // namespace saltus::detail
