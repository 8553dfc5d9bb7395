// Which of several modes that are possible at an instant are possible a moment later.
//
// On the boundary of several modes (all currents and voltages are zero, a source begins to rise) values and rates
// of what they require may all be zero, and the second derivatives decide. Instead of these a short step is taken
// in each.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hybrid/mode/mode_run.hpp"

namespace saltus::detail {

struct PossibleMode {
  ModeRun* mode = nullptr;
  const ConsistentStart* start = nullptr;
  std::span<const std::uint8_t> truths;  // of its relations, empty if it has none
};

/// Short beside a step, or beside the whole run if none has been taken yet.
inline double moment_after(double t, double natural_step, const RunOptions& options) {
  constexpr double of_step = 1e-3, of_run = 1e-5;
  return natural_step > 0 ? of_step * natural_step : of_run * (options.t_end - t);
}

/// One flag per mode; all set if a moment does not tell. The modes are left as they were, with their relations
/// and what is frozen at the start.
std::vector<std::uint8_t> possible_a_moment_later(std::span<const PossibleMode> modes, double t,
                                                  double moment);

}  // namespace saltus::detail
