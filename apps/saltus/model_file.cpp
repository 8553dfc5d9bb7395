#include "model_file.hpp"

#include <spdlog/spdlog.h>

#include <fstream>
#include <sstream>

#include <saltus/core/text.hpp>

#include "program.hpp"

namespace saltus::app {

std::string read_text_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  if (in) text << in.rdbuf();
  if (!in || in.bad()) {
    // A folder opens and cannot be read.
    if (!in.is_open())
      throw Problem(ExitCode::bad_model, "'" + path + "': no such file, or not readable");
    if (in.bad()) throw Problem(ExitCode::bad_model, "'" + path + "': cannot be read");
  }
  return std::move(text).str();
}

namespace {

std::pair<std::string, std::string> name_and_value(const std::string& text, const char* flag) {
  const std::size_t at = text.find('=');
  if (at == std::string::npos || at == 0)
    throw Problem(ExitCode::usage,
                  std::string(flag) + " " + text + ": expected name=value, as in " + flag + " k=3");
  return {text.substr(0, at), text.substr(at + 1)};
}

/// The column of that name, or the only one there is.
const ResultColumn& input_column(const ResultTable& table, const std::string& name,
                                 const std::string& path) {
  if (const ResultColumn* column = table.find(name)) return *column;
  if (table.columns.size() == 1) return table.columns.front();
  std::vector<std::string> names;
  for (const ResultColumn& column : table.columns) names.push_back(column.name);
  const auto near = nearest_name(name, names);
  throw Problem(ExitCode::bad_model, "'" + path + "': has no column '" + name + "'" +
                                         (near ? "; did you mean '" + std::string(*near) + "'?"
                                               : "; it has " + join(names, ", ")));
}

std::shared_ptr<const Signal> input_signal(const std::string& name, std::string path) {
  std::string column_name = name;
  // "file.csv:column", unless there is a file of that name.
  if (const std::size_t at = path.rfind(':'); at != std::string::npos && !std::ifstream(path)) {
    column_name = path.substr(at + 1);
    path.resize(at);
  }
  try {
    const ResultFile file = load_result(path);
    const ResultColumn& column = input_column(file.table, column_name, path);
    if (!column.present.empty())
      throw Problem(ExitCode::bad_model,
                    "'" + path + "': column '" + column.name + "' has empty fields");
    return table(file.table.times, column.values, Interpolation::linear);
  } catch (const Error& error) {
    throw Problem(ExitCode::bad_model, "input '" + name + "': " + error.what());
  }
}

}  // namespace

ReadModel load_model(const ModelFile& file) {
  ReadOptions options;
  for (const std::string& text : file.parameters) {
    const auto [name, value] = name_and_value(text, "-p");
    const std::optional<double> number = read_double(value);
    if (!number) throw Problem(ExitCode::usage, "-p " + text + ": '" + value + "' is no number");
    options.parameters.emplace_back(name, *number);
  }
  for (const std::string& text : file.inputs) {
    const auto [name, path] = name_and_value(text, "--input");
    options.inputs.emplace_back(name, input_signal(name, path));
  }
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
  for (const Diagnostic& one : model.diagnostics) spdlog::warn("{}", to_text(one));
  return model;
}

std::vector<ResultParameter> result_parameters(const ReadModel& model) {
  std::vector<ResultParameter> out;
  for (const ReadParameter& parameter : model.parameters)
    out.push_back({parameter.name, parameter.unit, parameter.description, parameter.value});
  return out;
}

}  // namespace saltus::app
