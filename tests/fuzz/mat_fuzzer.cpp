// Any bytes as a MAT file: a result or a refusal that says why comes back.
#include <saltus/core/error.hpp>
#include <saltus/io/result_file.hpp>

#include "fuzz/input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  saltus::fuzz::plant_overrun(data, size);
  try {
    saltus::read_mat(saltus::fuzz::text_of(data, size), "fuzzed.mat");
  } catch (const saltus::Error& error) {
    if (std::string_view(error.what()).empty()) __builtin_trap();
  }
  return 0;
}
