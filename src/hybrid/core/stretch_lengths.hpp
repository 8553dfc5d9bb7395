// Which implicit engine suits the distance between events.
//
// IDA begins every stretch with order 1 and small steps; Radau has its full order at once but costs more
// per step. A prototype broke even at 25 to 30 steps of IDA per stretch (one family of stiff problems with
// 30 unknowns); with a gap between the two limits an engine is not changed back at the next event.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include <saltus/integrate/options.hpp>

namespace saltus::detail {

class StretchLengths {
 public:
  /// A stretch of so many steps has ended at an event: the engine to go on with, if it is another one.
  std::optional<EngineKind> ended(EngineKind engine, std::uint64_t n_steps) {
    last_[n_ % last_.size()] = n_steps;
    ++n_;
    if (n_ < last_.size()) return std::nullopt;
    std::uint64_t sum = 0;
    for (const std::uint64_t n : last_) sum += n;
    const double mean = static_cast<double>(sum) / static_cast<double>(last_.size());
    if (engine == EngineKind::ida && mean < short_for_ida) return changed_to(EngineKind::radau);
    if (engine == EngineKind::radau && mean > long_for_radau) return changed_to(EngineKind::ida);
    return std::nullopt;
  }

 private:
  static constexpr double short_for_ida = 25;
  static constexpr double long_for_radau = 60;
  std::optional<EngineKind> changed_to(EngineKind engine) {
    n_ = 0;
    return engine;
  }
  std::array<std::uint64_t, 5> last_{};
  std::size_t n_ = 0;
};

}  // namespace saltus::detail
