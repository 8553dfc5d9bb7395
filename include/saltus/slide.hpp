#pragma once

// Switching surfaces: crossing them, staying on them, leaving them.

#include <saltus/slide/decide.hpp>          // decides how a solution continues
#include <saltus/slide/sliding_system.hpp>  // motion on surfaces as a system
#include <saltus/slide/surface.hpp>         // surfaces, their sides, normal velocities
