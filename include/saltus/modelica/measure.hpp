// Numbers made of a whole run, as text: "max(x1 - x2)", "integral(F * v)", "max(h) - min(h)".
//
//   measure    an expression of numbers, parameters and reductions: max(h) / at(h, 0)
//   reduction  max(e), min(e), integral(e), mean(e)    over the run
//              duration(c), first(c), last(c)          of a condition: how long, from when on and until when it held
//              at(e, t)                                the value at a time; at(e, end)
//   all but the last with from = t, to = t: over a part of the run
//
// e is any expression of the variables, parameters and time, c any condition, as in a model (docs/reference/modelica.md),
// and t may be made of reductions: max(h, from = first(h < 0)). Nothing of it becomes a part of the model.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <saltus/expr/program.hpp>
#include <saltus/model/definition.hpp>
#include <saltus/modelica/diagnostic.hpp>
#include <saltus/modelica/read.hpp>

namespace saltus {

struct MeasureText {
  std::string name, text;
};

enum class Reduction : std::uint8_t { max, min, integral, mean, duration, first, last, at };

/// What a program of a measure reads, in the order of its only segment.
struct MeasureInput {
  enum class Kind : std::uint8_t { time, variable, derivative, parameter, reduced };
  Kind kind = Kind::time;
  std::string name;          // of a variable or parameter, with its element
  std::uint32_t number = 0;  // of what was reduced before
};

struct Reduced {
  Reduction reduction = Reduction::max;
  std::string text;  // of what is reduced
  std::vector<MeasureInput> inputs;
  /// Outputs: one switching function each for all that abs, min, max, if and conditions decide, then the expression (1
  /// where a condition holds, else 0). One decides as it goes; the other one takes decisions as they are.
  std::shared_ptr<const Program> deciding, decided;
  std::vector<SwitchId> switches;  // of the functions
  bool has_from = false, has_to = false, is_at_end = false;
};

/// Read, and compiled for any number of threads.
struct Measure {
  std::string name, text;
  /// Each after those that it reads.
  std::vector<Reduced> reduced;
  std::vector<MeasureInput> inputs;
  /// The number itself; then from and to of each reduction, of `at` the time as the first of them.
  std::shared_ptr<const Program> result;
};

struct ReadMeasures {
  std::vector<Measure> measures;        // in the order of the texts; none if there are errors
  std::vector<Diagnostic> diagnostics;  // their `file` is the name of the measure

  bool ok() const { return diagnostics.empty(); }
};

/// Of runs of a model as text, which is read with these options: its functions, enumerations and arrays are known.
ReadMeasures read_measures(std::span<const MeasureText> texts, std::string_view model,
                           const std::string& file_name, const ReadOptions& options = {});
/// Of runs of any model. Elements of arrays are written as in results: x[0].
ReadMeasures read_measures(std::span<const MeasureText> texts, const ModelDefinition& model);

}  // namespace saltus
