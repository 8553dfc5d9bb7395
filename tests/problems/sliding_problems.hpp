// All named problems whose solutions slide.
#pragma once

#include "problems/belt_stick_slip.hpp"
#include "problems/bowed_string.hpp"
#include "problems/disode_p1.hpp"
#include "problems/disode_p3.hpp"
#include "problems/disode_p4.hpp"
#include "problems/two_body_stick_slip.hpp"

namespace saltus::problems {

/// Small ones.
inline std::vector<SlidingProblem> sliding_problems() {
  return {two_body_stick_slip(), disode_p1(),          disode_p3(),       disode_p4(),
          belt_stick_slip(),     belt_stick_slip_v1(), oscillating_belt()};
}

}  // namespace saltus::problems
