#pragma once

// Structural analysis: equations without numbers.

#include <saltus/structure/analysis.hpp>         // analysis of a model, by name
#include <saltus/structure/blocks.hpp>           // matchings, over- and underdetermined parts
#include <saltus/structure/sigma_method.hpp>     // how often to differentiate each equation
#include <saltus/structure/system_jacobian.hpp>  // numerical check of the structural result
