// The first and the last instant of a run: actions that belong to them, and conditions that become true at the start.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "hybrid/stay/frame.hpp"
#include "hybrid/stay/instant_request.hpp"

namespace saltus::detail {

class FirstAndLast {
 public:
  explicit FirstAndLast(const Frame& frame) : frame_(frame), here_(frame.here) {}

  /// The next action, from number `action` on, that is carried out before any time has passed; it moves on.
  std::optional<InstantRequest> next_at_start(std::uint32_t& action) const;
  /// The same of the last instant. What happens there may lead elsewhere.
  std::optional<InstantRequest> next_at_end(std::uint32_t& action) const;
  /// A condition that does not hold at the start and does just after becomes true there: its clause is carried out.
  std::optional<InstantRequest> first_departures() const;

 private:
  bool would_change(std::uint32_t action) const;
  void tell_of(std::uint32_t action, bool changes) const;
  bool is_left_out(double t, std::uint32_t action) const;

  const Frame& frame_;
  const Stay& here_;
};

/// What holds at the start, word for word: x < 1 does not where x falls from 1, although it does just after.
std::vector<std::uint8_t> triggers_as_written(const ModeRun& mode, double t,
                                              std::span<const double> x,
                                              std::span<const double> xdot);

}  // namespace saltus::detail
