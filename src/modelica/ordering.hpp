// An order in which everything comes after what it needs.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace saltus::modelica {

struct Ordering {
  std::vector<std::uint32_t> order;
  /// Instead, if there is no order: items of which each needs the next one, the last one the first.
  std::vector<std::uint32_t> circle;
};

/// Items 0 … n-1; those that `needs_of` names are visited first. Depth first with a stack of its own: chains may be
/// long.
Ordering in_order(std::uint32_t n,
                  const std::function<std::vector<std::uint32_t>(std::uint32_t)>& needs_of);

}  // namespace saltus::modelica
