#pragma once

// What happens on a switching surface: cross it, stay on it, leave it.

#include <saltus/slide/decide.hpp>          // which sides or surfaces a solution goes on with
#include <saltus/slide/sliding_system.hpp>  // motion on surfaces as a system
#include <saltus/slide/surface.hpp>         // surfaces, their sides, normal velocities
