// A sweep as files: tables of all its runs, and a page.
#pragma once

#include <string>
#include <vector>

#include "program.hpp"
#include "sweep_manifest.hpp"

namespace saltus::app {

/// Formats by the ends of the names; without any, study.h5, study.csv and study.html beside study.toml. Partial while
/// runs are missing.
ExitCode finalize_sweep(const SweepManifest& manifest, const std::string& manifest_path,
                        std::vector<std::string> outputs, const Manner& manner);

}  // namespace saltus::app
