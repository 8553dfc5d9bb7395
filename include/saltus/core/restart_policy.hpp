// How a system starts where another one has ended.
#pragma once

#include <array>
#include <cstdint>

#include <saltus/core/options.hpp>

namespace saltus {

enum class RestartPolicy : std::uint8_t {
  /// What can stay stays: the differential content of the system. Where unknowns with a
  /// history must jump nevertheless, conserved quantities decide how, as under `impulse`.
  keep,
  /// As keep, after the values that are mapped have replaced those of the left limit.
  map,
  /// The left limit is the history: conserved quantities (charge, momentum) decide the jump.
  impulse,
  /// The nearest consistent point, in nominal values of the unknowns: conserves nothing.
  least_squares,
  /// Nothing with a history may jump: refused by name.
  check,
};
constexpr auto option_choices(RestartPolicy) {
  return std::array{Choice{"keep", RestartPolicy::keep}, Choice{"map", RestartPolicy::map},
                    Choice{"impulse", RestartPolicy::impulse},
                    Choice{"least_squares", RestartPolicy::least_squares},
                    Choice{"check", RestartPolicy::check}};
}

}  // namespace saltus
