// Item 4: order of convergence through events.
#include "events/events.hpp"
#include "support/measure.hpp"

namespace saltus::bench {

bool show_order(int number) {
  Item item(number);
  item.holds("not measured yet", false);
  return item.print();
}

}  // namespace saltus::bench
