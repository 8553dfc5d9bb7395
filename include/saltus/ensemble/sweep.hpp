// Sweeps: many runs of one model, by any number of workers that share only the folder of the
// journal.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <saltus/ensemble/design.hpp>
#include <saltus/ensemble/journal.hpp>
#include <saltus/ensemble/kept.hpp>
#include <saltus/hybrid/options.hpp>
#include <saltus/model/definition.hpp>

namespace saltus {

struct SweepPlan {
  std::shared_ptr<const ModelDefinition> model;
  RunOptions options;
  Design design;
  Kept kept;
  /// Everything that determines the results of a run, as text. Segments of another sweep are
  /// ignored.
  std::string identity;
  /// Makes the model of a run from the names and values of the design, for values that a built
  /// model cannot change (with_values). Called from several threads. If it throws Error, the run
  /// fails with that reason.
  std::function<std::shared_ptr<const ModelDefinition>(std::span<const Named<double>>)> remake = {};
  /// The same for kept.where, if sizes of arrays may differ. None: kept.where is used as it is.
  std::function<std::vector<Measure>(std::span<const Named<double>>)> remake_where = {};

  std::uint64_t fingerprint() const;
};

struct SweepProgress {
  std::uint64_t n_runs = 0;    // in this share
  std::uint64_t n_before = 0;  // known before the call
  std::uint64_t n_done = 0;    // by this call
  std::uint64_t n_failed = 0;  // among all known runs
};

struct SweepOptions {
  std::uint32_t n_threads = 1;
  /// Share k of n: the runs whose number is k modulo n.
  std::uint64_t shard = 0, n_shards = 1;
  /// Called from time to time, from one thread at a time. Returning false stops the sweep.
  std::function<bool(const SweepProgress&)> progress = {};
};

struct SweepReport {
  SweepProgress progress;
  std::vector<SegmentReport> broken;    // segments with damaged parts
  std::optional<Failure> failure = {};  // why it could not continue, e.g. a full disk
  bool stopped = false;
  bool complete() const {
    return !failure && progress.n_before + progress.n_done == progress.n_runs;
  }
};

/// Computes the missing runs, and repeats those that were out of time. Throws ModelError or
/// OptionError if the first missing run cannot begin (unknown names, invalid options).
SweepReport run_sweep(const SweepPlan& sweep, const std::filesystem::path& folder,
                      const SweepOptions& options = {});

}  // namespace saltus
