// Reading a model from flat Modelica or Base Modelica.
//
//   const ReadModel belt = read_modelica(text, "belt.mo");
//   if (!belt.ok()) return fail(to_text(belt.diagnostics));
//   Solution s = simulate(*belt.model, {.t_end = belt.experiment.stop_time.value_or(1.0)});
//
// Nothing of the text is ever executed; what is not understood is refused by name. What is understood, and
// what it means, is in docs/reference/modelica.md.
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
  /// Instead of the values that the text gives to parameters, by name ("k", "p[2]"). All that follows from them is
  /// computed anew: other parameters, start values, sizes.
  std::vector<std::pair<std::string, double>> parameters = {};
  /// Instead of the values that variables start with, by name; they are kept as if they were fixed.
  std::vector<std::pair<std::string, double>> starts = {};
  /// What drives inputs, by name. One that nothing drives keeps its start value.
  std::vector<std::pair<std::string, std::shared_ptr<const Signal>>> inputs = {};
  /// Variables and equations that the text may become, once loops and arrays are written out.
  std::uint64_t max_elements = 1'000'000;
  /// More errors than these are not told.
  std::uint32_t max_errors = 20;
};

/// annotation(experiment(...)): what the author of a model wants it to be run with.
struct Experiment {
  std::optional<double> start_time, stop_time, tolerance, interval;
};

/// A parameter or constant as it was read.
struct ReadParameter {
  std::string name;
  double value = 0.0;
  std::string unit;
  std::string description;
  /// It can be given in ReadOptions: no constant, and it does not follow from others.
  bool can_be_set = false;
};

/// Where something stands in the text, in bytes.
struct TextPlace {
  std::string name;
  std::uint32_t begin = 0, length = 0;
};

struct ReadModel {
  std::unique_ptr<Model> model;  // none if there are errors
  std::string name;
  std::string description;
  Experiment experiment;
  std::vector<ReadParameter> parameters;
  /// Equations by their names in the model; declared names, arrays as a whole.
  std::vector<TextPlace> equations, variables;
  /// Errors, if there is no model; warnings.
  std::vector<Diagnostic> diagnostics;

  bool ok() const { return model != nullptr; }
};

/// A message about a place of a text that was read: as those of read_modelica.
Diagnostic diagnostic_at(std::string_view text, const std::string& file_name,
                         const TextPlace& place, DiagnosticKind kind, std::string message);

/// `file_name` is for messages only: no file is read.
ReadModel read_modelica(std::string_view text, const std::string& file_name,
                        const ReadOptions& options = {});

}  // namespace saltus
