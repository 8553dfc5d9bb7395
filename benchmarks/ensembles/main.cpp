// Usage: saltus_bench_ensembles [item]...   (all items without arguments)
#include <cstdlib>

#include "ensembles/ensembles.hpp"

int main(int argc, char** argv) {
  using namespace saltus::bench;
  const struct {
    int number;
    bool (*show)(int);
  } items[] = {{1, show_sweep_overhead}, {5, show_spread_of_run_times}, {6, show_scale}};
  bool ok = true;
  for (const auto& item : items) {
    bool wanted = argc == 1;
    for (int i = 1; i < argc; ++i) wanted = wanted || std::atoi(argv[i]) == item.number;
    if (wanted) ok = item.show(item.number) && ok;
  }
  return ok ? 0 : 1;
}
