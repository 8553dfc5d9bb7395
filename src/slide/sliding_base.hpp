// What all forms of a sliding system keep of the system below.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <saltus/slide/surface.hpp>
#include <saltus/system/monitoring.hpp>
#include <saltus/system/started_system.hpp>
#include <saltus/system/switching.hpp>
#include <saltus/system/system.hpp>

namespace saltus::detail {

struct SlidingBase {
  std::shared_ptr<const System> system;
  std::vector<Surface> surfaces;
  /// Where sliding begins, and as what the base was running there.
  double t = 0.0;
  std::vector<double> x, xdot;
  std::vector<std::uint8_t> locks;
  HeldSnapshot held;

  /// A workspace as the one that was running.
  std::unique_ptr<Workspace> workspace() const;
  /// The text of the first relation of a surface.
  std::string surface_name(std::uint32_t k, const SwitchingFunctions& functions) const {
    return functions.info(surfaces[k].switches.front()).name;
  }
};

/// Abilities of the base that mean the same in a sliding system.
struct HandedThrough {
  explicit HandedThrough(Workspace& base);
  HeldValues* held;
  ScheduledTimes* scheduled;
  RedundancyWatch* redundancy;
};

}  // namespace saltus::detail
