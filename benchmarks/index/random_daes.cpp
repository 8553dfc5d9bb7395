// Item 2: random models of known characteristic values.
#include "index/index.hpp"
#include "support/measure.hpp"

namespace saltus::bench {

bool show_random_daes(int number) {
  Item item(number);
  item.holds("not measured yet", false);
  return item.print();
}

}  // namespace saltus::bench
