// All named problems that switch.
#pragma once

#include "problems/bouncing_ball.hpp"
#include "problems/bouncing_balls.hpp"
#include "problems/carver_circuit.hpp"
#include "problems/derivative_guard.hpp"
#include "problems/dsl48se_small_hybrid.hpp"
#include "problems/marble_jar.hpp"
#include "problems/moving_surface.hpp"
#include "problems/pounding.hpp"
#include "problems/switched_problem.hpp"
#include "problems/thermostat.hpp"

namespace saltus::problems {

/// Small ones that are not chaotic.
inline std::vector<SwitchedProblem> switched_problems() {
  return {pounding(),   bouncing_ball(),    carver_circuit(), small_hybrid(),
          thermostat(), derivative_guard(), moving_surface()};
}

}  // namespace saltus::problems
