// Item 6: a chain of pendulums, analysed and integrated with sparse matrices.
#include "index/index.hpp"
#include "support/measure.hpp"

namespace saltus::bench {

bool show_large(int number) {
  Item item(number);
  item.holds("not measured yet", false);
  return item.print();
}

}  // namespace saltus::bench
