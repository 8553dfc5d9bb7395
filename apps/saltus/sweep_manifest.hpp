// A sweep as a text (TOML): the model, what varies, what is kept.
#pragma once

#include <filesystem>
#include <string>

#include <saltus/ensemble.hpp>
#include <saltus/modelica.hpp>

#include "model_file.hpp"

namespace saltus::app {

struct SweepManifest {
  SweepPlan plan;
  std::filesystem::path folder;   // of the journal, beside the manifest
  ModelFile model;                // with the parameters that are the same in all runs
  ModelText source;               // to be read with values of runs
  std::string text, model_text;   // as they were read
  std::vector<std::string> read;  // all files that it is made of

  /// The model of a run as a command line would say it.
  ModelFile model_of(std::uint64_t run) const;
};

/// Throws Problem, with the line where something is wrong.
SweepManifest read_manifest(const std::string& path);

}  // namespace saltus::app
