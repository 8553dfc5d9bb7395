#pragma once

// Models become systems.

#include <saltus/lower/compile_model.hpp>  // a source of configurations
