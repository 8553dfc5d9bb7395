#include <saltus/model/signal.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <saltus/core/error.hpp>
#include <saltus/core/text.hpp>

namespace saltus {

namespace {

std::vector<double> within(const std::vector<double>& sorted, double t_from, double t_to) {
  const auto first = std::upper_bound(sorted.begin(), sorted.end(), t_from);
  const auto last = std::upper_bound(first, sorted.end(), t_to);
  return {first, last};
}

std::optional<double> next_of(const std::vector<double>& sorted, double t, double t_end) {
  if (t_end > t) {
    const auto next = std::upper_bound(sorted.begin(), sorted.end(), t);
    return next != sorted.end() && *next <= t_end ? std::optional(*next) : std::nullopt;
  }
  const auto after = std::lower_bound(sorted.begin(), sorted.end(), t);
  return after != sorted.begin() && after[-1] >= t_end ? std::optional(after[-1]) : std::nullopt;
}

/// Piecewise polynomials: on [t_i, t_{i+1}] the value is sum_k c_ik (t - t_i)^k.
class PiecewiseSignal final : public Signal {
 public:
  using Piece = std::array<double, SignalPiece::degree + 1>;
  PiecewiseSignal(std::vector<double> times, std::vector<Piece> pieces, double before, double after)
      : times_(std::move(times)), pieces_(std::move(pieces)), before_(before), after_(after) {}

  double value(double t, int order, Side side) const override {
    // The number of samples at or before t; from the left a sample itself does not count.
    const auto passed = side == Side::right ? std::upper_bound(times_.begin(), times_.end(), t)
                                            : std::lower_bound(times_.begin(), times_.end(), t);
    const auto i = passed - times_.begin();
    if (i == 0) return order == 0 ? before_ : 0.0;
    if (static_cast<std::size_t>(i) == times_.size()) return order == 0 ? after_ : 0.0;
    const auto k = static_cast<std::size_t>(i - 1);
    const double s = t - times_[k];
    const Piece& c = pieces_[k];
    switch (order) {
      case 0:
        return c[0] + s * (c[1] + s * (c[2] + s * c[3]));
      case 1:
        return c[1] + s * (2 * c[2] + s * 3 * c[3]);
      case 2:
        return 2 * c[2] + s * 6 * c[3];
      case 3:
        return 6 * c[3];
      default:
        return 0.0;
    }
  }
  std::vector<double> breakpoints(double t_from, double t_to) const override {
    return within(times_, t_from, t_to);
  }
  std::optional<double> next_breakpoint(double t, double t_end) const override {
    return next_of(times_, t, t_end);
  }
  int max_order() const override { return std::numeric_limits<int>::max(); }
  std::optional<SignalPiece> piece(double t_1, double t_2) const override {
    const auto [low, high] = std::minmax(t_1, t_2);
    const auto next = std::upper_bound(times_.begin(), times_.end(), low);
    if (next == times_.begin()) {
      if (high > times_.front()) return std::nullopt;
      return SignalPiece{0.0, {before_, 0.0, 0.0, 0.0}};
    }
    if (next == times_.end()) return SignalPiece{0.0, {after_, 0.0, 0.0, 0.0}};
    if (high > *next) return std::nullopt;
    const auto k = static_cast<std::size_t>(next - times_.begin() - 1);
    return SignalPiece{times_[k], pieces_[k]};
  }

 private:
  std::vector<double> times_;
  std::vector<Piece> pieces_;
  double before_;
  double after_;
};

class CallbackSignal final : public Signal {
 public:
  CallbackSignal(std::function<double(double, int)> value, int max_order,
                 std::vector<double> breakpoints)
      : value_(std::move(value)), max_order_(max_order), breakpoints_(std::move(breakpoints)) {}
  double value(double t, int order, Side side) const override {
    if (!std::binary_search(breakpoints_.begin(), breakpoints_.end(), t)) return value_(t, order);
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return value_(std::nextafter(t, side == Side::right ? infinity : -infinity), order);
  }
  std::vector<double> breakpoints(double t_from, double t_to) const override {
    return within(breakpoints_, t_from, t_to);
  }
  std::optional<double> next_breakpoint(double t, double t_end) const override {
    return next_of(breakpoints_, t, t_end);
  }
  int max_order() const override { return max_order_; }

 private:
  std::function<double(double, int)> value_;
  int max_order_;
  std::vector<double> breakpoints_;
};

/// Second derivatives of the natural cubic spline: the tridiagonal system
///   h_{i-1} M_{i-1} + 2 (h_{i-1} + h_i) M_i + h_i M_{i+1} = 6 (d_i - d_{i-1}),  M_0 = M_{n-1} = 0,
/// with d_i the slope of the i-th chord (Stoer & Bulirsch, section 2.4). Diagonally dominant: no
/// pivoting.
std::vector<double> spline_moments(std::span<const double> t, std::span<const double> y) {
  const std::size_t n = t.size();
  std::vector<double> moment(n, 0.0), upper(n, 0.0);
  for (std::size_t i = 1; i + 1 < n; ++i) {
    const double h0 = t[i] - t[i - 1];
    const double h1 = t[i + 1] - t[i];
    const double right = 6 * ((y[i + 1] - y[i]) / h1 - (y[i] - y[i - 1]) / h0);
    const double pivot = 2 * (h0 + h1) - h0 * upper[i - 1];
    upper[i] = h1 / pivot;
    moment[i] = (right - h0 * moment[i - 1]) / pivot;
  }
  for (std::size_t i = n - 1; i-- > 1;) moment[i] -= upper[i] * moment[i + 1];
  return moment;
}

/// Two samples of the same time are a jump, where the interpolation allows one.
void check_samples(std::span<const double> times, std::span<const double> values, bool may_jump) {
  if (times.size() != values.size())
    throw ModelError("a table has " + std::to_string(times.size()) + " times and " +
                     std::to_string(values.size()) + " values");
  if (times.size() < 2) throw ModelError("a table needs at least two samples");
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (!std::isfinite(times[i]) || !std::isfinite(values[i]))
      throw ModelError("row " + std::to_string(i + 1) + " of a table is not finite");
    const bool jumps = may_jump && i > 0 && times[i] == times[i - 1];
    if (jumps && i > 1 && times[i] == times[i - 2])
      throw ModelError("row " + std::to_string(i + 1) + " of a table is the third one at " +
                       to_text(times[i]) +
                       ": two rows at one time make a jump, more are not allowed");
    if (i > 0 && !jumps && !(times[i] > times[i - 1]))
      throw ModelError("row " + std::to_string(i + 1) + " of a table: time " + to_text(times[i]) +
                       " does not come after " + to_text(times[i - 1]));
  }
}

std::vector<std::string> fields_of(std::string_view line) {
  std::vector<std::string> fields;
  for (std::size_t at = 0; at <= line.size();) {
    const std::size_t comma = std::min(line.find(',', at), line.size());
    std::string_view field = line.substr(at, comma - at);
    while (!field.empty() && (field.front() == ' ' || field.front() == '"')) field.remove_prefix(1);
    while (!field.empty() && (field.back() == ' ' || field.back() == '"' || field.back() == '\r'))
      field.remove_suffix(1);
    fields.emplace_back(field);
    at = comma + 1;
  }
  return fields;
}

std::size_t column_of(const std::vector<std::string>& header, const std::string& name) {
  const auto found = std::find(header.begin(), header.end(), name);
  if (found != header.end()) return static_cast<std::size_t>(found - header.begin());
  std::vector<std::string> quoted;
  for (const std::string& known : header) quoted.push_back("'" + known + "'");
  throw ModelError("a table has no column '" + name + "'; its first line names " +
                   join(quoted, ", "));
}

}  // namespace

std::optional<double> Signal::next_breakpoint(double t, double t_end) const {
  if (t_end > t) {
    const std::vector<double> ahead = breakpoints(t, t_end);
    return ahead.empty() ? std::nullopt : std::optional(ahead.front());
  }
  // Backward t_end is the end that breakpoints() leaves out, and t the one that it does not.
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> ahead = breakpoints(std::nextafter(t_end, -infinity), t);
  while (!ahead.empty() && ahead.back() >= t) ahead.pop_back();
  return ahead.empty() ? std::nullopt : std::optional(ahead.back());
}

std::shared_ptr<const Signal> table(std::span<const double> times, std::span<const double> values,
                                    Interpolation interpolation) {
  check_samples(times, values, interpolation != Interpolation::spline);
  std::vector<double> moment;
  if (interpolation == Interpolation::spline) moment = spline_moments(times, values);
  std::vector<double> begins;
  std::vector<PiecewiseSignal::Piece> pieces;
  for (std::size_t i = 0; i + 1 < times.size(); ++i) {
    if (times[i] == times[i + 1]) continue;
    begins.push_back(times[i]);
    const double h = times[i + 1] - times[i];
    const double slope = (values[i + 1] - values[i]) / h;
    PiecewiseSignal::Piece p{values[i], 0, 0, 0};
    if (interpolation == Interpolation::linear) p[1] = slope;
    if (interpolation == Interpolation::spline) {
      p[1] = slope - h * (2 * moment[i] + moment[i + 1]) / 6;
      p[2] = moment[i] / 2;
      p[3] = (moment[i + 1] - moment[i]) / (6 * h);
    }
    pieces.push_back(p);
  }
  begins.push_back(times.back());
  return std::make_shared<PiecewiseSignal>(std::move(begins), std::move(pieces), values.front(),
                                           values.back());
}

std::shared_ptr<const Signal> table_from_csv(const std::string& text,
                                             const std::string& time_column,
                                             const std::string& value_column,
                                             Interpolation interpolation) {
  std::vector<double> times, values;
  std::size_t time_at = 0, value_at = 0, n_columns = 0, line_number = 0;
  const std::string_view byte_order_mark = "\xEF\xBB\xBF";  // spreadsheets like to begin with it
  for (std::size_t at = text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
       at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = std::string_view(text).substr(at, end - at);
    at = end + 1;
    ++line_number;
    if (line.find_first_not_of(" \r\t") == std::string_view::npos) continue;
    const std::vector<std::string> fields = fields_of(line);
    if (line_number == 1) {
      time_at = column_of(fields, time_column);
      value_at = column_of(fields, value_column);
      n_columns = fields.size();
      continue;
    }
    if (fields.size() > n_columns)
      throw ModelError("line " + std::to_string(line_number) + " of a table has " +
                       std::to_string(fields.size()) + " fields, its first line " +
                       std::to_string(n_columns) + "; numbers need a decimal point, not a comma");
    auto number = [&](std::size_t column) {
      const auto v = column < fields.size() ? read_double(fields[column]) : std::nullopt;
      if (!v)
        throw ModelError("line " + std::to_string(line_number) +
                         " of a table has no number in column " + std::to_string(column + 1));
      return *v;
    };
    times.push_back(number(time_at));
    values.push_back(number(value_at));
  }
  return table(times, values, interpolation);
}

std::shared_ptr<const Signal> callback(std::function<double(double)> value,
                                       std::vector<double> breakpoints) {
  if (!value) throw ModelError("a callback signal has no function");
  return callback([f = std::move(value)](double t, int) { return f(t); }, 0,
                  std::move(breakpoints));
}

std::shared_ptr<const Signal> callback(std::function<double(double, int)> value, int max_order,
                                       std::vector<double> breakpoints) {
  if (!value) throw ModelError("an input needs a function");
  std::sort(breakpoints.begin(), breakpoints.end());
  return std::make_shared<CallbackSignal>(std::move(value), max_order, std::move(breakpoints));
}

}  // namespace saltus
