// Usage: saltus_bench_ensembles [item]...   (all items without arguments)
//        saltus_bench_ensembles constants    what scale_table.py computes from
#include <cstdlib>
#include <string_view>

#include "ensembles/ensembles.hpp"

int main(int argc, char** argv) {
  using namespace saltus::bench;
  if (argc == 2 && std::string_view(argv[1]) == "constants") {
    print_constants();
    return 0;
  }
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
