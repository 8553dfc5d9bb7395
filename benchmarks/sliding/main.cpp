// Usage: saltus_bench_sliding [item]...   (all items without arguments)
#include "sliding/sliding.hpp"
#include "support/items.hpp"

int main(int argc, char** argv) {
  using namespace saltus::bench;
  return show_items(argc, argv,
                    {show_sliding_sequences, show_sliding_work, show_no_chattering,
                     show_random_relays, show_sliding_order, nullptr, show_hysteresis_limit});
}
