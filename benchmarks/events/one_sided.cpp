// Item 7: equations that are undefined beyond their surfaces.
#include "events/events.hpp"
#include "support/measure.hpp"

namespace saltus::bench {

bool show_one_sided(int number) {
  Item item(number);
  item.holds("not measured yet", false);
  return item.print();
}

}  // namespace saltus::bench
