#pragma once

// Derivatives of runs through their events.

#include <saltus/sensitivity/forward.hpp>  // for start values and parameters, during a run
