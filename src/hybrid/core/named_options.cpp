#include "hybrid/core/named_options.hpp"

#include <saltus/core/options.hpp>

namespace saltus::detail {

SurfacePolicy surface_policy_of(const EventOptions& options, const std::string& relation) {
  for (const Named<SurfacePolicy>& entry : options.surface_of)
    if (entry.name == relation) return entry.value;
  return options.surface;
}

}  // namespace saltus::detail
