// What models of any index must show, item by item. Each function measures and prints its line.
#pragma once

namespace saltus::bench {

bool show_characteristic_values(int item);  // 1: known models
bool show_random_daes(int item);            // 2: random models of known values; unscaled ranks fail
bool show_mechanisms(int item);             // 3: high-index mechanics over a range of tolerances
bool show_index_five(int item);             // 4: a linear DAE of differentiation index 5
bool show_redundancy(int item);  // 5: redundant and contradicting equations, singular points
bool show_large(int item);       // 6: a chain of 1,000 pendulums
bool show_energy(int item);      // 7: energy beside published tables
bool show_starts(int item);      // 8: starts from bad guesses, impulses

}  // namespace saltus::bench
