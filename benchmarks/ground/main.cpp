// Usage: saltus_bench_ground [item]...   (all items without arguments)
#include <cstdlib>
#include <cstring>

#include "ground.hpp"

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
  bool (*const items[])(int) = {show_speed,       show_size,    show_derivative_shapes,
                                show_correctness, show_threads, show_lock_flip};
  constexpr int n_items = sizeof items / sizeof items[0];
  bool ok = true;
  for (int number = 1; number <= n_items; ++number) {
    bool wanted = argc == 1;
    for (int i = 1; i < argc; ++i) wanted = wanted || std::atoi(argv[i]) == number;
    if (wanted) ok = items[number - 1](number) && ok;
  }
  return ok ? 0 : 1;
}
