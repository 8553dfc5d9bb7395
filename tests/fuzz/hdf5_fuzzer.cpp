// Any bytes as an HDF5 file: a result or a refusal that says why comes back.
#include <saltus/core/error.hpp>
#include <saltus/io/result_file.hpp>

#include "fuzz/input.hpp"

// libhdf5 loses memory of its own where it gives up a broken file.
extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5"; }

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const saltus::fuzz::InputFile file(".h5");
  saltus::fuzz::plant_overrun(data, size);
  try {
    saltus::load_result(file.write(data, size).string());
  } catch (const saltus::Error& error) {
    if (std::string_view(error.what()).empty()) __builtin_trap();
  }
  return 0;
}
