// How fuzzed texts are read: by the fuzzer, and by the test that reads again what it found.
#pragma once

#include <saltus/modelica.hpp>

namespace saltus::test {

/// With a small limit of what a text may become, so that one text takes milliseconds.
inline ReadModel read_any(std::string_view text) {
  ReadOptions options;
  options.max_elements = 2000;
  return read_modelica(text, "fuzzed.mo", options);
}

}  // namespace saltus::test
