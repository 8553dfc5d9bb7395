// Item 5: each event once, whatever the order of declaration.
#include "events/events.hpp"
#include "support/measure.hpp"

namespace saltus::bench {

bool show_sticking(int number) {
  Item item(number);
  item.holds("not measured yet", false);
  return item.print();
}

}  // namespace saltus::bench
