// What sweeps cost beside their runs. Each prints its line and tells whether its bounds hold.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include <saltus/ensemble.hpp>

namespace saltus::bench {

bool show_sweep_overhead(int item);
bool show_spread_of_run_times(int item);
bool show_scale(int item);
/// What sweeps cost by run and by record, as JSON: for scale_table.py.
void print_constants();
/// CPU seconds of all that a worker does beside the run itself.
double overhead_per_run(const SweepPlan& sweep);

/// A folder that goes away.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Runs asked for by the environment, or so many.
std::uint64_t n_runs_from(const char* variable, std::uint64_t otherwise);

double wall_seconds();

/// The relay of three states (DISODE45, problem 3) over its first two slidings, with random damping, frequency and start.
SweepPlan relay_sweep(std::uint64_t n_runs);

}  // namespace saltus::bench
