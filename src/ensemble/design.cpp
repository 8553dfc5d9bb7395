#include <saltus/ensemble/design.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <saltus/core/error.hpp>
#include <saltus/core/text.hpp>
#include <saltus/ensemble/counter_random.hpp>

#include "ensemble/sobol_points.hpp"

namespace saltus {

namespace {

/// L with L L^T = a; nothing if a is no matrix of correlations.
std::optional<Matrix> cholesky(const Matrix& a) {
  Matrix l(a.n_rows, a.n_rows);
  for (std::size_t i = 0; i < a.n_rows; ++i) {
    if (a(i, i) != 1.0) return std::nullopt;
    for (std::size_t j = 0; j <= i; ++j) {
      if (a(i, j) != a(j, i)) return std::nullopt;
      double sum = a(i, j);
      for (std::size_t k = 0; k < j; ++k) sum -= l(i, k) * l(j, k);
      if (i == j && !(sum > 0)) return std::nullopt;
      l(i, j) = i == j ? std::sqrt(sum) : sum / l(j, j);
    }
  }
  return l;
}

void check_table(const Table& table) {
  const std::string who = table.names.empty() ? "vary" : "vary." + table.names.front();
  if (table.names.empty() || table.rows.empty()) throw OptionError(who, "has no values");
  for (const auto& row : table.rows) {
    if (row.size() != table.names.size())
      throw OptionError(who, "has a row of " + std::to_string(row.size()) + " values for " +
                                 std::to_string(table.names.size()) + " names");
    for (const double v : row)
      if (!std::isfinite(v)) throw OptionError(who, "has a value that is not a number");
  }
}

/// Counters of runs have to fit into 62 bits.
std::uint64_t times_checked(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t most = std::uint64_t{1} << 62;
  if (b > most / a) throw OptionError("vary", "asks for more than 4e18 runs");
  return a * b;
}

}  // namespace

class Design::Sampling {
 public:
  explicit Sampling(Samples samples) : samples_(std::move(samples)), random_(samples_.seed) {
    if (samples_.of.empty()) throw OptionError("vary", "names nothing to sample");
    if (samples_.count == 0) throw OptionError("samples", "is 0: there is nothing to run");
    for (const Distribution& d : samples_.of) d.check();
    const auto n = static_cast<std::uint32_t>(samples_.of.size());
    if (samples_.sampler == Sampler::sobol) sobol_.emplace(n, random_);
    const Matrix& c = samples_.correlation;
    if (c.empty()) return;
    if (c.n_rows != n || c.n_cols != n)
      throw OptionError("correlation", "is not " + std::to_string(n) + " by " + std::to_string(n));
    root_ = cholesky(c);
    if (!root_)
      throw OptionError("correlation",
                        "is not a correlation matrix: it has to be symmetric and positive "
                        "definite, with ones on its diagonal");
  }

  const Samples& samples() const { return samples_; }

  void values(std::uint64_t sample, std::span<double> into) const {
    const std::size_t n = samples_.of.size();
    for (std::size_t d = 0; d < n; ++d) into[d] = part(sample, static_cast<std::uint32_t>(d));
    if (root_) {
      for (std::size_t d = 0; d < n; ++d) into[d] = normal_quantile(into[d]);
      // in place from the last: a row of L needs only what stands before it
      for (std::size_t d = n; d-- > 0;) {
        double z = 0.0;
        for (std::size_t k = 0; k <= d; ++k) z += (*root_)(d, k) * into[k];
        into[d] = z;
      }
    }
    for (std::size_t d = 0; d < n; ++d) {
      const Distribution& of = samples_.of[d];
      if (!root_)
        into[d] = of.quantile(into[d]);
      else if (of.kind == DistributionKind::normal)
        into[d] = of.a + of.b * into[d];
      else
        into[d] = of.quantile(normal_probability(into[d]));
    }
  }

 private:
  /// Between 0 and 1.
  double part(std::uint64_t sample, std::uint32_t d) const {
    switch (samples_.sampler) {
      case Sampler::random:
        return random_.uniform(d, sample);
      case Sampler::latin_hypercube: {
        const std::uint64_t cell = random_.shuffled(d, sample, samples_.count);
        return (static_cast<double>(cell) + random_.uniform(d, sample)) /
               static_cast<double>(samples_.count);
      }
      case Sampler::sobol:
        return sobol_->at(sample, d);
    }
    return 0.5;
  }

  Samples samples_;
  CounterRandom random_;
  std::optional<detail::SobolPoints> sobol_;
  std::optional<Matrix> root_;  // of the correlations
};

Design::Design(std::vector<Table> tables, std::optional<Samples> samples)
    : tables_(std::move(tables)), n_runs_(1) {
  for (const Table& table : tables_) {
    check_table(table);
    names_.insert(names_.end(), table.names.begin(), table.names.end());
    n_runs_ = times_checked(n_runs_, table.rows.size());
  }
  if (samples) {
    sampling_ = std::make_unique<Sampling>(std::move(*samples));
    for (const Distribution& d : sampling_->samples().of) names_.push_back(d.name);
    n_runs_ = times_checked(n_runs_, sampling_->samples().count);
  }
  if (names_.empty())
    throw OptionError("vary", "names nothing: give at least one parameter or start value");
  for (std::size_t i = 0; i < names_.size(); ++i)
    if (std::find(names_.begin(), names_.begin() + static_cast<std::ptrdiff_t>(i), names_[i]) !=
        names_.begin() + static_cast<std::ptrdiff_t>(i))
      throw OptionError("vary." + names_[i], "is given twice");
}

Design::~Design() = default;
Design::Design(Design&&) noexcept = default;
Design& Design::operator=(Design&&) noexcept = default;

void Design::values(std::uint64_t run, std::span<double> into) const {
  SALTUS_ASSERT(run < n_runs_ && into.size() == names_.size());
  std::size_t at = 0;
  for (const Table& table : tables_) {
    const auto& row = table.rows[run % table.rows.size()];
    run /= table.rows.size();
    std::ranges::copy(row, into.begin() + static_cast<std::ptrdiff_t>(at));
    at += row.size();
  }
  if (sampling_) sampling_->values(run, into.subspan(at));
}

std::vector<double> Design::values(std::uint64_t run) const {
  std::vector<double> found(names_.size());
  values(run, found);
  return found;
}

}  // namespace saltus
