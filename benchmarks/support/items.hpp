// The main function of a benchmark: runs the items that its arguments name, all without arguments.
#pragma once

#include <cstdlib>
#include <initializer_list>

namespace saltus::bench {

/// Measures an item, prints its line `N: figure (bound) ok|short`, and returns whether it is ok.
using ShowItem = bool (*)(int number);

/// items[k] is item k + 1; an item without a function is measured elsewhere. Returns the exit status.
inline int show_items(int argc, char** argv, std::initializer_list<ShowItem> items) {
  bool ok = true;
  int number = 0;
  for (const ShowItem show : items) {
    ++number;
    if (show == nullptr) continue;
    bool wanted = argc == 1;
    for (int i = 1; i < argc; ++i) wanted = wanted || std::atoi(argv[i]) == number;
    if (wanted) ok = show(number) && ok;
  }
  return ok ? 0 : 1;
}

}  // namespace saltus::bench
