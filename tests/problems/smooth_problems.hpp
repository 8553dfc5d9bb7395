// All named smooth problems.
#pragma once

#include "problems/diode_rectifier.hpp"
#include "problems/kepler.hpp"
#include "problems/robertson.hpp"
#include "problems/smooth_problem.hpp"
#include "problems/transistor_amplifier.hpp"
#include "problems/van_der_pol.hpp"

namespace saltus::problems {

inline std::vector<SmoothProblem> smooth_problems() {
  return {transistor_amplifier(), robertson(), van_der_pol(), diode_rectifier(), kepler()};
}

}  // namespace saltus::problems
