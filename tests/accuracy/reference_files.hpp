// Just enough of JSON to read the numbers of tests/reference: quoted numbers in arrays.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace saltus::test {

inline std::string reference_text(const std::string& file) {
  std::ifstream in(std::filesystem::path(SALTUS_REFERENCE_DIR) / file);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The quoted numbers of every array that follows the key, array after array.
inline std::vector<std::vector<double>> arrays_of_numbers(const std::string& text,
                                                          const std::string& key) {
  std::vector<std::vector<double>> all;
  std::string quoted = key;
  quoted.insert(quoted.begin(), '"');
  quoted.push_back('"');
  for (std::size_t at = text.find(quoted); at != std::string::npos;
       at = text.find(quoted, at + 1)) {
    std::size_t p = text.find('[', at);
    const std::size_t end = text.find(']', p);
    std::vector<double> numbers;
    while (end != std::string::npos && (p = text.find('"', p + 1)) < end) {
      numbers.push_back(std::strtod(text.c_str() + p + 1, nullptr));
      p = text.find('"', p + 1);
    }
    all.push_back(numbers);
  }
  return all;
}

}  // namespace saltus::test
