// Inputs driven from outside: tables and callbacks as functions of time.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <saltus/core/side.hpp>

namespace saltus {

/// A stretch on which a signal is the polynomial sum_k c_k (t - origin)^k.
struct SignalPiece {
  static constexpr int degree = 3;
  double origin = 0.0;
  std::array<double, degree + 1> c{};
};

/// A function of time with derivatives. Shared between threads: const members only.
///
/// Between two consecutive breakpoints all derivatives up to `max_order()` are continuous; a
/// simulation steps exactly to each breakpoint and continues from its right limit.
class Signal {
 public:
  virtual ~Signal() = default;
  /// The derivative of the given order (0: the value) at t.
  virtual double value(double t, int order, Side side = Side::right) const = 0;
  /// Times in (t_from, t_to] at which some derivative jumps, ascending.
  virtual std::vector<double> breakpoints(double t_from, double t_to) const = 0;
  /// The breakpoint that a run from t to t_end, forward or backward, meets first: strictly after t,
  /// at t_end at the latest. Asked for at each breakpoint: signals with many should override this,
  /// which makes the list of all that are left.
  virtual std::optional<double> next_breakpoint(double t, double t_end) const;
  /// The highest derivative that can be asked for.
  virtual int max_order() const = 0;
  /// The polynomial that it is between two times (in either order); none if there is no such one or
  /// it is not known. Events that depend on the signal are proven to be found only where it is.
  virtual std::optional<SignalPiece> piece(double, double) const { return std::nullopt; }
};

enum class Interpolation {
  step,    // the value of the last sample; jumps at every sample
  linear,  // straight lines; kinks at every sample
  spline,  // natural cubic spline: continuous up to the second derivative
};

/// A tabulated signal. Before the first and after the last sample it keeps the end value.
/// Times must increase and all numbers be finite; violations are refused with their row. Two rows of the same time
/// are a jump (not of a spline).
std::shared_ptr<const Signal> table(std::span<const double> times, std::span<const double> values,
                                    Interpolation interpolation);

/// The same from comma-separated text with one header line; columns are chosen by name.
std::shared_ptr<const Signal> table_from_csv(const std::string& text,
                                             const std::string& time_column,
                                             const std::string& value_column,
                                             Interpolation interpolation);

/// A callback: value(t, order) for orders up to max_order, smooth but for the given breakpoints. At a
/// breakpoint it is asked for its values at the two numbers next to t, one for each limit.
std::shared_ptr<const Signal> callback(std::function<double(double t, int order)> value,
                                       int max_order, std::vector<double> breakpoints = {});
/// The same without derivatives. A jump that is not declared as a breakpoint can be stepped over.
std::shared_ptr<const Signal> callback(std::function<double(double t)> value,
                                       std::vector<double> breakpoints = {});

}  // namespace saltus
