// For formats that keep rows only: where one stretch ends and the next begins.
#pragma once

#include <cmath>
#include <optional>
#include <string>

#include <saltus/io/result_file.hpp>

namespace saltus::detail {

/// Fills a table whose columns are known row by row. A segment begins where a time repeats, and where mode or
/// surfaces are others than before. The text about surfaces becomes the one element of `sliding`.
class SegmentFinder {
 public:
  explicit SegmentFinder(ResultTable& table) : table_(table) {}

  void row(double t, const std::string& mode, const std::string& sliding) {
    const bool first = table_.times.empty();
    if (first || t == table_.times.back() || mode != mode_ || sliding != sliding_) {
      ResultSegment segment{mode, {}, t, t, table_.times.size(), 0};
      if (!sliding.empty()) segment.sliding.push_back(sliding);
      // Stretches join, also where a file has no row at the event.
      if (!first) segment.t_begin = table_.times.back();
      table_.segments.push_back(std::move(segment));
      mode_ = mode;
      sliding_ = sliding;
    }
    table_.times.push_back(t);
    table_.segments.back().t_end = t;
    ++table_.segments.back().n_rows;
  }
  /// Of the last row; nothing and NaN: the column does not exist there.
  void value(std::size_t column, std::optional<double> value) {
    ResultColumn& to = table_.columns[column];
    const bool present = value && !std::isnan(*value);
    if (!present && to.present.empty()) to.present.assign(to.values.size(), 1);
    to.values.push_back(present ? *value : 0.0);
    if (!present || !to.present.empty()) to.present.push_back(present);
  }

 private:
  ResultTable& table_;
  std::string mode_, sliding_;
};

}  // namespace saltus::detail
