// Programs whose arguments are only what they read.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <saltus/expr/program.hpp>

#include "lower/layout/layout.hpp"

namespace saltus::detail {

/// A program for a few expressions of a large system: its arguments are gathered from the system's.
struct GatheredProgram {
  /// Arguments of the program; which entries of the system's vectors they are is written below.
  enum Argument : std::size_t { time, x, signals, parameters, discrete, previous };

  std::shared_ptr<const Program> program;
  std::vector<std::uint32_t> unknowns;       // of the layout
  std::vector<std::uint32_t> signal_values;  // of the layout
  std::vector<std::uint32_t> parameter_numbers;
  std::vector<std::uint32_t> discrete_numbers;
  std::vector<std::uint32_t> previous_numbers;  // of the graph
  bool reads_time = false;
  bool reads_others = false;  // than time and unknowns
};

/// Compiles outputs that read no x'; others are refused by the name of the derivative.
GatheredProgram gather(const Graph& graph, const Layout& layout, std::span<const Output> outputs);

/// What expressions read when they are evaluated under locks: values, and relations decided in place.
struct ReadSet {
  std::vector<InputId> inputs;  // ascending
  std::vector<const ExternalFunction*> functions;
};
ReadSet read_by(const Graph& graph, std::span<const Output> outputs);

}  // namespace saltus::detail
