// Item 8: starts from bad guesses, and impulses.
#include "index/index.hpp"
#include "support/measure.hpp"

namespace saltus::bench {

bool show_starts(int number) {
  Item item(number);
  item.holds("not measured yet", false);
  return item.print();
}

}  // namespace saltus::bench
