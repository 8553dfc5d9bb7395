// Many runs as one HTML page that opens from disk: how many, what failed, distributions, one quantity over another, all
// of them side by side, the runs at the extremes. It loads nothing from anywhere.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <saltus/io/run_table.hpp>

namespace saltus {

struct RunPageOptions {
  /// What runs one of them again, if its number follows.
  std::string command = {};
  std::vector<std::string> warnings = {};
  struct Failures {
    std::string reason;
    std::uint64_t n_runs, example_run;
  };
  std::vector<Failures> failures = {};
  /// Runs that are drawn one by one; of more, as many are chosen by their numbers. Distributions are those of all.
  std::size_t most_points = 20000;
};

/// Whole or not there, as save_result. Reads the table twice. Throws FileError.
void save_runs_page(const RunTable& table, const std::string& path, const RunPageOptions& options);

}  // namespace saltus
