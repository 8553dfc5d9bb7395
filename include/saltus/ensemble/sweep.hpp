// Many runs of one model, by any number of workers that know nothing of each other but the folder of the journal.
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
  /// All that decides what a run gives, as text: segments of another sweep are not believed.
  std::string identity;
  /// Where values decide more than a built model can change (with_values): the model of a run from the names and values of
  /// the design. Called from several threads; what it throws (Error) is why the run fails.
  std::function<std::shared_ptr<const ModelDefinition>(std::span<const Named<double>>)> remake = {};
  /// The same for kept.where, where sizes of arrays may be others. None: as they are in kept.
  std::function<std::vector<Measure>(std::span<const Named<double>>)> remake_where = {};

  std::uint64_t fingerprint() const;
};

struct SweepProgress {
  std::uint64_t n_runs = 0;    // of this share
  std::uint64_t n_before = 0;  // were there already
  std::uint64_t n_done = 0;    // now
  std::uint64_t n_failed = 0;  // of all that is known
};

struct SweepOptions {
  std::uint32_t n_threads = 1;
  /// Share k of n: runs whose number is k modulo n.
  std::uint64_t shard = 0, n_shards = 1;
  /// Called from time to time, from one thread at a time; false: stop.
  std::function<bool(const SweepProgress&)> progress = {};
};

struct SweepReport {
  SweepProgress progress;
  std::vector<SegmentReport> broken;    // segments that were not all good
  std::optional<Failure> failure = {};  // why it did not go on: a full disk
  bool stopped = false;
  bool complete() const {
    return !failure && progress.n_before + progress.n_done == progress.n_runs;
  }
};

/// Does what is missing, and again what was out of time. Throws ModelError or OptionError if the first missing run cannot even begin: names, options.
SweepReport run_sweep(const SweepPlan& sweep, const std::filesystem::path& folder,
                      const SweepOptions& options = {});

}  // namespace saltus
