// A model and what a command line says about it.
#pragma once

#include <string>
#include <vector>

#include <saltus/io/result_file.hpp>
#include <saltus/modelica.hpp>

namespace saltus::app {

struct ModelFile {
  std::string path;
  std::vector<std::string> parameters;  // "k=3"
  std::vector<std::string> inputs;      // "u=measured.csv", "u=measured.csv:voltage"
};

/// Reads it; warnings go to the log. Throws Problem.
ReadModel load_model(const ModelFile& file);

std::vector<ResultParameter> result_parameters(const ReadModel& model);

}  // namespace saltus::app
