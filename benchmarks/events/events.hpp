// What models that switch must show, item by item. Each function measures and prints its line.
#pragma once

namespace saltus::bench {

bool show_detection(int item);   // 1: adversarial switching functions along one step
bool show_sequences(int item);   // 2: complete sequences of events, at the right times
bool show_order(int item);       // 4: order of convergence through events
bool show_sticking(int item);    // 5: each event once, whatever the order of declaration
bool show_event_work(int item);  // 6: work beside an oracle that knows all events
bool show_one_sided(int item);   // 7: equations that are undefined beyond their surfaces
bool show_long_run(int item);    // 8: a million events, no growth of memory

// 3 are tests named after users' complaints: tools/topics/events runs them.

}  // namespace saltus::bench
