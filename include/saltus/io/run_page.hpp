// Writes many runs as one HTML page that opens from disk: counts, failures, distributions, scatter
// plots, parallel coordinates, and extreme runs. The page loads nothing from elsewhere.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <saltus/io/run_table.hpp>

namespace saltus {

struct RunPageOptions {
  /// The command that repeats a run if its number is appended.
  std::string command = {};
  std::vector<std::string> warnings = {};
  struct Failures {
    std::string reason;
    std::uint64_t n_runs, example_run;
  };
  std::vector<Failures> failures = {};
  /// The largest number of runs drawn individually; of more runs, as many are selected by their
  /// numbers. Distributions are those of all runs.
  std::size_t most_points = 20000;
};

/// Saves the page completely or not at all, as save_result. Reads the table twice. Throws
/// FileError.
void save_runs_page(const RunTable& table, const std::string& path, const RunPageOptions& options);

}  // namespace saltus
