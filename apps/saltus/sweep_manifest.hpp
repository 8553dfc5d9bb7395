// A sweep as a text (TOML): the model, what varies, what is kept.
#pragma once

#include <filesystem>
#include <string>

#include <saltus/ensemble.hpp>

namespace saltus::app {

struct SweepManifest {
  SweepPlan plan;
  std::filesystem::path folder;  // of the journal, beside the manifest
};

/// Throws Problem, with the line where something is wrong.
SweepManifest read_manifest(const std::string& path);

}  // namespace saltus::app
