#include "slide/equations/sliding_map.hpp"

#include <saltus/core/error.hpp>
#include <saltus/system/system.hpp>

namespace saltus::detail {

Evaluation SlidingMap::values(Workspace& workspace, double t, std::span<const double> x,
                              std::span<const double> xdot, std::span<double> out) const {
  auto* mixture = workspace.ability<MixtureOfSides>();
  SALTUS_ASSERT(mixture != nullptr);
  const Evaluation done = mixture->mixed_variables(base_, t, x, xdot, out);
  for (std::uint32_t v = 0; v < variables().size(); ++v) {
    if (!present(v)) continue;
    if (const auto u = unknown(v)) out[v] = x[*u];
  }
  return done;
}

}  // namespace saltus::detail
