// Item 4: random switched linear DAEs beside their exact solutions.
#include <cstdlib>

#include "modes/modes.hpp"
#include "problems/pencil_study.hpp"
#include "support/measure.hpp"

namespace saltus::bench {

bool show_random_modes(int number) {
  const char* const given = std::getenv("SALTUS_MODES_CASES");
  const std::uint64_t n_cases = given != nullptr ? std::strtoull(given, nullptr, 10) : 10000;
  constexpr std::uint64_t seed = 20260101;
  constexpr double allowed = 1e-6, tolerance = 1e-9;
  Item item(number);
  const problems::PencilStudy study =
      problems::study_switched_pencils(seed, n_cases, EngineKind::radau, tolerance, allowed);
  std::printf("%.4000s", study.complaints.c_str());
  for (const auto& [reason, count] : study.reasons) {
    std::printf("   refused %llu times: %s\n", static_cast<unsigned long long>(count),
                reason.c_str());
  }
  item.holds(std::to_string(study.n_right) + " of " + std::to_string(study.total()) + " right, " +
                 std::to_string(study.n_wrong) + " wrong (seeds from " + std::to_string(seed) + ")",
             study.n_wrong == 0 && study.n_right > 0);
  item.at_most("refused",
               100.0 * static_cast<double>(study.n_refused) /
                   static_cast<double>(std::max<std::uint64_t>(study.total(), 1)),
               3.0, "%");
  item.at_most(std::to_string(study.n_jumps) + " jumps and " + std::to_string(study.n_impulses) +
                   " impulses up to order " + std::to_string(study.highest_order) +
                   ", largest error",
               study.worst, allowed);
  item.holds(std::to_string(study.reasons.size()) + " reasons of refusals", true);
  return item.print();
}

}  // namespace saltus::bench
