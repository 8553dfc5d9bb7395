// Usage: saltus_bench_modes [item]...   (all items without arguments)
#include "modes/modes.hpp"
#include "support/items.hpp"

int main(int argc, char** argv) {
  using namespace saltus::bench;
  return show_items(argc, argv,
                    {show_converters, show_closed_forms, show_class_changes, show_random_modes,
                     nullptr, show_mode_work, show_many_modes});
}
