// Any bytes as a table: numbers or a refusal that says why come back.
#include <saltus/core/error.hpp>
#include <saltus/io/csv.hpp>
#include <saltus/io/result_file.hpp>
#include <saltus/model/signal.hpp>

#include "fuzz/input.hpp"

namespace {

template <typename Read>
void read(const Read& read) {
  try {
    read();
  } catch (const saltus::Error& error) {
    if (std::string_view(error.what()).empty()) __builtin_trap();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace saltus;
  fuzz::plant_overrun(data, size);
  const std::string text(fuzz::text_of(data, size));
  read([&] { read_csv(text, "fuzzed.csv"); });
  read([&] { read_numbers_csv(text, "fuzzed.csv"); });
  for (const Interpolation kind :
       {Interpolation::step, Interpolation::linear, Interpolation::spline})
    read([&] { table_from_csv(text, "time", "x", kind); });
  return 0;
}
