// Usage: saltus_bench_ground [item]...   (all items without arguments)
#include <cstdlib>
#include <cstring>

#include "ground.hpp"
#include "support/items.hpp"

namespace saltus::bench {

long cases_from_environment(long full) {
  const char* text = std::getenv("SALTUS_PROPERTY_CASES");
  return text != nullptr ? std::atol(text) : full;
}

}  // namespace saltus::bench

int main(int argc, char** argv) {
  using namespace saltus::bench;
  if (argc == 3 && std::strcmp(argv[1], "--prepare") == 0) {
    prepare(argv[2]);
    return 0;
  }
  return show_items(argc, argv,
                    {show_speed, show_size, show_derivative_shapes, show_correctness, show_threads,
                     show_lock_flip});
}
