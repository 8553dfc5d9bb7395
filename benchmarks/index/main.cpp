// Usage: saltus_bench_index [item]...   (all items without arguments)
#include <cstdlib>

#include "index/index.hpp"

int main(int argc, char** argv) {
  using namespace saltus::bench;
  bool (*const items[])(int) = {show_characteristic_values,
                                show_random_daes,
                                show_mechanisms,
                                show_index_five,
                                show_redundancy,
                                show_large,
                                show_energy,
                                show_starts};
  constexpr int n_items = sizeof items / sizeof items[0];
  bool ok = true;
  for (int number = 1; number <= n_items; ++number) {
    bool wanted = argc == 1;
    for (int i = 1; i < argc; ++i) wanted = wanted || std::atoi(argv[i]) == number;
    if (wanted) ok = items[number - 1](number) && ok;
  }
  return ok ? 0 : 1;
}
