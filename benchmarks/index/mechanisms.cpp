// Item 3: high-index mechanics over a range of tolerances.
#include "index/index.hpp"
#include "support/measure.hpp"

namespace saltus::bench {

bool show_mechanisms(int number) {
  Item item(number);
  item.holds("not measured yet", false);
  return item.print();
}

}  // namespace saltus::bench
