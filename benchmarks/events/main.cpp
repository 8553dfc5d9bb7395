// Usage: saltus_bench_events [item]...   (all items without arguments)
#include "events/events.hpp"
#include "support/items.hpp"

int main(int argc, char** argv) {
  using namespace saltus::bench;
  return show_items(argc, argv,
                    {show_detection, show_sequences, nullptr, show_order, show_sticking,
                     show_event_work, show_one_sided, show_long_run});
}
