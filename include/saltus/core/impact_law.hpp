// The laws that decide several impacts at one instant.
#pragma once

#include <cstdint>

namespace saltus {

/// The meaning of Newton's restitution for several impacts at one instant (touching balls in a
/// row).
enum class ImpactLaw : std::uint8_t {
  refuse_ambiguous,  // a Failure with both outcomes if the two laws below differ
  all_at_once,       // v_N+ = -e v_N- for all contacts concerned
  one_by_one,        // single impacts in sequence, fastest approach first, until none approaches
};

}  // namespace saltus
