// Events of sides that exist only on their own side of a surface: sqrt(abs(x)), where abs is locked, is one.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include <saltus/core/error.hpp>

#include "hybrid/switch_board.hpp"

namespace saltus::detail {

/// Moves a point that lies before surfaces that were crossed beyond them, by half a margin, along their gradients: that
/// is where events are placed. False if there is none, or one is further away than its margin.
bool put_across(SwitchBoard& board, std::span<const std::uint32_t> crossed,
                std::span<const double> margin, double t, std::vector<double>& x,
                std::span<const double> xdot);

/// Relations that are no longer what they were where the equations have no value with them: actions have set unknowns
/// beyond their surfaces, or errors have moved them. All those whose functions are clearly on the other side; if that is
/// not enough, the only one with whose other side there is a state, which is on that side. Empty if nothing is certain.
using FindState = std::function<Result<ConsistentStart>(double t, const StartValues& guess)>;
std::vector<std::uint32_t> left_behind(SwitchBoard& board, std::span<const std::uint8_t> kept,
                                       std::span<const double> margin, double t,
                                       const StartValues& now, const FindState& find_state);

/// The words for a side that cannot be evaluated where it is entered.
Failure not_entered(const SwitchBoard& board, std::span<const std::uint32_t> crossed, double t,
                    const Failure& said);

}  // namespace saltus::detail
