// Item 1: characteristic values of known models.
#include "index/index.hpp"
#include "support/measure.hpp"

namespace saltus::bench {

bool show_characteristic_values(int number) {
  Item item(number);
  item.holds("not measured yet", false);
  return item.print();
}

}  // namespace saltus::bench
