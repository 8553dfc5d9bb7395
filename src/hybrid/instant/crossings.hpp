// What is known of the relations that cross at an instant.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hybrid/stay/stay.hpp"

namespace saltus::detail {

/// Of several relations that cross together some may change nothing that the others do not.
void mark_flips(const Stay& here, std::vector<Crossing>& crossings, const EventPoint& at);
/// In the order in which their functions pass zero, whatever order they were declared in.
void put_in_order(const Stay& here, const EventPoint& point, std::vector<Crossing>& crossings);
/// By how much they may have been located off their zero.
double error_of_time(const Stay& here, std::span<const Crossing> crossings);
/// What actions watch, while inputs and relations are still those of before. The beginning of a run has no before.
std::vector<double> watched_before(const Stay& here, const EventPoint& point,
                                   std::optional<std::uint32_t> action);
std::vector<std::string> names_of(const SwitchBoard& board, std::span<const Crossing> crossings);

}  // namespace saltus::detail
