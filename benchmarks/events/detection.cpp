// Item 1: adversarial switching functions along one step.
#include "events/events.hpp"
#include "support/measure.hpp"

namespace saltus::bench {

bool show_detection(int number) {
  Item item(number);
  item.holds("not measured yet", false);
  return item.print();
}

}  // namespace saltus::bench
