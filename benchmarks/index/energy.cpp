// Item 7: energy beside published tables.
#include "index/index.hpp"
#include "support/measure.hpp"

namespace saltus::bench {

bool show_energy(int number) {
  Item item(number);
  item.holds("not measured yet", false);
  return item.print();
}

}  // namespace saltus::bench
