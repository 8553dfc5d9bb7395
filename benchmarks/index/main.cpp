// Usage: saltus_bench_index [item]...   (all items without arguments)
#include "index/index.hpp"
#include "support/items.hpp"

int main(int argc, char** argv) {
  using namespace saltus::bench;
  return show_items(argc, argv,
                    {show_characteristic_values, show_random_daes, show_mechanisms, show_index_five,
                     show_redundancy, show_large, show_energy, show_starts});
}
