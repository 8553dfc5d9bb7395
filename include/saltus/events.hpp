#pragma once

// Event detection along one accepted step.

#include <saltus/events/departure.hpp>  // locates where switching functions leave their side
