// Events of sides that exist only on their own side of a surface: sqrt(abs(x)), where abs is locked, is one.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <saltus/core/result.hpp>
#include <saltus/initialize/consistent.hpp>

#include "hybrid/switch/switch_board.hpp"

namespace saltus::detail {

/// Moves a point that lies before surfaces that were crossed beyond them, by half a margin, along their gradients: that
/// is where events are placed. False if there is none, or one is further away than its margin.
bool put_across(SwitchBoard& board, std::span<const std::uint32_t> crossed,
                std::span<const double> margin, double t, std::vector<double>& x,
                std::span<const double> xdot);

/// Relations that are no longer what they were where the equations have no value with them, because an action has set
/// unknowns, and the state with their other sides. All those whose functions are clearly on the other side; if there are
/// none, the only one that is within its margin of its surface and with whose other side there is a state. Nothing if
/// none is certain. Those that are decided stay as they are.
struct LeftBehind {
  std::vector<std::uint32_t> relations;
  ConsistentStart state;
};
using FindState = std::function<Result<ConsistentStart>(double t, const StartValues& guess)>;
std::optional<LeftBehind> left_behind(SwitchBoard& board, std::span<const std::uint8_t> decided,
                                      std::span<const double> margin, double t,
                                      const StartValues& now, const FindState& find_state);

/// The words for a side that cannot be evaluated where it is entered.
Failure not_entered(const SwitchBoard& board, std::span<const std::uint32_t> crossed, double t,
                    const Failure& said);

}  // namespace saltus::detail
