// The policies by which a mode starts where another one has ended.
#pragma once

#include <array>
#include <cstdint>

#include <saltus/core/options.hpp>

namespace saltus {

enum class RestartPolicy : std::uint8_t {
  /// Keeps the differential content of the system as far as possible. If unknowns with a history
  /// must jump nevertheless, conserved quantities decide how, as under `impulse`.
  keep,
  /// As keep, after mapped values have replaced those of the left limit.
  map,
  /// Takes the left limit as history: conserved quantities (charge, momentum) decide the jump.
  impulse,
  /// Takes the nearest consistent point, in nominal values of the unknowns. Conserves nothing.
  least_squares,
  /// Refuses, by name, any jump of an unknown with a history.
  check,
};
constexpr auto option_choices(RestartPolicy) {
  return std::array{Choice{"keep", RestartPolicy::keep}, Choice{"map", RestartPolicy::map},
                    Choice{"impulse", RestartPolicy::impulse},
                    Choice{"least_squares", RestartPolicy::least_squares},
                    Choice{"check", RestartPolicy::check}};
}

}  // namespace saltus
