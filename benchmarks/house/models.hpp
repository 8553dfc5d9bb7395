// Twenty runs: events, sliding, modes, contacts, index 3, on all engines. Each has an input that is set from outside.
#pragma once

#include <string>
#include <vector>

#include <saltus/saltus.hpp>

namespace saltus::house {

struct NamedRun {
  std::string model;
  void (*write)(Model&);
  EngineKind engine;
  double t_end;
};

/// Each on one engine at least, so that there are five runs of each engine.
std::vector<NamedRun> all_runs();
std::string text_of(const NamedRun& run);
RunOptions options_of(const NamedRun& run);

/// The same model with a table of steps as its input: times begin at 0.
void write_with_table(const NamedRun& run, Model& m, const std::vector<double>& times,
                      const std::vector<double>& values);

}  // namespace saltus::house
