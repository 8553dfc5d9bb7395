#pragma once

// Compilation of models into systems.

#include <saltus/lower/compile_model.hpp>  // configurations of a model
