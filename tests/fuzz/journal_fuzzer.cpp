// Any bytes as a segment of a sweep's journal: good records come back, the rest is counted as lost.
#include <saltus/ensemble/journal.hpp>

#include "fuzz/input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const saltus::fuzz::InputFile file(".segment");
  saltus::fuzz::plant_overrun(data, size);
  std::uint64_t n = 0;
  double sum = 0.0;
  const auto report =
      saltus::scan_segment(file.write(data, size), 1, [&](const saltus::JournalRecord& record) {
        ++n;
        for (const double v : record.values) sum += v;
        sum += static_cast<double>(record.reason.size());
      });
  if (report.n_records != n) __builtin_trap();
  if (report.n_bytes_lost > 0 && report.problem.empty()) __builtin_trap();  // a loss is told
  return 0;
}
