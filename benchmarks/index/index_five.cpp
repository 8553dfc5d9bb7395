// Item 4: a linear DAE of differentiation index 5.
#include "index/index.hpp"
#include "support/measure.hpp"

namespace saltus::bench {

bool show_index_five(int number) {
  Item item(number);
  item.holds("not measured yet", false);
  return item.print();
}

}  // namespace saltus::bench
