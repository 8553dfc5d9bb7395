#include <saltus/io/result_file.hpp>

#include <algorithm>
#include <cmath>

#include <saltus/io/json.hpp>

#include "io/result/derivatives.hpp"

namespace saltus {

FileError::FileError(std::string path, const std::string& reason)
    : Error("'" + path + "': " + reason), path_(std::move(path)) {}

const ResultColumn* ResultTable::find(std::string_view name) const {
  const auto at = std::find_if(columns.begin(), columns.end(),
                               [&](const ResultColumn& column) { return column.name == name; });
  return at == columns.end() ? nullptr : &*at;
}

namespace {

/// Limits of all variables at a time, if the log has them.
struct LimitRow {
  double t = 0.0;
  std::span<const double> values;
};

class TableBuilder {
 public:
  /// Rows further apart than `widest` get others between them, if steps were kept.
  explicit TableBuilder(const Trajectory& trajectory, double widest = 0.0)
      : trajectory_(trajectory), widest_(trajectory.n_steps() > 0 ? widest : 0.0) {
    for (const VariableInfo& variable : trajectory.variables())
      table_.columns.push_back({variable.name, variable.unit, variable.description});
    masked_.assign(table_.columns.size(), 0);
    for (const Segment& segment : trajectory.segments())
      for (std::size_t i = 0; i < masked_.size(); ++i)
        if (!segment.present[i]) masked_[i] = 1;
  }

  void add(const Segment& segment, const std::optional<LimitRow>& begin,
           const std::optional<LimitRow>& end) {
    ResultSegment out{segment.mode, segment.sliding, segment.t_begin, segment.t_end};
    out.first_row = table_.times.size();
    const auto row_time = [&](std::uint32_t r) { return trajectory_.times()[r]; };
    const std::uint32_t last = segment.first_row + segment.n_rows;
    t_before_.reset();
    if (begin && (segment.n_rows == 0 || row_time(segment.first_row) != begin->t))
      row(begin->t, begin->values, segment);
    for (std::uint32_t r = segment.first_row; r < last; ++r)
      row(row_time(r), trajectory_.row(r), segment);
    if (end && (segment.n_rows == 0 || row_time(last - 1) != end->t))
      row(end->t, end->values, segment);
    out.n_rows = table_.times.size() - out.first_row;
    table_.segments.push_back(std::move(out));
  }

  ResultTable take() { return std::move(table_); }

 private:
  void row(double t, std::span<const double> values, const Segment& segment) {
    if (widest_ > 0.0 && t_before_ && std::abs(t - *t_before_) > widest_) {
      const double from = *t_before_;
      const double n = std::ceil(std::abs(t - from) / widest_);
      between_.resize(table_.columns.size());
      for (double k = 1; k < n; ++k) {
        const double at = from + (t - from) * (k / n);
        trajectory_.at(at, between_);
        put(at, between_, segment);
      }
    }
    put(t, values, segment);
    t_before_ = t;
  }
  void put(double t, std::span<const double> values, const Segment& segment) {
    table_.times.push_back(t);
    for (std::size_t i = 0; i < table_.columns.size(); ++i) {
      ResultColumn& column = table_.columns[i];
      const bool present = segment.present[i] != 0;
      column.values.push_back(present ? values[i] : 0.0);
      if (masked_[i]) column.present.push_back(present);
    }
  }

  const Trajectory& trajectory_;
  ResultTable table_;
  std::vector<std::uint8_t> masked_;  // absent somewhere
  double widest_;                     // 0: whatever it is
  std::optional<double> t_before_;    // of the last row of this segment
  std::vector<double> between_;
};

/// For segment s, what its ends must show besides the rows asked for: x_plus of the last instant at its
/// begin, x_minus of the first one at its end. Segments without length get nothing.
class SegmentLimits {
 public:
  SegmentLimits(const Trajectory& trajectory, const EventLog& log)
      : trajectory_(trajectory), instants_(log.instants()) {}

  std::optional<LimitRow> begin(std::size_t s) {
    const Segment& segment = trajectory_.segments()[s];
    if (s == 0 || segment.t_begin == segment.t_end) return {};
    pass(segment.t_begin);
    std::optional<LimitRow> found;
    for (std::size_t k = next_; k < instants_.size() && instants_[k].t == segment.t_begin; ++k)
      if (complete(instants_[k].x_plus)) found = {instants_[k].t, instants_[k].x_plus};
    return found;
  }
  std::optional<LimitRow> end(std::size_t s) {
    const Segment& segment = trajectory_.segments()[s];
    if (s + 1 == trajectory_.segments().size() || segment.t_begin == segment.t_end) return {};
    pass(segment.t_end);
    if (next_ == instants_.size() || instants_[next_].t != segment.t_end) return {};
    if (!complete(instants_[next_].x_minus)) return {};
    return LimitRow{segment.t_end, instants_[next_].x_minus};
  }

 private:
  void pass(double t) {
    const bool backward = trajectory_.backward();
    while (next_ < instants_.size() && (backward ? instants_[next_].t > t : instants_[next_].t < t))
      ++next_;
  }
  bool complete(const std::vector<double>& values) const {
    return values.size() == trajectory_.variables().size();
  }

  const Trajectory& trajectory_;
  std::span<const EventInstant> instants_;
  std::size_t next_ = 0;  // the first one that is not before what was asked for last
};

void put_result_events(const EventLog& log, ResultFile& out) {
  for (const Event& event : log.events())
    out.events.push_back({event, changes_text(log, event), explain(log, event)});
  const std::size_t n = out.table.columns.size();
  for (const EventInstant& from : log.instants()) {
    ResultInstant to;
    to.t = from.t;
    to.mode_before = from.mode_before;
    to.mode_after = from.mode_after;
    to.sliding_before = from.sliding_before;
    to.sliding_after = from.sliding_after;
    to.first_event = from.first_event;
    to.n_events = from.n_events;
    to.restarted = from.restarted;
    for (std::size_t i = 0; i < n; ++i) {
      to.minus_present.push_back(from.exists_before(i));
      to.plus_present.push_back(from.exists_after(i));
      to.x_minus.push_back(from.exists_before(i) ? from.x_minus[i] : 0.0);
      to.x_plus.push_back(from.exists_after(i) ? from.x_plus[i] : 0.0);
    }
    out.instants.push_back(std::move(to));
  }
}

}  // namespace

ResultTable table_of(const Trajectory& trajectory) {
  TableBuilder builder(trajectory);
  for (const Segment& segment : trajectory.segments()) builder.add(segment, {}, {});
  return builder.take();
}

ResultFile result_of(const Solution& solution, std::size_t n_rows) {
  ResultFile out;
  out.model = solution.report.model;
  const auto segments = solution.trajectory.segments();
  const double length = segments.empty()
                            ? 0.0
                            : std::abs(solution.trajectory.t_end() - solution.trajectory.t_begin());
  TableBuilder builder(solution.trajectory,
                       n_rows > 0 ? length / static_cast<double>(n_rows) : 0.0);
  SegmentLimits limits(solution.trajectory, solution.event_log);
  for (std::size_t s = 0; s < segments.size(); ++s) {
    const auto begin = limits.begin(s);
    const auto end = limits.end(s);
    builder.add(segments[s], begin, end);
  }
  out.table = builder.take();
  put_result_events(solution.event_log, out);
  out.derivatives.parameters = solution.sensitivities.parameters();
  if (!out.derivatives.empty()) {
    out.derivatives.table = detail::derivatives_at_rows(solution.sensitivities, out.table);
    out.derivatives.event_times = solution.sensitivities.event_times();
    out.derivatives.ends = solution.sensitivities.ends();
  }
  out.report_json = to_json(solution.report);
  out.report_text = to_text(solution.report);
  return out;
}

}  // namespace saltus
