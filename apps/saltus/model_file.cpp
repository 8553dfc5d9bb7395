#include "model_file.hpp"

#include <CLI/CLI.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <tuple>

#include <saltus/core/text.hpp>

#include "program.hpp"

namespace saltus::app {

void add_model_flags(CLI::App& command, ModelFile& file) {
  const auto several = [](CLI::Option* option) { option->take_all()->allow_extra_args(false); };
  command.add_option("model", file.path, "flat Modelica text (.mo)")->required();
  several(command.add_option("-p,--parameter", file.parameters, "name=value of a parameter")
              ->type_name("NAME=VALUE"));
  several(command.add_option("--initial", file.starts, "name=value that a variable starts with")
              ->type_name("NAME=VALUE"));
  several(command
              .add_option("--input", file.inputs,
                          "values of an input over time: u=file.csv, or u=file.csv:column")
              ->type_name("NAME=FILE[:COLUMN]"));
  several(
      command
          .add_option(
              "--hold", file.held,
              "keep each value of this input until the next row, instead of linear interpolation")
          ->type_name("NAME"));
}

namespace {

std::pair<std::string, std::string> name_and_value(const std::string& text, const char* flag) {
  const std::size_t at = text.find('=');
  if (at == std::string::npos || at == 0)
    throw Problem(ExitCode::usage,
                  std::string(flag) + " " + text + ": expected name=value, as in " + flag + " k=3");
  return {text.substr(0, at), text.substr(at + 1)};
}

/// "u=file.csv:column", "u=file.csv"; the file may have a colon in its name.
struct InputFile {
  std::string name, path;
  std::optional<std::string> column;

  explicit InputFile(const std::string& text) {
    std::tie(name, path) = name_and_value(text, "--input");
    if (const std::size_t at = path.rfind(':'); at != std::string::npos && !std::ifstream(path)) {
      column = path.substr(at + 1);
      path.resize(at);
    }
  }
};

/// The column asked for; if none was, that of the input's name, or the only one there is.
const ResultColumn& input_column(const ResultTable& table, const InputFile& input) {
  const std::string name = input.column.value_or(input.name);
  if (const ResultColumn* column = table.find(name)) return *column;
  if (!input.column && table.columns.size() == 1) return table.columns.front();
  std::vector<std::string> names;
  for (const ResultColumn& column : table.columns) names.push_back(column.name);
  const auto near = nearest_name(name, names);
  throw Problem(ExitCode::bad_model, "'" + input.path + "': has no column '" + name + "'" +
                                         (near ? "; did you mean '" + std::string(*near) + "'?"
                                               : "; it has " + join(names, ", ")));
}

std::shared_ptr<const Signal> input_signal(const InputFile& input, Interpolation interpolation) {
  try {
    const ResultFile file = load_result(input.path);
    const ResultColumn& column = input_column(file.table, input);
    if (!column.present.empty())
      throw Problem(ExitCode::bad_model,
                    "'" + input.path + "': column '" + column.name + "' has empty fields");
    return table(file.table.times, column.values, interpolation);
  } catch (const Error& error) {
    throw Problem(ExitCode::bad_model, "input '" + input.name + "': " + error.what());
  }
}

std::vector<std::pair<std::string, double>> numbers_given(const std::vector<std::string>& texts,
                                                          const char* flag) {
  std::vector<std::pair<std::string, double>> out;
  for (const std::string& text : texts) {
    const auto [name, value] = name_and_value(text, flag);
    const std::optional<double> number = read_double(value);
    if (!number)
      throw Problem(ExitCode::usage,
                    std::string(flag) + " " + text + ": '" + value + "' is not a number");
    out.emplace_back(name, *number);
  }
  return out;
}

}  // namespace

ReadModel load_model(const ModelFile& file) {
  ReadOptions options;
  options.parameters = numbers_given(file.parameters, "-p");
  options.starts = numbers_given(file.starts, "--initial");
  for (const std::string& text : file.inputs) {
    const InputFile input(text);
    const bool held = std::find(file.held.begin(), file.held.end(), input.name) != file.held.end();
    options.inputs.emplace_back(
        input.name, input_signal(input, held ? Interpolation::step : Interpolation::linear));
  }
  for (const std::string& name : file.held)
    if (std::none_of(options.inputs.begin(), options.inputs.end(),
                     [&](const auto& input) { return input.first == name; }))
      throw Problem(
          ExitCode::usage,
          "--hold " + name + ": this is for inputs from a file; give --input " + name + "=… too");
  const std::string text = read_text_file(file.path);
  ReadModel model = read_modelica(text, file.path, options);
  if (!model.ok()) {
    std::string message = "the model cannot be read";
    for (const Diagnostic& one : model.diagnostics)
      if (one.is_error()) {
        message = one.message;
        break;
      }
    throw Problem(ExitCode::bad_model, message, std::move(model.diagnostics));
  }
  if (spdlog::should_log(spdlog::level::warn)) {
    const std::string said = to_text(model.diagnostics);
    std::fwrite(said.data(), 1, said.size(), stderr);
  }
  return model;
}

std::vector<std::string> files_read(const ModelFile& file) {
  std::vector<std::string> out{file.path};
  for (const std::string& text : file.inputs) out.push_back(InputFile(text).path);
  return out;
}

void compare_inputs(const ModelFile& file, double t_begin, double t_end) {
  for (const std::string& text : file.inputs) {
    const InputFile input(text);
    const std::vector<double> times = load_result(input.path).table.times;
    const auto [first, last] = std::minmax(t_begin, t_end);
    if (times.empty() || (times.front() <= first && times.back() >= last)) continue;
    spdlog::warn(
        "input '{}': {} has rows from {:.7g} s to {:.7g} s, the run goes from {:.7g} s to "
        "{:.7g} s; outside its rows it keeps its end values",
        input.name, input.path, times.front(), times.back(), t_begin, t_end);
  }
}

std::vector<ResultParameter> result_parameters(const ReadModel& model) {
  std::vector<ResultParameter> out;
  for (const ReadParameter& parameter : model.parameters)
    out.push_back({parameter.name, parameter.unit, parameter.description, parameter.value});
  return out;
}

}  // namespace saltus::app
