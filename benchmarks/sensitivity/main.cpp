// Usage: saltus_bench_sensitivity [item]...   (all items without arguments)
#include <cstdlib>

#include "sensitivity/sensitivity.hpp"

int main(int argc, char** argv) {
  using namespace saltus::bench;
  const struct {
    int number;
    bool (*show)(int);
  } items[] = {{1, show_sensitive_references},
               {2, show_sensitive_differences},
               {3, show_sensitive_surfaces},
               {4, show_grazing},
               {5, show_fit},
               {6, show_switching_times},
               {7, show_cost}};
  bool ok = true;
  for (const auto& item : items) {
    bool wanted = argc == 1;
    for (int i = 1; i < argc; ++i) wanted = wanted || std::atoi(argv[i]) == item.number;
    if (wanted) ok = item.show(item.number) && ok;
  }
  return ok ? 0 : 1;
}
