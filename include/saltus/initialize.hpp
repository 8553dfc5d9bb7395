#pragma once

// Consistent starts and restarts.

#include <saltus/initialize/consistent.hpp>     // index 1: derivatives and algebraic unknowns
#include <saltus/initialize/initial_start.hpp>  // starts with initial equations
#include <saltus/initialize/regularity.hpp>     // detects the loss of index 1
#include <saltus/initialize/restart.hpp>        // any index: policies, jumps, impulses
