#pragma once

// Fitting of parameters to measurements.

#include <saltus/fit/fit.hpp>      // minimises the sum of squared residuals
#include <saltus/fit/problem.hpp>  // residuals of a model against data, for any optimiser
