#pragma once

// Derivatives of runs through their events.

#include <saltus/sensitivity/forward.hpp>  // with respect to start values, while a run goes on
