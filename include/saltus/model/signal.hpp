// Defines the signals that drive inputs: tables and callbacks as functions of time.
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

/// A piece of a signal that is the polynomial sum_k c_k (t - origin)^k.
struct SignalPiece {
  static constexpr int degree = 3;
  double origin = 0.0;
  std::array<double, degree + 1> c{};
};

/// A function of time with derivatives. Threads share it, so all members are const.
///
/// Between two consecutive breakpoints all derivatives up to `max_order()` are continuous. A
/// simulation steps exactly to each breakpoint and continues from its right limit.
class Signal {
 public:
  virtual ~Signal() = default;
  /// Returns the derivative of the given order (0: the value) at t.
  virtual double value(double t, int order, Side side = Side::right) const = 0;
  /// Returns the times in (t_from, t_to] at which some derivative jumps, ascending.
  virtual std::vector<double> breakpoints(double t_from, double t_to) const = 0;
  /// Returns the first breakpoint that a run from t to t_end meets, forward or backward: strictly
  /// after t, at t_end at the latest. A run calls this at each breakpoint. The default
  /// implementation lists all that remain, so signals with many breakpoints should override it.
  virtual std::optional<double> next_breakpoint(double t, double t_end) const;
  /// Returns the highest derivative that value() supports.
  virtual int max_order() const = 0;
  /// Returns the polynomial that equals the signal between two times (in either order), or nothing
  /// if there is none or it is not known. Saltus can prove that it found all events that depend on
  /// the signal only where the polynomial is known.
  virtual std::optional<SignalPiece> piece(double, double) const { return std::nullopt; }
};

enum class Interpolation {
  step,    // the value of the last sample; jumps at every sample
  linear,  // straight lines; kinks at every sample
  spline,  // natural cubic spline: continuous up to the second derivative
};

/// Returns a tabulated signal. It keeps the end values before the first and after the last sample.
/// Times must increase and all numbers must be finite; the message for a violation names the row.
/// Two rows with the same time are a jump (not allowed in a spline).
std::shared_ptr<const Signal> table(std::span<const double> times, std::span<const double> values,
                                    Interpolation interpolation);

/// Does the same for comma-separated text with one header line; columns are chosen by name.
std::shared_ptr<const Signal> table_from_csv(const std::string& text,
                                             const std::string& time_column,
                                             const std::string& value_column,
                                             Interpolation interpolation);

/// Returns a signal that calls value(t, order) for orders up to max_order. The function must be
/// smooth except at the given breakpoints. At a breakpoint it is called at the two numbers next to
/// t, one for each limit.
std::shared_ptr<const Signal> callback(std::function<double(double t, int order)> value,
                                       int max_order, std::vector<double> breakpoints = {});
/// Does the same without derivatives. An undeclared jump may be missed.
std::shared_ptr<const Signal> callback(std::function<double(double t)> value,
                                       std::vector<double> breakpoints = {});

}  // namespace saltus
