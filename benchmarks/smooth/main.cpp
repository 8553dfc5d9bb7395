// Usage: saltus_bench_smooth [item]...   (all items without arguments)
#include "smooth.hpp"
#include "support/items.hpp"

int main(int argc, char** argv) {
  using namespace saltus::bench;
  return show_items(argc, argv,
                    {show_orders, show_accuracy, show_scaling, show_engine_tax, show_own_system,
                     show_refusals, show_round_trips});
}
