// The values of each run of a sweep. Run i depends on the design and on i alone.
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

/// Points sampled from distributions.
struct Samples {
  std::uint64_t count = 0;
  std::uint64_t seed = 1;
  Sampler sampler = Sampler::random;
  std::vector<Distribution> of;
  /// Correlations of the distributions, in their order, as normal variables (a Gaussian copula for
  /// the others). Empty: independent.
  Matrix correlation = {};
};

/// Rows of values that belong together: a grid of one name, a list, a table.
struct Table {
  std::vector<std::string> names;
  std::vector<std::vector<double>> rows;
};

/// Combines every row of every table with every sample. Run i has row i mod n of the first table,
/// and so on; samples vary slowest. Thus all grid points see the same samples.
class Design {
 public:
  /// Throws OptionError for empty designs, non-finite values, duplicate names and invalid
  /// correlation matrices.
  explicit Design(std::vector<Table> tables, std::optional<Samples> samples = std::nullopt);
  ~Design();
  Design(Design&&) noexcept;
  Design& operator=(Design&&) noexcept;

  std::uint64_t n_runs() const { return n_runs_; }
  std::span<const std::string> names() const { return names_; }
  /// Returns values in the order of names(). Thread-safe.
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
