// What the ground floor must show, item by item. Each function measures and prints its line.
#pragma once

#include <string>

namespace saltus::bench {

bool show_speed(int item);              // 1: against hand-written code
bool show_size(int item);               // 2: 100,000 equations ready in time and memory
bool show_derivative_shapes(int item);  // 3: adversarial derivative shapes
bool show_correctness(int item);        // 4: random expressions, with planted errors
bool show_threads(int item);            // 5: one model, eight threads
bool show_lock_flip(int item);          // 6: one lock of a thousand

/// What item 2 measures in a process of its own: "scalar" or "family".
void prepare(const std::string& what);

/// Grows and shrinks with an environment variable; the default is what the issue asks for.
long cases_from_environment(long full);

}  // namespace saltus::bench
