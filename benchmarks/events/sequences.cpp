// Item 2: complete sequences of events, at the right times.
#include "events/events.hpp"
#include "support/measure.hpp"

namespace saltus::bench {

bool show_sequences(int number) {
  Item item(number);
  item.holds("not measured yet", false);
  return item.print();
}

}  // namespace saltus::bench
