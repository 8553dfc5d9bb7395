#pragma once

// From a model to its solution.

#include <saltus/simulate/simulate.hpp>  // one call
