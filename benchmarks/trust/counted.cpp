// Items 3, 4 and 7: things that happen exactly once.
#include <cstdio>
#include <random>
#include <string>

#include "problems/clock_pairs.hpp"
#include "problems/solved_thresholds.hpp"
#include "problems/surface_starts.hpp"
#include "support/measure.hpp"
#include "trust/trust.hpp"
#include "trust/workers.hpp"

namespace saltus::bench {

namespace {

/// Prints what pieces complain of, the first ones of them, and returns how many do.
double complaints_of(const Pieces& pieces) {
  constexpr int most_shown = 20;
  int n = 0;
  const auto complain = [&](std::uint64_t which, const std::string& text) {
    if (text.empty()) return;
    if (++n <= most_shown)
      std::printf("   %llu: %s\n", static_cast<unsigned long long>(which), text.c_str());
  };
  for (const auto& [which, text] : pieces.said) complain(which, text);
  for (const auto& [which, text] : pieces.died) complain(which, text);
  return n;
}

constexpr std::uint64_t counted_seed = 20270000;
constexpr unsigned seconds_of_a_piece = 120;
constexpr std::uint64_t n_ticks = 10000;  // of the faster clock of a pair

/// Random cases, so many in each piece of work: one(random, number) says what is wrong with one. Returns in how many
/// pieces something is.
template <class One>
double wrong_pieces(std::uint64_t n_pieces, std::uint64_t per_piece, const One& one) {
  return complaints_of(run_pieces(0, n_pieces, seconds_of_a_piece, [&](std::uint64_t which) {
    std::mt19937_64 random(counted_seed + which);
    std::string wrong;
    for (std::uint64_t k = 0; k < per_piece; ++k) wrong += one(random, k);
    return wrong;
  }));
}

}  // namespace

bool show_solved_thresholds(int number) {
  constexpr std::uint64_t per_piece = 25;
  const std::uint64_t n_pieces = size_of("SALTUS_THRESHOLDS", 10000) / per_piece;
  const auto one = [](std::mt19937_64& random, std::uint64_t k) {
    std::string wrong;
    const auto threshold = problems::random_threshold(problems::all_solved_for[k % 4], random);
    for (const EngineKind engine : {EngineKind::radau, EngineKind::ida}) {
      for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
        const auto count = problems::passes_of(threshold, engine, tolerance);
        if (count && *count == 1.0) continue;
        wrong += "level " + to_text(threshold.level) + " of kind " + std::to_string(k % 4) +
                 " on " + std::string(name(engine)) + " at " + to_text(tolerance) + ": " +
                 (count ? to_text(*count) + " times" : count.failure().message) + "; ";
      }
    }
    return wrong;
  };
  Item item(number);
  item.at_most(std::to_string(per_piece * n_pieces) +
                   " thresholds, each on radau and ida at 1e-4 ... 1e-10: pieces of 25 in which "
                   "one was not passed exactly once",
               wrong_pieces(n_pieces, per_piece, one), 0);
  return item.print();
}

bool show_clock_pairs(int number) {
  const std::uint64_t n = size_of("SALTUS_CLOCK_PAIRS", 1000);
  const auto piece = [](std::uint64_t which) -> std::string {
    std::mt19937_64 random(counted_seed + which);
    const problems::ClockPair pair = problems::random_clocks(random);
    const problems::ClockTicks expected = problems::expected_ticks(pair, n_ticks);
    const auto ticks = problems::run_clocks(pair, n_ticks);
    const std::string who =
        std::to_string(pair.first) + " and " + std::to_string(pair.second) + " tenths of ms: ";
    if (!ticks) return who + ticks.failure().message;
    if (ticks->n_first == expected.n_first && ticks->n_second == expected.n_second &&
        ticks->n_together == expected.n_together)
      return {};
    return who + std::to_string(ticks->n_together) + " of " + std::to_string(expected.n_together) +
           " common ticks";
  };
  const Pieces pieces = run_pieces(0, n, seconds_of_a_piece, piece);
  std::uint64_t n_together = 0;
  for (std::uint64_t which = 0; which < n; ++which) {
    std::mt19937_64 random(counted_seed + which);
    n_together += problems::expected_ticks(problems::random_clocks(random), n_ticks).n_together;
  }
  Item item(number);
  item.at_most(std::to_string(n) + " pairs of 10,000 ticks with " + std::to_string(n_together) +
                   " common ones: pairs with other counts of ticks or instants",
               complaints_of(pieces), 0);
  return item.print();
}

bool show_surface_starts(int number) {
  constexpr std::uint64_t per_piece = 100;
  const std::uint64_t n_pieces = size_of("SALTUS_SURFACE_STARTS", 100000) / per_piece;
  const auto one = [](std::mt19937_64& random, std::uint64_t) -> std::string {
    const problems::SurfaceStart start = problems::random_surface_start(random);
    const auto fired = problems::run_surface_start(start);
    if (fired && *fired == start.acts()) return {};
    return "quantity " + std::to_string(static_cast<int>(start.quantity)) + ", reaction " +
           std::to_string(static_cast<int>(start.reaction)) + ", level " + to_text(start.level) +
           ", " + to_text(start.speed) + " t^" + std::to_string(start.power) + ", relation " +
           std::to_string(start.relation) + " on " + std::string(name(start.engine)) + ": " +
           (fired ? std::string(*fired ? "fired" : "did not fire") : fired.failure().message) +
           "; ";
  };
  Item item(number);
  item.at_most(std::to_string(per_piece * n_pieces) +
                   " starts on surfaces: pieces of 100 in which one did not follow the rule",
               wrong_pieces(n_pieces, per_piece, one), 0);
  return item.print();
}

}  // namespace saltus::bench
