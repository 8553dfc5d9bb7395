#pragma once

// Several contacts at once: which open, stick and slip, with which forces or impulses.

#include <saltus/contact/problem.hpp>  // laws of contacts, response to forces
#include <saltus/contact/solve.hpp>    // forces and accelerations, impulses and velocities
