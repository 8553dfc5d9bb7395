// A model and what a command line says about it.
#pragma once

#include <string>
#include <vector>

#include <saltus/io/result_file.hpp>
#include <saltus/modelica.hpp>

namespace CLI {
class App;
}

namespace saltus::app {

struct ModelFile {
  std::string path;
  std::vector<std::string> parameters;  // "k=3"
  std::vector<std::string> inputs;      // "u=measured.csv", "u=measured.csv:voltage"
  std::vector<std::string> held;        // inputs that keep each value until the next row
  std::vector<std::string> starts;      // "x=1"
};

/// Flags that describe it.
void add_model_flags(CLI::App& command, ModelFile& file);

/// Reads it; warnings go to the log. Throws Problem.
ReadModel load_model(const ModelFile& file);

/// The model and what drives it.
std::vector<std::string> files_read(const ModelFile& file);

/// Warns of inputs whose tables do not cover the run.
void compare_inputs(const ModelFile& file, double t_begin, double t_end);

std::vector<ResultParameter> result_parameters(const ReadModel& model);

}  // namespace saltus::app
