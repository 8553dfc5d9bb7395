// Usage: saltus_bench_trust [item]...   (all items without arguments)
#include "support/items.hpp"
#include "trust/trust.hpp"

int main(int argc, char** argv) {
  using namespace saltus::bench;
  return show_items(argc, argv,
                    {nullptr, show_random_hybrids, show_solved_thresholds, show_clock_pairs,
                     nullptr, show_seen_constraints, show_surface_starts, show_restarts_of_ida});
}
