#pragma once

// Parameters from measurements.

#include <saltus/fit/fit.hpp>      // the parameters for which residuals are smallest
#include <saltus/fit/problem.hpp>  // residuals of a model beside data, for any optimiser
