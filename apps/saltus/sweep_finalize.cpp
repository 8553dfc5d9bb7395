#include "sweep_finalize.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>

#include <saltus/io/run_page.hpp>
#include <saltus/io/run_table.hpp>

#include "sweep_words.hpp"
#include "written_files.hpp"

namespace saltus::app {

namespace {

RunEnding ending_of(RunState state) {
  return state == RunState::complete  ? RunEnding::complete
         : state == RunState::missing ? RunEnding::missing
                                      : RunEnding::failed;
}

std::string missing_line(std::uint64_t n, const std::string& manifest_path) {
  return fmt::format("{} {} missing: saltus sweep resume {}", n, n == 1 ? "run is" : "runs are",
                     manifest_path);
}

/// Ensembles and files know nothing of each other.
RunRows rows_of(const SweepColumns& block) {
  RunRows rows;
  rows.first = block.first_run;
  rows.columns.assign(block.columns.begin(), block.columns.end());
  for (const RunState state : block.states) rows.endings.push_back(ending_of(state));
  for (const FailedRun& failed : block.failures)
    rows.reasons.push_back({failed.run, failed.reason});
  return rows;
}

RunTable table_of(const SweepManifest& manifest, const SweepRows& rows) {
  const SweepPlan& plan = manifest.plan;
  RunTable table;
  table.title = std::string(plan.model->name());
  for (const std::string& name : plan.design.names()) table.columns.push_back({name, true});
  for (const std::string& name : plan.kept.columns()) table.columns.push_back({name, false});
  table.n_runs = rows.n_runs();
  table.n_failed = rows.n_failed();
  table.longest_reason = rows.longest_reason();
  table.fingerprint = plan.fingerprint();
  table.texts = {{"manifest", manifest.text}, {"model", manifest.model_text}};
  table.read = [&plan, &rows,
                n = table.columns.size()](const std::function<void(const RunRows&)>& block) {
    each_columns(plan, rows, run_block_size(n),
                 [&](const SweepColumns& columns) { block(rows_of(columns)); });
  };
  return table;
}

constexpr std::array<std::string_view, 5> table_endings{".h5", ".hdf5", ".csv", ".html", ".htm"};

std::string shell_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

RunPageOptions page_options(const SweepRows& rows, const std::string& manifest_path) {
  RunPageOptions page;
  // A name that a shell would take apart stands in quotes; the number may follow them.
  const bool plain = manifest_path.find_first_of(" \t\"'\\$`&|;<>()*?[]#~") == std::string::npos;
  page.command = "saltus run --from " + (plain ? manifest_path : shell_quoted(manifest_path)) + "#";
  if (const std::uint64_t n = rows.n_runs() - rows.n_known(); n > 0)
    page.warnings.push_back(missing_line(n, manifest_path));
  if (const std::uint64_t n = rows.n_out_of_time(); n > 0)
    page.warnings.push_back(out_of_time_line(n, manifest_path));
  for (const SegmentReport& segment : rows.broken())
    page.warnings.push_back(segment.path.string() + " " + segment.problem);
  for (const FailureKind& kind : rows.failures())
    page.failures.push_back({kind.text, kind.n_runs, kind.example_run});
  return page;
}

void write_table(const RunTable& table, const SweepRows& rows, const std::string& path,
                 const std::string& manifest_path) {
  const auto format = format_of(path);
  if (format == ResultFormat::hdf5)
    save_runs_hdf5(table, path);
  else if (format == ResultFormat::csv)
    save_runs_csv(table, path);
  else if (!format)
    save_runs_page(table, path, page_options(rows, manifest_path));
}

}  // namespace

ExitCode finalize_sweep(const SweepManifest& manifest, const std::string& manifest_path,
                        std::vector<std::string> outputs, const Manner& manner) {
  if (outputs.empty())
    for (const char* ending : {".h5", ".csv", ".html"})
      outputs.push_back(std::filesystem::path(manifest_path).replace_extension(ending).string());
  for (const std::string& path : outputs) check_written("-o", path, manifest.read, table_endings);
  const SweepRows rows(manifest.plan, manifest.folder);
  warn_of(rows.broken());
  if (rows.n_known() == 0)
    throw Problem(ExitCode::usage, manifest.folder.string() +
                                       " has no run of this sweep: there is nothing to write");
  const RunTable table = table_of(manifest, rows);
  const SweepProgress p{rows.n_runs(), rows.n_known(), 0, rows.n_failed()};
  std::string text = sweep_line(p, 0.0);
  for (const std::string& path : outputs) {
    try {
      write_table(table, rows, path, manifest_path);
    } catch (const FileError& error) {
      throw Problem(ExitCode::cannot_write, error.what());
    }
    text += "\nwrote " + path;
  }
  const std::uint64_t n_missing = rows.n_runs() - rows.n_known();
  if (n_missing > 0) spdlog::warn("{}", missing_line(n_missing, manifest_path));
  if (const std::uint64_t n = rows.n_out_of_time(); n > 0)
    spdlog::warn("{}", out_of_time_line(n, manifest_path));
  const ExitCode code = n_missing == 0 ? ExitCode::ok : ExitCode::partial;
  tell_sweep(p, text, code, manner, outputs);
  return code;
}

}  // namespace saltus::app
