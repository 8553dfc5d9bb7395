// What is integrated and what was written: their unknowns have names in common.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <saltus/initialize/restart.hpp>
#include <saltus/system/system.hpp>

namespace saltus::detail {

/// The unknowns that are integrated as those of the system as it was written, and back: both have names.
class UnknownPairing {
 public:
  UnknownPairing(const System& original, const System& integrated);

  /// x and x' of the original system.
  struct Point {
    std::vector<double> x, xdot;
  };
  Point original(const System& integrated, Workspace& workspace, double t,
                 std::span<const double> x, std::span<const double> xdot) const;
  /// Start values of what is integrated, from a consistent point of the original system; further derivatives
  /// come from its series, if it has one.
  StartValues integrated(const System& integrated, const Restart& at) const;
  /// The unknown that is integrated as this one of the original system; none if there is none.
  std::uint32_t integrated_as(std::uint32_t original) const { return integrated_of_[original]; }

  static constexpr std::uint32_t none = 0xffffffffU;

 private:
  std::vector<std::uint32_t> integrated_of_;  // per original unknown
  std::vector<std::uint32_t> variable_of_;    // per original unknown, where it is not integrated
  struct Origin {
    std::uint32_t unknown = none;  // of the original system
    std::uint32_t order = 0;       // which derivative of it
  };
  std::vector<Origin> origin_of_;  // per integrated unknown
};

}  // namespace saltus::detail
