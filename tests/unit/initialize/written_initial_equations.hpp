// Initial equations that a test writes as functions, for systems without derivatives of their own.
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <saltus/system/initial_equations.hpp>

namespace saltus::testing_support {

using Values = std::span<const double>;

struct WrittenEquation {
  std::string name;
  /// Columns of (x, x') that the equation reads, in rising order.
  std::vector<std::uint32_t> reads;
  std::function<double(Values x, Values xdot)> residual;
  /// The derivative with respect to each of `reads`.
  std::function<std::vector<double>(Values x, Values xdot)> slopes;
};

class WrittenInitialEquations final : public InitialEquations {
 public:
  WrittenInitialEquations(std::uint32_t n_unknowns, std::vector<WrittenEquation> equations)
      : equations_(std::move(equations)) {
    pattern_.n_rows = static_cast<index_t>(equations_.size());
    pattern_.n_cols = static_cast<index_t>(2 * n_unknowns);
    for (std::uint32_t j = 0; j < 2 * n_unknowns; ++j) {
      for (std::size_t e = 0; e < equations_.size(); ++e) {
        const auto& reads = equations_[e].reads;
        const auto at = std::ranges::find(reads, j);
        if (at == reads.end()) continue;
        pattern_.row.push_back(static_cast<index_t>(e));
        place_.push_back({e, static_cast<std::size_t>(at - reads.begin())});
      }
      pattern_.column_start.push_back(pattern_.nnz());
    }
  }

  std::uint32_t count() const override { return static_cast<std::uint32_t>(equations_.size()); }
  std::string name(std::uint32_t equation) const override { return equations_[equation].name; }
  const CscPattern& pattern() const override { return pattern_; }
  Evaluation residual(double, Values x, Values xdot, std::span<double> r) override {
    for (std::size_t e = 0; e < equations_.size(); ++e) r[e] = equations_[e].residual(x, xdot);
    return Evaluation::ok();
  }
  Evaluation jacobian(double, Values x, Values xdot, std::span<double> dr) override {
    for (std::size_t s = 0; s < place_.size(); ++s)
      dr[s] = equations_[place_[s].first].slopes(x, xdot)[place_[s].second];
    return Evaluation::ok();
  }

 private:
  std::vector<WrittenEquation> equations_;
  CscPattern pattern_;
  std::vector<std::pair<std::size_t, std::size_t>> place_;  // equation and number in `reads`
};

}  // namespace saltus::testing_support
