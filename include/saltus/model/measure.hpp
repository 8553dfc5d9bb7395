// Measures: numbers computed from a whole run of a model, compiled. saltus/modelica/measure.hpp reads them from text.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <saltus/expr/program.hpp>

namespace saltus {

enum class Reduction : std::uint8_t { max, min, integral, mean, duration, first, last, at };

/// An input of a compiled measure, in the order of its only segment.
struct MeasureInput {
  enum class Kind : std::uint8_t { time, variable, derivative, parameter, reduced };
  Kind kind = Kind::time;
  std::string name;          // of a variable or parameter, with its element
  std::uint32_t number = 0;  // of an earlier reduction
};

struct Reduced {
  Reduction reduction = Reduction::max;
  std::string text;  // of the reduced expression
  std::vector<MeasureInput> inputs;
  /// Programs. Their outputs are one switching function for each decision of abs, min, max, if and
  /// conditions, then the expression (1 where a condition holds, else 0). `deciding` makes the
  /// decisions as it runs; `decided` takes them as given.
  std::shared_ptr<const Program> deciding, decided;
  std::vector<SwitchId> switches;  // of the functions
  bool has_from = false, has_to = false, is_at_end = false;
};

/// A measure, read and compiled for any number of threads.
struct Measure {
  std::string name, text;
  /// Reductions, each after those that it reads.
  std::vector<Reduced> reduced;
  std::vector<MeasureInput> inputs;
  /// Computes the number itself, then `from` and `to` of each reduction; for `at`, the time is the
  /// first of the two.
  std::shared_ptr<const Program> result;
};

}  // namespace saltus
