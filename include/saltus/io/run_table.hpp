// A table with a row per run, which need not fit into memory: columns of numbers, how each run ended, and why some failed.
//
//   RunTable table = ...;               // names, and a function that reads blocks of rows in order
//   save_runs_hdf5(table, "study.h5");  // one dataset per column
//   save_runs_csv(table, "study.csv");  // one line per run
//
// docs/reference/sweeps.md describes both.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <saltus/io/result_file.hpp>

namespace saltus {

struct RunColumn {
  std::string name;
  bool varied = false;  // what was given to the run; otherwise what it gave
};

/// Numbers as they are in files.
enum class RunEnding : std::uint8_t { complete = 0, failed = 1, missing = 2 };

/// Rows that follow each other.
struct RunRows {
  std::uint64_t first = 0;
  std::vector<std::span<const double>> columns;  // in the order of the table; NaN: the run has none
  std::vector<RunEnding> endings;
  struct Reason {
    std::uint64_t run;
    std::string_view text;
  };
  std::vector<Reason> reasons;  // of those that failed, by run

  std::size_t size() const { return endings.size(); }
};

/// Gives every row to a function, in order; may be called more than once.
using RunReader = std::function<void(const std::function<void(const RunRows&)>&)>;

struct RunTable {
  std::string title;  // the model
  std::vector<RunColumn> columns;
  std::uint64_t n_runs = 0;
  std::uint64_t n_failed = 0;
  std::size_t longest_reason = 0;  // bytes
  RunReader read;
  std::uint64_t fingerprint = 0;  // of all that decides what a run gives
  /// For whoever reads the file later: texts by name ("manifest", "model").
  std::vector<std::pair<std::string, std::string>> texts = {};
};

/// Rows that a reader best gives at a time: a multiple of what is written at once, some ten megabytes.
std::uint64_t run_block_size(std::size_t n_columns);

// Whole files or none, as save_result. Throw FileError.

void save_runs_hdf5(const RunTable& table, const std::string& path);
/// RFC 4180 with the numbers of runs first and how they ended last. Runs that are missing have no line.
void save_runs_csv(const RunTable& table, const std::string& path);

}  // namespace saltus
