// Which entry of an engine's vector is which derivative of which variable.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <saltus/model/definition.hpp>

namespace saltus::detail {

/// Appends one input, lengthening the last range where it continues it.
void append_input(InputSegment& segment, const Input& in);

/// First-order form without blind copies: a variable whose highest derivative has order m takes the
/// unknowns x, x', …, x^(m-1), and each but the last is tied to its successor by one equation. A
/// variable with m <= 1 is one unknown. The model's unknowns come first, in the order of their
/// numbers, so that arrays stay contiguous; the additional ones follow.
class Layout {
 public:
  /// Derivatives as they occur in the rows, which are nodes of `graph`. Highest derivatives that are
  /// listed as `own` are unknowns, too, and not read from x'.
  static Layout of_rows(const ModelDefinition& model, const Graph& graph,
                        std::span<const NodeId> rows, std::span<const Input> own);
  /// Variable i takes the unknowns x, x', …, x^(highest[i]), all of them: rows contain no others, and
  /// nothing is read from x'.
  static Layout of_orders(const ModelDefinition& model, const Graph& graph,
                          std::span<const std::uint32_t> highest);

  struct Unknown {
    Input input;                     // the variable and which of its derivatives
    Input derivative;                // what is read from x'
    std::uint32_t successor = none;  // the unknown that is this one's derivative
    bool carries_derivative = false;
  };

  std::uint32_t size() const { return static_cast<std::uint32_t>(unknowns_.size()); }
  /// Unknowns that are variables of the model; the others are derivatives of them.
  std::uint32_t n_variables() const { return n_variables_; }
  const Unknown& operator[](std::uint32_t i) const { return unknowns_[i]; }
  std::span<const Unknown> unknowns() const { return unknowns_; }

  /// The unknown that is a derivative of a variable (or the variable itself); none if it is read
  /// from x'.
  std::uint32_t unknown_of(const Graph& graph, const Input& in) const;

  /// Arguments of compiled programs.
  enum Argument : std::size_t { time, x, xdot, signals, parameters, discrete, previous };
  std::vector<InputSegment> segments(const Graph& graph) const;
  InputSegment x_segment() const;
  InputSegment xdot_segment() const;

  /// The values of `signals`, in their order: a signal and which of its derivatives.
  struct SignalValue {
    std::uint32_t signal;
    std::uint32_t order;
  };
  std::span<const SignalValue> signal_values() const { return signal_values_; }

 private:
  /// `n_taken` unknowns of each variable; whether the derivative of the last occurs.
  Layout(const ModelDefinition& model, const Graph& graph, std::span<const std::uint32_t> n_taken,
         std::span<const std::uint8_t> goes_on);
  void add_signals(const ModelDefinition& model, const Graph& graph);

  std::vector<Unknown> unknowns_;
  std::uint32_t n_variables_ = 0;
  std::vector<SignalValue> signal_values_;
};

}  // namespace saltus::detail
