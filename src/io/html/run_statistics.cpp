#include "io/html/run_statistics.hpp"

#include <algorithm>
#include <cmath>

namespace saltus::detail {

namespace {

/// More are shown as bars over ranges.
constexpr std::size_t most_values = 24;
constexpr double most_bars = 40;

}  // namespace

void ColumnStatistics::look_at(std::span<const double> values, std::uint64_t first) {
  for (std::size_t r = 0; r < values.size(); ++r) {
    const double v = values[r];
    if (std::isnan(v)) continue;
    if (std::isinf(v)) {
      ++n_infinite_;
      continue;
    }
    if (n_ == 0 || v < low_) {
      low_ = v;
      low_run_ = first + r;
    }
    if (n_ == 0 || v > high_) {
      high_ = v;
      high_run_ = first + r;
    }
    ++n_;
    mean_ += (v - mean_) / static_cast<double>(n_);
    if (v > 0) mean_logarithm_ += (std::log(v) - mean_logarithm_) / static_cast<double>(n_);
    integral_ = integral_ && v == std::floor(v);
    if (!has_few_) continue;
    ++values_[v];
    has_few_ = values_.size() <= most_values;
    if (!has_few_) values_.clear();
  }
}

void ColumnStatistics::choose_bars() {
  if (has_few_) return;
  const double span = high_ - low_;
  if (low_ > 0 && high_ / low_ >= 1000) {
    // Values near zero alone do not make it so: of a uniform column nearly all are in the last decade.
    const double middle = (mean_logarithm_ - std::log(low_)) / std::log(high_ / low_);
    logarithmic_ = middle > 0.15 && middle < 0.8;
  }
  double n = std::clamp(std::ceil(std::sqrt(static_cast<double>(n_))), 10.0, most_bars);
  if (!std::isfinite(span)) {  // from -1e308 to 1e308
    edges_ = {low_, 0.0, high_};
  } else if (integral_ && !logarithmic_ && span < 1e15) {
    // Whole numbers: every bar has as many of them.
    const double width = std::ceil((span + 1) / n);
    for (double edge = low_ - 0.5; edge < high_ + 0.5; edge += width) edges_.push_back(edge);
    edges_.push_back(edges_.back() + width);
  } else {
    for (double i = 0; i <= n; ++i)
      edges_.push_back(logarithmic_ ? low_ * std::pow(high_ / low_, i / n) : low_ + span * (i / n));
    edges_.back() = std::max(edges_.back(), high_);
  }
  bars_.assign(edges_.size() - 1, 0);
}

void ColumnStatistics::count(std::span<const double> values) {
  if (bars_.empty()) return;
  for (const double v : values) {
    if (!std::isfinite(v)) continue;
    const auto behind = std::upper_bound(edges_.begin() + 1, edges_.end() - 1, v);
    ++bars_[static_cast<std::size_t>(behind - edges_.begin()) - 1];
  }
}

}  // namespace saltus::detail
