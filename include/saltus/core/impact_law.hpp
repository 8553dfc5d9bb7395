// Several impacts at one instant.
#pragma once

#include <cstdint>

namespace saltus {

/// What Newton's restitution means for several impacts at one instant (touching balls in a row).
enum class ImpactLaw : std::uint8_t {
  refuse_ambiguous,  // if the two below differ: a Failure with both outcomes
  all_at_once,       // v_N+ = -e v_N- for all that take part
  one_by_one,  // a sequence of single impacts, the fastest approach first, until none approaches
};

}  // namespace saltus
