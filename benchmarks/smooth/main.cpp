// Usage: saltus_bench_smooth [item]...   (all items without arguments)
#include <cstdlib>

#include "smooth.hpp"

int main(int argc, char** argv) {
  using namespace saltus::bench;
  bool (*const items[])(int) = {show_orders,     show_accuracy, show_scaling,    show_engine_tax,
                                show_own_system, show_refusals, show_round_trips};
  constexpr int n_items = sizeof items / sizeof items[0];
  bool ok = true;
  for (int number = 1; number <= n_items; ++number) {
    bool wanted = argc == 1;
    for (int i = 1; i < argc; ++i) wanted = wanted || std::atoi(argv[i]) == number;
    if (wanted) ok = items[number - 1](number) && ok;
  }
  return ok ? 0 : 1;
}
