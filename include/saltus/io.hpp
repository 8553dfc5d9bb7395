#pragma once

// Results as files.

#include <saltus/io/csv.hpp>   // rows of a trajectory
#include <saltus/io/json.hpp>  // trajectory and report
