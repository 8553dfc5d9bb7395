// Usage: saltus_bench_sensitivity [item]...   (all items without arguments)
#include "sensitivity/sensitivity.hpp"
#include "support/items.hpp"

int main(int argc, char** argv) {
  using namespace saltus::bench;
  return show_items(argc, argv,
                    {show_sensitive_references, show_sensitive_differences, show_sensitive_surfaces,
                     show_grazing, show_fit, show_switching_times, show_cost});
}
