// saltus sweep: many runs of one model, begun, continued, looked at and gathered.
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <map>
#include <thread>

#include <saltus/core/text.hpp>
#include <saltus/ensemble.hpp>

#include "commands.hpp"
#include "interrupt.hpp"
#include "sweep_manifest.hpp"
#include "sweep_ranks.hpp"
#include "written_files.hpp"

namespace saltus::app {

namespace {

/// "1234 of 10000 runs, 3 failed, 812 per second, about 11 s left"
std::string sweep_line(const SweepProgress& p, double wall_time_s) {
  const std::uint64_t known = p.n_before + p.n_done;
  std::string line = fmt::format("{} of {} runs, {} failed", known, p.n_runs, p.n_failed);
  if (wall_time_s > 0.5 && p.n_done > 0) {
    const double rate = static_cast<double>(p.n_done) / wall_time_s;
    line += fmt::format(", {:.3g} per second", rate);
    if (known < p.n_runs)
      line += fmt::format(", about {:.0f} s left",
                          std::ceil(static_cast<double>(p.n_runs - known) / rate));
  }
  return line;
}

class SweepCommand final : public Command {
 public:
  CLI::App* add_to(CLI::App& program) override {
    CLI::App* command =
        program.add_subcommand("sweep", "many runs of a model: start, resume, status, table");
    command->add_option("action", action_, "start, resume, status or table")
        ->required()
        ->check(CLI::IsMember({"start", "resume", "status", "table"}));
    command->add_option("manifest", manifest_, "what varies and what is kept (TOML)")->required();
    command->add_option(
        "--threads", threads_,
        "workers in this process; default: one per core (of saltus-mpi: one per rank)");
    command->add_option("--shard", shard_, "k/n: every n-th run from number k on, k = 0 ... n-1");
    command->add_option("-o,--output", output_, "table: a CSV file; default: that of the manifest");
    return command;
  }

  ExitCode execute(const Manner& manner) override {
    const SweepManifest manifest = read_manifest(manifest_);
    if (action_ == "status") return tell_status(manifest, manner);
    if (action_ == "table") return write_table(manifest, manner);
    return work(manifest, manner);
  }

 private:
  void find_shard(SweepOptions& options) const {
    if (shard_.empty()) return;
    const auto slash = shard_.find('/');
    try {
      if (slash == std::string::npos) throw std::invalid_argument(shard_);
      options.shard = std::stoull(shard_.substr(0, slash));
      options.n_shards = std::stoull(shard_.substr(slash + 1));
    } catch (const std::exception&) {
      throw Problem(ExitCode::usage, "--shard " + shard_ + " is not of the form k/n, as 0/8");
    }
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
      throw Problem(ExitCode::usage, manifest.folder.string() +
                                         " has runs already: saltus sweep resume " + manifest_ +
                                         " goes on with them");
    if (action_ == "resume" && !begun)
      throw Problem(ExitCode::usage,
                    manifest.folder.string() + " has no runs: saltus sweep start " + manifest_);
    std::error_code error;
    std::filesystem::create_directories(manifest.folder, error);
    if (error)
      throw Problem(ExitCode::cannot_write,
                    "cannot make " + manifest.folder.string() + ": " + error.message());
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
    tell(report.progress, sweep_line(report.progress, seconds()), code, manner);
    return code;
  }

  static void warn_of(std::span<const SegmentReport> broken) {
    for (const SegmentReport& segment : broken)
      spdlog::warn("{} {}", segment.path.string(), segment.problem);
  }

  static void tell(const SweepProgress& p, const std::string& line, ExitCode code,
                   const Manner& manner) {
    if (manner.json)
      say(nlohmann::ordered_json{{"command", "sweep"},
                                 {"exit_code", static_cast<int>(code)},
                                 {"runs", p.n_runs},
                                 {"known", p.n_before + p.n_done},
                                 {"done", p.n_done},
                                 {"failed", p.n_failed}}
              .dump(2) +
          "\n");
    else if (!manner.quiet)
      say(line + "\n");
  }

  /// "12 runs: failed: ..." with numbers taken out, so that the same reason is one reason.
  static std::map<std::string, std::vector<std::uint64_t>> reasons(const SweepTable& table) {
    std::map<std::string, std::vector<std::uint64_t>> found;
    for (const auto& failed : table.failures()) {
      std::string kind;
      bool in_number = false;
      for (const char c : failed.reason) {
        const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
        if (digit && !in_number) kind += '#';
        in_number = digit || (in_number && (c == '.' || c == 'e' || c == '-' || c == '+'));
        if (!in_number) kind += c;
      }
      found[kind].push_back(failed.run);
    }
    return found;
  }

  static ExitCode tell_status(const SweepManifest& manifest, const Manner& manner) {
    const SweepTable table(manifest.plan, manifest.folder);
    warn_of(table.broken());
    const SweepProgress p{table.n_runs(), table.n_known(), 0, table.n_failed()};
    const ExitCode code = table.n_known() == table.n_runs() ? ExitCode::ok : ExitCode::partial;
    std::string text = sweep_line(p, 0.0);
    for (const auto& [reason, runs] : reasons(table))
      text += fmt::format("\n{:6} failed: {} (run {})", runs.size(), reason, runs.front());
    tell(p, text, code, manner);
    return code;
  }

  ExitCode write_table(const SweepManifest& manifest, const Manner& manner) {
    const SweepPlan& plan = manifest.plan;
    const SweepTable table(plan, manifest.folder);
    warn_of(table.broken());
    if (output_.empty())
      output_ = std::filesystem::path(manifest_).replace_extension(".csv").string();
    check_written("-o", output_, {&manifest_, 1}, {});
    std::ofstream out(output_);
    out << "run";
    for (const std::string& name : plan.design.names()) out << ",\"" << name << '"';
    for (const std::string& column : plan.kept.columns()) out << ",\"" << column << '"';
    out << ",outcome\n";
    std::size_t next_failure = 0;
    for (std::uint64_t run = 0; run < table.n_runs(); ++run) {
      if (!table.is_known(run)) continue;
      out << run;
      for (const double v : plan.design.values(run)) out << ',' << to_text(v);
      const auto row = table.row(run);
      if (!row.empty()) {
        for (const double v : row) out << ',' << (is_absent(v) ? std::string() : to_text(v));
        out << ",complete\n";
        continue;
      }
      for (std::size_t i = 0; i < plan.kept.columns().size(); ++i) out << ',';
      std::string reason = table.failures()[next_failure++].reason;
      for (std::size_t at = 0; (at = reason.find('"', at)) != std::string::npos; at += 2)
        reason.insert(at, 1, '"');
      out << ",\"" << reason << "\"\n";
    }
    out.close();
    if (!out) throw Problem(ExitCode::cannot_write, "cannot write " + output_);
    const SweepProgress p{table.n_runs(), table.n_known(), 0, table.n_failed()};
    const ExitCode code = table.n_known() == table.n_runs() ? ExitCode::ok : ExitCode::partial;
    tell(p, sweep_line(p, 0.0) + "\nwrote " + output_, code, manner);
    return code;
  }

  std::string action_, manifest_, shard_, output_;
  std::uint32_t threads_ = 0;
};

}  // namespace

std::unique_ptr<Command> sweep_command() { return std::make_unique<SweepCommand>(); }

}  // namespace saltus::app
