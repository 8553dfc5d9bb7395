// What models that slide must show, item by item. Each function measures and prints its line.
#pragma once

namespace saltus::bench {

bool show_sliding_sequences(int item);  // 1: complete sequences, at the right times
bool show_sliding_work(int item);       // 2: error against evaluations, beside others and an oracle
bool show_no_chattering(int item);      // 3: no event more, and none too close
bool show_random_relays(int item);      // 4: random relay systems beside closed solutions
bool show_sliding_order(int item);  // 5: order through entry and exit; constraints while it slides
bool show_hysteresis_limit(int item);  // 7: a hysteresis tends to sliding

// 6 are examples, and 7 has tests named after users' complaints besides: tools/topics/sliding runs them.

}  // namespace saltus::bench
