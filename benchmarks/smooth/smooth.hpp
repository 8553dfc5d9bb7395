// What smooth models must show, item by item. Each function measures and prints its line.
#pragma once

namespace saltus::bench {

bool show_orders(int item);       // 1: observed orders of engines and their dense output
bool show_accuracy(int item);     // 2: reference problems over a range of tolerances
bool show_scaling(int item);      // 3: a reaction-diffusion DAE from 1,000 to 100,000 equations
bool show_engine_tax(int item);   // 4: against hand-driven IDA and ARKODE
bool show_own_system(int item);   // 5: a hand-written system on all engines, and its contract
bool show_refusals(int item);     // 6: wrong models, failures, non-negativity
bool show_round_trips(int item);  // 7: forward and backward, split and whole

}  // namespace saltus::bench
