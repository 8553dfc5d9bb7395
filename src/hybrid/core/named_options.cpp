#include "hybrid/core/named_options.hpp"

#include <saltus/core/options.hpp>

namespace saltus::detail {

SurfacePolicy surface_policy_of(const EventOptions& options, const std::string& relation) {
  for (const Named<std::string>& entry : options.surface_of) {
    if (entry.name != relation) continue;
    for (const auto& choice : option_choices(SurfacePolicy{})) {
      if (choice.name == entry.value) return choice.value;
    }
  }
  return options.surface;
}

}  // namespace saltus::detail
