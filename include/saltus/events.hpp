#pragma once

// Events along one accepted step.

#include <saltus/events/departure.hpp>  // where switching functions leave their side
