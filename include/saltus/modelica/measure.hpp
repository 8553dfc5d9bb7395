// Reads and compiles measures: numbers computed from a whole run, written as text: "max(x1 - x2)",
// "integral(F * v)", "max(h) - min(h)".
//
//   measure    an expression of numbers, parameters and reductions: max(h) / at(h, 0)
//   reduction  max(e), min(e), integral(e), mean(e)    over the run
//              duration(c), first(c), last(c)          of a condition: how long it held,
//                                                      when it first and last held
//              at(e, t)                                the value at a time; at(e, end)
//   all but the last with from = t, to = t: over a part of the run
//
// e is any expression of the variables, parameters and time, and c any condition, as in a model
// (docs/reference/modelica.md). t may contain reductions: max(h, from = first(h < 0)). A measure
// never becomes a part of the model.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <saltus/model/definition.hpp>
#include <saltus/model/measure.hpp>
#include <saltus/modelica/diagnostic.hpp>
#include <saltus/modelica/read.hpp>

namespace saltus {

struct MeasureText {
  std::string name, text;
};

struct ReadMeasures {
  std::vector<Measure> measures;        // in the order of the texts; none if there are errors
  std::vector<Diagnostic> diagnostics;  // their `file` is the name of the measure

  bool ok() const { return diagnostics.empty(); }
};

/// Reads measures of runs of a model given as text, which is read with these options. Functions,
/// enumerations and arrays of the text are known.
ReadMeasures read_measures(std::span<const MeasureText> texts, std::string_view model,
                           const std::string& file_name, const ReadOptions& options = {});
/// Reads measures of runs of any model. Elements of arrays are written as in results: x[0].
ReadMeasures read_measures(std::span<const MeasureText> texts, const ModelDefinition& model);

}  // namespace saltus
