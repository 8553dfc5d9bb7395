// Item 5: redundant and contradicting equations, singular points.
#include "index/index.hpp"
#include "support/measure.hpp"

namespace saltus::bench {

bool show_redundancy(int number) {
  Item item(number);
  item.holds("not measured yet", false);
  return item.print();
}

}  // namespace saltus::bench
