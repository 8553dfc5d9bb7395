#include <saltus/system/tracking.hpp>

#include <algorithm>
#include <cmath>

#include <saltus/core/error.hpp>

#include "system/template/comparison_table.hpp"
#include "system/template/comparison_trouble.hpp"

namespace saltus::detail {

ComparisonReplay::ComparisonReplay(const ComparisonTable& table, std::vector<std::uint8_t>& locks,
                                   std::uint32_t first_lock)
    : table_(table),
      locks_(locks),
      first_lock_(first_lock),
      occurrences_(table.n_places(), 0),
      is_due_(table.size(), 0) {
  sequence_.reserve(table.size());
}

ComparisonReplay::ComparisonReplay(ComparisonTable& growing, std::vector<std::uint8_t>& locks)
    : table_(growing), growing_(&growing), locks_(locks), first_lock_(0) {}

void ComparisonReplay::begin(Mode mode) {
  mode_ = mode;
  values_ = nullptr;
  if (mode == Mode::replay) return;
  undecided_ = none;
  sequence_.clear();
  std::fill(std::begin(call_start_), std::end(call_start_), std::size_t{0});
  std::fill(occurrences_.begin(), occurrences_.end(), 0U);
  if (growing_ != nullptr) locks_.resize(table_.size(), open_lock);
  if (mode == Mode::decide) {
    std::fill(locks_.begin() + first_lock_, locks_.end(), std::uint8_t{0});
  }
}

void ComparisonReplay::begin_call(int call, void* values) {
  SALTUS_ASSERT(call == 0 || call == 1);
  call_ = call;
  values_ = values;
  const auto c = static_cast<std::size_t>(call);
  if (mode_ == Mode::replay) {
    position_ = call_start_[c];
    end_ = call_start_[c + 1];
    in_order_ = true;
    return;
  }
  for (std::size_t later = c; later < 3; ++later) call_start_[later] = sequence_.size();
}

void ComparisonReplay::end_call() {
  if (mode_ != Mode::replay || position_ == end_) return;
  std::size_t missing = position_;
  for (std::size_t k = call_start_[call_]; k < end_ && !in_order_; ++k) {
    if (is_due_[sequence_[k].number] != 0) missing = k;
  }
  throw ComparisonTrouble("the comparison at " + text_of(sequence_[missing].place) +
                          " was not made, though all others gave the same answers as earlier: the "
                          "code depends on something other than its arguments");
}

void ComparisonReplay::decide(std::uint32_t number, double left_minus_right) {
  const ComparedBy by = table_.place_of(number).by;
  const char* relation = text_of(by);
  bool truth = false;
  if (left_minus_right == 0.0) {
    truth = relation[1] == '=';
  } else {
    truth = relation[0] == '>' ? left_minus_right > 0.0 : left_minus_right < 0.0;
  }
  if (std::isnan(left_minus_right) && undecided_ == none) undecided_ = number;
  locks_[first_lock_ + number] = truth ? 1 : 0;
}

std::uint32_t ComparisonReplay::look_up(const ComparisonPlace& place) {
  constexpr std::size_t most_comparisons = 1'000'000;
  if (sequence_.size() == most_comparisons) {
    throw ComparisonTrouble("a million comparisons in one evaluation, the last one at " +
                            text_of(place) + ": is there a loop that its locks do not end?");
  }
  std::uint32_t site = last_site_;
  if (site == none || !(last_place_ == place)) site = table_.find_place(place);
  if (site == ComparisonTable::none && growing_ != nullptr) site = growing_->add_place(place);
  if (site != ComparisonTable::none && site >= occurrences_.size()) {
    occurrences_.resize(site + std::size_t{1}, 0U);
  }
  std::uint32_t number = ComparisonTable::none;
  if (site != ComparisonTable::none) {
    number = table_.find(site, occurrences_[site]);
    if (number == ComparisonTable::none && growing_ != nullptr) {
      number = growing_->add(site);
      locks_.push_back(open_lock);
    }
  }
  if (number == ComparisonTable::none) {
    throw ComparisonTrouble("the comparison at " + text_of(place) +
                            " is met for the first time: exploring the code at the start values "
                            "did not lead to it (TemplateDescription::exploration_limit)");
  }
  last_place_ = place;
  last_site_ = site;
  ++occurrences_[site];
  sequence_.push_back({place, number});
  // Kept up to date: a call may be left by an exception.
  for (int later = call_ + 1; later < 3; ++later) call_start_[later] = sequence_.size();
  return number;
}

std::uint32_t ComparisonReplay::out_of_order(const ComparisonPlace& place) {
  if (in_order_) {
    in_order_ = false;
    std::fill(occurrences_.begin(), occurrences_.end(), 0U);
    for (std::size_t k = call_start_[0]; k < end_; ++k) {
      const bool was_met = k < position_;
      if (was_met) ++occurrences_[table_.find_place(sequence_[k].place)];
      is_due_[sequence_[k].number] = was_met ? 0 : 1;
    }
  }
  const std::uint32_t site = table_.find_place(place);
  if (site == ComparisonTable::none) changed(place);
  const std::uint32_t number = table_.find(site, occurrences_[site]);
  if (number == ComparisonTable::none || is_due_[number] == 0) changed(place);
  ++occurrences_[site];
  is_due_[number] = 0;
  ++position_;  // counts
  return number;
}

void ComparisonReplay::changed(const ComparisonPlace& place) const {
  throw ComparisonTrouble("the comparison at " + text_of(place) +
                          " was made, although the same answers did not lead to it earlier: the "
                          "code depends on something other than its arguments");
}

}  // namespace saltus::detail
