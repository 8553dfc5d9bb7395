// Which values each run of a sweep has: run i is a function of the design and of i alone.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <saltus/ensemble/distribution.hpp>
#include <saltus/numerics/matrix.hpp>

namespace saltus {

enum class Sampler { random, latin_hypercube, sobol };

/// So many points from distributions.
struct Samples {
  std::uint64_t count = 0;
  std::uint64_t seed = 1;
  Sampler sampler = Sampler::random;
  std::vector<Distribution> of;
  /// Of the distributions, in their order, as normal variables (a Gaussian copula for those that are not); empty:
  /// independent.
  Matrix correlation = {};
};

/// Rows of values that belong together: a grid of one name, a list, a table.
struct Table {
  std::vector<std::string> names;
  std::vector<std::vector<double>> rows;
};

/// Every row of every table with every sample: run i has the row i mod n of the first table, and so on; samples vary
/// slowest. All grid points thus see the same samples.
class Design {
 public:
  /// Refuses (OptionError) what is empty, what is no number, names that occur twice and correlations that are none.
  explicit Design(std::vector<Table> tables, std::optional<Samples> samples = std::nullopt);
  ~Design();
  Design(Design&&) noexcept;
  Design& operator=(Design&&) noexcept;

  std::uint64_t n_runs() const { return n_runs_; }
  std::span<const std::string> names() const { return names_; }
  /// In the order of names(). Safe to call from several threads.
  void values(std::uint64_t run, std::span<double> into) const;
  std::vector<double> values(std::uint64_t run) const;

 private:
  class Sampling;
  std::vector<Table> tables_;
  std::unique_ptr<Sampling> sampling_;
  std::vector<std::string> names_;
  std::uint64_t n_runs_ = 0;
};

}  // namespace saltus
