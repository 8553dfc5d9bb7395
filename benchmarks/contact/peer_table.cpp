#include "contact/peer_table.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

namespace saltus::bench {

namespace {

constexpr double long_run = 0.3;  // seconds

/// The best of three interleaved rounds, twice in a row in each: what ran before has filled the caches with its own.
/// What takes long runs once.
std::vector<PeerRow> run_all(const Contest& c) {
  std::vector<PeerRow> rows(c.contestants.size());
  for (int round = 0; round < 3; ++round) {
    for (std::size_t k = 0; k < rows.size(); ++k) {
      for (int call = 0; call < 2; ++call) {
        const bool first = round == 0 && call == 0;
        if (!first && rows[k].seconds > long_run) continue;
        PeerRow row = c.contestants[k].run();
        if (!first) {
          row.seconds = std::min(row.seconds, rows[k].seconds);
          row.seconds_set_up = std::min(row.seconds_set_up, rows[k].seconds_set_up);
        }
        rows[k] = std::move(row);
      }
    }
  }
  return rows;
}

/// What Siconos takes for 1000 steps, from the most steps among runs that were repeated.
double time_unit(const std::vector<PeerRow>& rows, const Contest& c) {
  double unit = 1.0;
  std::uint64_t most_steps = 0;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (c.contestants[k].ours || rows[k].n_steps <= most_steps || rows[k].seconds > long_run)
      continue;
    most_steps = rows[k].n_steps;
    unit = 1e3 * (rows[k].seconds - rows[k].seconds_set_up) / static_cast<double>(most_steps);
  }
  return unit;
}

}  // namespace

std::string show_contest(const Contest& c) {
  const std::vector<PeerRow> rows = run_all(c);
  const double unit = time_unit(rows, c);
  std::printf("   %s\n", c.title.c_str());
  std::printf("   | | error | steps | evaluations | decisions | time | of it setting up |\n");
  std::printf("   |---|---|---|---|---|---|---|\n");
  std::optional<double> best_of_ours, best_of_theirs;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const PeerRow& row = rows[k];
    const bool ours = c.contestants[k].ours;
    char error[16] = "fails";
    if (row.failure.empty()) {
      std::snprintf(error, sizeof error, "%.1e", row.error);
      auto& best = ours ? best_of_ours : best_of_theirs;
      if (!best || row.error < *best) best = row.error;
    }
    const auto count = [](std::uint64_t n) { return n > 0 ? std::to_string(n) : std::string("-"); };
    std::printf("   | %s: %s | %s | %s | %s | %s | %.3g | %.3g |\n", ours ? "Saltus" : "Siconos",
                c.contestants[k].what.c_str(), error, count(row.n_steps).c_str(),
                count(row.n_evaluations).c_str(), count(row.n_decisions).c_str(),
                row.seconds / unit, row.seconds_set_up / unit);
    if (!row.failure.empty()) std::printf("     %.200s\n", row.failure.c_str());
  }
  std::printf("   (time 1: %.1f ms)\n\n", 1e3 * unit);
  std::fflush(stdout);
  char text[120];
  std::snprintf(text, sizeof text, "%.0e and %.0e", best_of_ours.value_or(NAN),
                best_of_theirs.value_or(NAN));
  return text;
}

}  // namespace saltus::bench
