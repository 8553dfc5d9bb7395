// Item 4: random relay systems beside their exact solutions.
#include <cstdlib>

#include "problems/relay_systems_study.hpp"
#include "sliding/sliding.hpp"
#include "support/measure.hpp"

namespace saltus::bench {

bool show_random_relays(int number) {
  const char* const given = std::getenv("SALTUS_SLIDING_CASES");
  const std::uint64_t n_cases = given != nullptr ? std::strtoull(given, nullptr, 10) : 10000;
  constexpr std::uint64_t seed = 20260301;
  Item item(number);
  const problems::RelayStudy study = problems::study_relay_systems(seed, n_cases);
  const auto text = [](std::uint64_t n) { return std::to_string(n); };
  std::printf("%.6000s", study.complaints_of_wrong.c_str());
  for (const auto& [reason, count] : study.reasons) {
    std::printf("   refused %llu times: %.160s\n", static_cast<unsigned long long>(count),
                reason.c_str());
  }
  item.holds(text(study.n_right) + " of " + text(study.total()) + " right, " + text(study.n_wrong) +
                 " wrong (seeds from " + text(seed) + ")",
             study.n_wrong == 0 && study.n_right > 0);
  item.at_most("refused",
               100.0 * static_cast<double>(study.n_refused) /
                   static_cast<double>(std::max<std::uint64_t>(study.total(), 1)),
               3.0, "%");
  item.at_most(text(study.n_events[0]) + " crossings, " + text(study.n_events[1]) +
                   " entries and " + text(study.n_events[2]) + " exits, " +
                   text(study.n_codimension_two) +
                   " of them to two surfaces, largest error over what the tolerance allows",
               study.worst, 1.0);
  item.at_most("g negated: " + text(study.n_same_bits) + " of " + text(study.n_flips) +
                   " the same bit by bit, largest change over what the tolerance allows",
               study.flip_change, 1.0);
  return item.print();
}

}  // namespace saltus::bench
