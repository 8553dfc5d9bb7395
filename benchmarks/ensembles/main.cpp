// Usage: saltus_bench_ensembles [item]...   (all items without arguments)
//        saltus_bench_ensembles constants    what scale_table.py computes from
#include <string_view>

#include "ensembles/ensembles.hpp"
#include "support/items.hpp"

int main(int argc, char** argv) {
  using namespace saltus::bench;
  if (argc == 2 && std::string_view(argv[1]) == "constants") {
    print_constants();
    return 0;
  }
  return show_items(
      argc, argv,
      {show_sweep_overhead, nullptr, nullptr, nullptr, show_spread_of_run_times, show_scale});
}
