// Engine dopri5 against ARKODE's Dormand-Prince pair.
#pragma once

#include "support/measure.hpp"

namespace saltus::bench {

/// Evaluations and time at equal error, on a satellite orbit and on a chain of 100 unknowns.
void compare_with_arkode(Item& item);

}  // namespace saltus::bench
