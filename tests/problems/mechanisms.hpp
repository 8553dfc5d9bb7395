// All named mechanisms.
#pragma once

#include "problems/andrews_squeezer.hpp"
#include "problems/car_axis.hpp"
#include "problems/compound_pendulum.hpp"
#include "problems/pendulum.hpp"
#include "problems/rolling_spheres.hpp"

namespace saltus::problems {

inline std::vector<Mechanism> mechanisms() {
  return {pendulum(), car_axis(), andrews_squeezer(), compound_pendulum(), rolling_spheres()};
}

/// A mechanism run to the end of its reference.
inline Solution run_mechanism(const Mechanism& mechanism, RunOptions options) {
  Model model(mechanism.name);
  mechanism.write(model);
  options.t_end = mechanism.t_end;
  return simulate(model, options);
}

}  // namespace saltus::problems
