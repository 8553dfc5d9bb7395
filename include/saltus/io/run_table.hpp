// A table with a row per run, possibly larger than memory: columns of numbers, how each run ended,
// and why some failed.
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
  bool varied = false;  // an input of the run; otherwise a result
};

/// How a run ended. Files contain these numbers.
enum class RunEnding : std::uint8_t { complete = 0, failed = 1, missing = 2 };

/// Consecutive rows.
struct RunRows {
  std::uint64_t first = 0;
  /// In the order of the table; NaN: the run has no value.
  std::vector<std::span<const double>> columns;
  std::vector<RunEnding> endings;
  struct Reason {
    std::uint64_t run;
    std::string_view text;
  };
  std::vector<Reason> reasons;  // of failed runs, by run

  std::size_t size() const { return endings.size(); }
};

/// Passes every row to a function, in order. May be called more than once.
using RunReader = std::function<void(const std::function<void(const RunRows&)>&)>;

struct RunTable {
  std::string title;  // the model
  std::vector<RunColumn> columns;
  std::uint64_t n_runs = 0;
  std::uint64_t n_failed = 0;
  std::size_t longest_reason = 0;  // bytes
  RunReader read;
  std::uint64_t fingerprint = 0;  // of everything that determines the results
  /// For readers of the file: texts by name ("manifest", "model").
  std::vector<std::pair<std::string, std::string>> texts = {};
};

/// Returns the best number of rows per block for a reader: a multiple of the unit of writing, some
/// ten megabytes.
std::uint64_t run_block_size(std::size_t n_columns);

// Save completely or not at all, as save_result. Throw FileError.

void save_runs_hdf5(const RunTable& table, const std::string& path);
/// Writes RFC 4180 text, with the numbers of runs first and their endings last. Missing runs have
/// no line.
void save_runs_csv(const RunTable& table, const std::string& path);

}  // namespace saltus
