#include "hybrid/surface/surface_way.hpp"

#include <algorithm>

namespace saltus::detail {

bool is_on(std::span<const Surface> surfaces, std::uint32_t which) {
  return std::ranges::any_of(surfaces, [&](const Surface& s) {
    return std::ranges::find(s.switches, which) != s.switches.end();
  });
}

}  // namespace saltus::detail
