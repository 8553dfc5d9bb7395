// saltus sweep: many runs of one model, begun, continued, looked at and gathered.
#include <CLI/CLI.hpp>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include <saltus/ensemble.hpp>

#include "commands.hpp"
#include "interrupt.hpp"
#include "sweep_finalize.hpp"
#include "sweep_manifest.hpp"
#include "sweep_ranks.hpp"
#include "sweep_words.hpp"

namespace saltus::app {

namespace {

class SweepCommand final : public Command {
 public:
  CLI::App* add_to(CLI::App& program) override {
    CLI::App* command =
        program.add_subcommand("sweep", "many runs of a model: start, resume, status, finalize");
    command->add_option("action", action_, "start, resume, status or finalize")
        ->required()
        ->check(CLI::IsMember({"start", "resume", "status", "finalize"}));
    command->add_option("manifest", manifest_, "parameters to vary and values to keep (TOML)")
        ->required();
    command->add_option(
        "--threads", threads_,
        "workers in this process; default: one per core (of saltus-mpi: one per rank)");
    command->add_option("--shard", shard_, "k/n: every n-th run from number k on, k = 0 ... n-1");
    command->add_option(
        "-o,--output", outputs_,
        "finalize: a table (.h5, .csv) or a page (.html), may be repeated; default: "
        "one of each, named as the manifest");
    return command;
  }

  ExitCode execute(const Manner& manner) override {
    const SweepManifest manifest = read_manifest(manifest_);
    if (action_ == "status")
      return tell_sweep_status(manifest.plan, manifest.folder, manifest_, manner);
    if (action_ == "finalize") return finalize_sweep(manifest, manifest_, outputs_, manner);
    return work(manifest, manner);
  }

 private:
  void find_shard(SweepOptions& options) const {
    if (shard_.empty()) return;
    const auto slash = shard_.find('/');
    try {
      if (slash == std::string::npos ||
          shard_.find_first_not_of("0123456789/") != std::string::npos)
        throw std::invalid_argument(shard_);
      options.shard = std::stoull(shard_.substr(0, slash));
      options.n_shards = std::stoull(shard_.substr(slash + 1));
    } catch (const std::exception&) {
      throw Problem(ExitCode::usage, "--shard " + shard_ + " is not of the form k/n, as 0/8");
    }
    if (options.shard >= options.n_shards)
      throw Problem(ExitCode::usage, "--shard " + shard_ + ": k goes from 0 to n - 1");
  }

  /// One rank looks after the folder; false: it said no.
  bool begin(const SweepManifest& manifest) const {
    if (rank_of_this_process() != 0) return as_the_first_says(true);
    try {
      prepare_folder(manifest);
    } catch (const Problem&) {
      (void)as_the_first_says(false);
      throw;
    }
    return as_the_first_says(true);
  }

  void prepare_folder(const SweepManifest& manifest) const {
    const bool begun = !journal_segments(manifest.folder).empty();
    if (action_ == "start" && begun && shard_.empty())
      throw Problem(ExitCode::usage, manifest.folder.string() + what_to_do_with_runs(manifest));
    if (action_ == "resume" && !begun)
      throw Problem(ExitCode::usage,
                    manifest.folder.string() + " has no runs: saltus sweep start " + manifest_);
    std::error_code error;
    std::filesystem::create_directories(manifest.folder, error);
    if (error)
      throw Problem(ExitCode::cannot_write,
                    "cannot make " + manifest.folder.string() + ": " + error.message());
  }

  std::string what_to_do_with_runs(const SweepManifest& manifest) const {
    if (SweepRows(manifest.plan, manifest.folder).n_known() > 0)
      return " has runs already: saltus sweep resume " + manifest_ + " continues them";
    return " has runs of another sweep: the manifest, the model or the version of Saltus has "
           "changed; saltus "
           "sweep resume " +
           manifest_ +
           " computes all runs of this sweep beside them; with folder = \"...\" in the manifest "
           "this sweep gets its own folder";
  }

  ExitCode work(const SweepManifest& manifest, const Manner& manner) {
    SweepOptions options;
    options.n_threads = threads_ > 0 ? threads_ : std::max(1u, std::thread::hardware_concurrency());
    find_shard(options);
    if (!begin(manifest)) return ExitCode::ok;
    const bool shown = !manner.quiet && !manner.json && isatty(STDERR_FILENO) != 0;
    const auto begin = std::chrono::steady_clock::now();
    const auto seconds = [&] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    };
    options.progress = [&](const SweepProgress& p) {
      if (shown) std::fprintf(stderr, "\r\x1b[K%s", sweep_line(p, seconds()).c_str());
      return !interrupted();
    };
    std::optional<SweepReport> share;
    try {
      share = run_share(manifest.plan, manifest.folder, options);
    } catch (const Error& error) {
      if (shown) std::fputs("\r\x1b[K", stderr);
      throw Problem(ExitCode::bad_model, error.what());
    }
    if (!share) return ExitCode::ok;  // the first rank speaks for all
    const SweepReport& report = *share;
    if (shown) std::fputs("\r\x1b[K", stderr);
    warn_of(report.broken);
    if (report.failure) throw Problem(ExitCode::cannot_write, report.failure->message);
    const ExitCode code = report.stopped ? ExitCode::interrupted : ExitCode::ok;
    tell_sweep(report.progress, sweep_line(report.progress, seconds()), code, manner);
    if (report.stopped) spdlog::warn("interrupted; saltus sweep resume {} continues", manifest_);
    return code;
  }

  std::string action_, manifest_, shard_;
  std::vector<std::string> outputs_;
  std::uint32_t threads_ = 0;
};

}  // namespace

std::unique_ptr<Command> sweep_command() { return std::make_unique<SweepCommand>(); }

}  // namespace saltus::app
