// What derivatives of solutions are used for, item by item. Each function measures and prints its line.
#pragma once

namespace saltus::bench {

bool show_fit(int item);              // 5: friction from noisy data, through stick and slip
bool show_switching_times(int item);  // 6: optimal switching, held against its conditions

}  // namespace saltus::bench
