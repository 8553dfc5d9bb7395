#pragma once

// What equations say before any number is known.

#include <saltus/structure/analysis.hpp>      // of a model, by name
#include <saltus/structure/blocks.hpp>        // matchings, over- and underdetermined parts, blocks
#include <saltus/structure/sigma_method.hpp>  // how often to differentiate what
#include <saltus/structure/system_jacobian.hpp>  // where numbers confirm it
