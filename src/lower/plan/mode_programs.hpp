// The programs of one mode: residual, Jacobian, explicit form, outputs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <saltus/model/definition.hpp>

#include "lower/layout/layout.hpp"

namespace saltus::detail {

/// Row i of the model's equations alone determines der of one unknown, linearly:
/// x'[unknown] = -F_i(t, x, 0) / slope.
struct ExplicitRow {
  std::uint32_t unknown = 0;
  double slope = 1.0;           // if it is a number
  std::uint32_t output = none;  // else where the program leaves it
};

struct ModePrograms {
  ModePrograms(const Graph& graph, const Layout& layout, std::span<const NodeId> rows,
               std::span<const NodeId> outputs);

  /// Rows of the model's equations; those that tie derivatives to their successors follow after and
  /// are no part of any program.
  std::shared_ptr<const Program> residual;
  /// dF/dx on pattern, then dF/dx' on pattern, tying equations included.
  std::shared_ptr<const Program> jacobian;
  CscPattern pattern;
  /// Entries of the tying equations: slots and their constant values.
  struct Constant {
    std::size_t slot;
    double value;
  };
  std::vector<Constant> constants;
  /// It reads nothing that changes between events.
  bool jacobian_is_constant = false;

  /// Empty if the equations do not give the derivatives one by one.
  std::vector<ExplicitRow> explicit_rows;
  std::shared_ptr<const Program> explicit_form;

  /// Expressions the user asked for; null if there are none.
  std::shared_ptr<const Program> outputs;
};

}  // namespace saltus::detail
