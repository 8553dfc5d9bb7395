// Item 8: a million events in one run.
#include "events/events.hpp"
#include "support/measure.hpp"

namespace saltus::bench {

bool show_long_run(int number) {
  Item item(number);
  item.holds("not measured yet", false);
  return item.print();
}

}  // namespace saltus::bench
