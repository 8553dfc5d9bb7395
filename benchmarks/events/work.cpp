// Item 6: work beside an oracle that knows all events.
#include "events/events.hpp"
#include "support/measure.hpp"

namespace saltus::bench {

bool show_event_work(int number) {
  Item item(number);
  item.holds("not measured yet", false);
  return item.print();
}

}  // namespace saltus::bench
