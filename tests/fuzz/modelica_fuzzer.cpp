// Any bytes as a model: a model or messages come back, whatever they are.
#include "fuzz/read_any.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const saltus::ReadModel read = saltus::test::read_any(text);
  if (!read.ok() && to_text(read.diagnostics).empty()) __builtin_trap();  // a refusal says why
  return 0;
}
