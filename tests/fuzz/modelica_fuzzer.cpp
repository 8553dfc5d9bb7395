// Any bytes as a model: a model or messages come back, whatever they are.
#include "fuzz/input.hpp"
#include "fuzz/read_any.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  saltus::fuzz::plant_overrun(data, size);
  const saltus::ReadModel read = saltus::test::read_any(saltus::fuzz::text_of(data, size));
  if (!read.ok() && to_text(read.diagnostics).empty()) __builtin_trap();  // a refusal says why
  return 0;
}
