// All named problems with modes.
#pragma once

#include "problems/boost_converter.hpp"
#include "problems/clutch.hpp"
#include "problems/latched_sliders.hpp"
#include "problems/mode_problem.hpp"
#include "problems/rectifiers.hpp"
#include "problems/resting_ball.hpp"
#include "problems/rope_pendulum.hpp"
#include "problems/two_capacitors.hpp"

namespace saltus::problems {

/// Those with a closed solution, one or more for each kind of change.
inline std::vector<ModeProblem> closed_mode_problems() {
  return {cut_rope(),        slack_rope(), two_capacitors(), clutch(),
          latched_sliders(), half_wave(),  bridge(),         resting_ball()};
}

inline std::vector<ModeProblem> mode_problems() {
  std::vector<ModeProblem> all = {boost_converter(), boost_converter_dcm()};
  for (ModeProblem& p : closed_mode_problems()) all.push_back(std::move(p));
  return all;
}

}  // namespace saltus::problems
