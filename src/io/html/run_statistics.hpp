// How the values of a column are distributed, found in two passes over all runs.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace saltus::detail {

class ColumnStatistics {
 public:
  /// First pass; runs count from `first`. Those that are not numbers are counted as such.
  void look_at(std::span<const double> values, std::uint64_t first);
  /// Between both: where bars are.
  void choose_bars();
  /// Second pass.
  void count(std::span<const double> values);

  std::uint64_t n() const { return n_; }
  std::uint64_t n_infinite() const { return n_infinite_; }
  double low() const { return low_; }
  double high() const { return high_; }
  double mean() const { return n_ > 0 ? mean_ : 0.0; }
  std::uint64_t low_run() const { return low_run_; }
  std::uint64_t high_run() const { return high_run_; }
  /// Equal steps are equal ratios: of what is spread over three decades or more.
  bool is_logarithmic() const { return logarithmic_; }
  /// How often each value occurs; empty if there are many.
  const std::map<double, std::uint64_t>& values() const { return values_; }
  /// Ends of bars and how many runs are in each; none if there are few values.
  const std::vector<double>& edges() const { return edges_; }
  const std::vector<std::uint64_t>& bars() const { return bars_; }

 private:
  std::uint64_t n_ = 0, n_infinite_ = 0, low_run_ = 0, high_run_ = 0;
  double low_ = 0.0, high_ = 0.0, mean_ = 0.0, mean_logarithm_ = 0.0;
  bool has_few_ = true, integral_ = true, logarithmic_ = false;
  std::map<double, std::uint64_t> values_;
  std::vector<double> edges_;
  std::vector<std::uint64_t> bars_;
};

}  // namespace saltus::detail
