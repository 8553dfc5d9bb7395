// Item 2: random hybrid DAEs on three engines at two tolerances.
#include <cstdio>
#include <map>
#include <string>

#include "problems/random_hybrid_study.hpp"
#include "support/measure.hpp"
#include "trust/trust.hpp"
#include "trust/workers.hpp"

namespace saltus::bench {

bool show_random_hybrids(int number) {
  using problems::HybridVerdict;
  const std::uint64_t n = size_of("SALTUS_HYBRIDS", 5000);
  const std::uint64_t seed = size_of("SALTUS_HYBRID_SEED", 20270000);
  constexpr unsigned seconds_each =
      300;  // eleven runs of at most 10 s, and the search for a smaller model
  const Pieces pieces = run_pieces(seed, n, seconds_each, [](std::uint64_t which) {
    const problems::HybridCase result = problems::study_hybrid(which);
    constexpr std::size_t a_line = 160;
    return static_cast<char>('0' + static_cast<int>(result.verdict)) + result.complaint +
           result.marked_by.substr(0, a_line);
  });
  std::map<HybridVerdict, std::uint64_t> counts;
  for (const auto& [which, said] : pieces.said) {
    ++counts[static_cast<HybridVerdict>(said.front() - '0')];
    if (said.size() > 1) std::printf("   %s\n", said.c_str() + 1);
  }
  for (const auto& [which, how] : pieces.died)
    std::printf("   seed %llu: %s\n", static_cast<unsigned long long>(which), how.c_str());
  const auto share = [&](HybridVerdict verdict) {
    return 100.0 * static_cast<double>(counts[verdict]) / static_cast<double>(n);
  };
  Item item(number);
  item.holds(std::to_string(counts[HybridVerdict::agrees]) + " of " + std::to_string(n) +
                 " agree (seeds from " + std::to_string(seed) + ")",
             2 * counts[HybridVerdict::agrees] > n);
  item.at_most("crashes", static_cast<double>(pieces.died.size()), 0);
  item.at_most("hangs", static_cast<double>(counts[HybridVerdict::hangs]), 0);
  item.at_most(
      "unmarked disagreements per 5,000",
      5000.0 * static_cast<double>(counts[HybridVerdict::disagrees]) / static_cast<double>(n), 1);
  item.at_most("marked", share(HybridVerdict::marked) + share(HybridVerdict::ends), 5, "%");
  item.note("of them ended early " + std::to_string(share(HybridVerdict::ends)) + " %");
  item.note("refused " + std::to_string(share(HybridVerdict::refused)) + " %");
  item.note("too sensitive to compare " + std::to_string(share(HybridVerdict::sensitive)) + " %");
  item.leaves_out("defects of an old commit, which tools/old_defects.py finds again");
  return item.print();
}

}  // namespace saltus::bench
