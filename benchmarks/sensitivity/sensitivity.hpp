// What derivatives of solutions must show, item by item. Each function measures and prints its line.
#pragma once

namespace saltus::bench {

bool show_sensitive_references(int item);  // 1: before and after events, at the end, of event times
bool show_sensitive_differences(int item);  // 2: beside differences of runs with the same events
bool show_sensitive_surfaces(int item);     // 3: into, along and out of surfaces
bool show_grazing(int item);                // 4: refused where a surface is touched, right beside
bool show_fit(int item);                    // 5: friction from noisy data, through stick and slip
bool show_switching_times(int item);        // 6: optimal switching, held against its conditions
bool show_cost(int item);                   // 7: in plain runs of a stiff model

}  // namespace saltus::bench
