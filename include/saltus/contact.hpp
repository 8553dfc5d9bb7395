#pragma once

// Contact problems: which of several contacts open, stick and slip, and their forces or impulses.

#include <saltus/contact/problem.hpp>  // laws of contacts, response to forces
#include <saltus/contact/solve.hpp>    // forces and accelerations, impulses and velocities
