// Reads a model from flat Modelica or Base Modelica.
//
//   const ReadModel belt = read_modelica(text, "belt.mo");
//   if (!belt.ok()) return fail(to_text(belt.diagnostics));
//   Solution s = simulate(*belt.model, {.t_end = belt.experiment.stop_time.value_or(1.0)});
//
// The text is never executed, and unsupported constructs are refused by name.
// docs/reference/modelica.md lists what is supported and what it means.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <saltus/model/model.hpp>
#include <saltus/modelica/diagnostic.hpp>

namespace saltus {

struct ReadOptions {
  /// Replace values that the text gives to parameters, by name ("k", "p[2]"). All values that
  /// follow from them are recomputed: other parameters, start values, sizes.
  std::vector<std::pair<std::string, double>> parameters = {};
  /// Replace start values of variables, by name. They are kept as if they were fixed.
  std::vector<std::pair<std::string, double>> starts = {};
  /// Signals that drive inputs, by name. An input without a signal keeps its start value.
  std::vector<std::pair<std::string, std::shared_ptr<const Signal>>> inputs = {};
  /// Limits the number of variables and equations after loops and arrays are expanded.
  std::uint64_t max_elements = 1'000'000;
  /// Limits the number of errors reported.
  std::uint32_t max_errors = 20;
};

/// annotation(experiment(...)): the run settings that the author of the model wants.
struct Experiment {
  std::optional<double> start_time, stop_time, tolerance, interval;
};

/// A parameter or constant as it was read.
struct ReadParameter {
  std::string name;
  double value = 0.0;
  std::string unit;
  std::string description;
  /// Whether it can be given in ReadOptions: it is not a constant and does not follow from others.
  bool can_be_set = false;
};

/// A place in the text, in bytes.
struct TextPlace {
  std::string name;
  std::uint32_t begin = 0, length = 0;
};

struct ReadModel {
  std::unique_ptr<Model> model;  // null if there are errors
  std::string name;
  std::string description;
  Experiment experiment;
  std::vector<ReadParameter> parameters;
  /// Equations by their names in the model; declared names, arrays as a whole.
  std::vector<TextPlace> equations, variables;
  /// Errors if there is no model, and warnings.
  std::vector<Diagnostic> diagnostics;

  bool ok() const { return model != nullptr; }
};

/// Returns a message about a place of a text that was read, in the form of those of read_modelica.
Diagnostic diagnostic_at(std::string_view text, const std::string& file_name,
                         const TextPlace& place, DiagnosticKind kind, std::string message);

/// Reads a model. `file_name` is used in messages only; no file is opened.
ReadModel read_modelica(std::string_view text, const std::string& file_name,
                        const ReadOptions& options = {});

}  // namespace saltus
