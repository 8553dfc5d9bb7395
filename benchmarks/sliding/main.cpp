// Usage: saltus_bench_sliding [item]...   (all items without arguments)
#include <cstdlib>

#include "sliding/sliding.hpp"

int main(int argc, char** argv) {
  using namespace saltus::bench;
  bool (*const items[])(int) = {show_sliding_sequences, show_sliding_work,  show_no_chattering,
                                show_random_relays,     show_sliding_order, nullptr,
                                show_hysteresis_limit};
  constexpr int n_items = sizeof items / sizeof items[0];
  bool ok = true;
  for (int number = 1; number <= n_items; ++number) {
    if (items[number - 1] == nullptr) continue;
    bool wanted = argc == 1;
    for (int i = 1; i < argc; ++i) wanted = wanted || std::atoi(argv[i]) == number;
    if (wanted) ok = items[number - 1](number) && ok;
  }
  return ok ? 0 : 1;
}
