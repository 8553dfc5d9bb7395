#include "sweep_words.hpp"

#include <nlohmann/json.hpp>
#include <spdlog/spdlog.h>

#include <cmath>

namespace saltus::app {

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

std::string out_of_time_line(std::uint64_t n, const std::string& manifest_path) {
  return fmt::format("{} {} out of time: saltus sweep resume {} tries again", n,
                     n == 1 ? "run was" : "runs were", manifest_path);
}

void warn_of(std::span<const SegmentReport> broken) {
  for (const SegmentReport& segment : broken)
    spdlog::warn("{} {}", segment.path.string(), segment.problem);
}

void tell_sweep(const SweepProgress& p, const std::string& text, ExitCode code,
                const Manner& manner, std::span<const std::string> written) {
  if (manner.json) {
    nlohmann::ordered_json json{{"command", "sweep"}, {"exit_code", static_cast<int>(code)},
                                {"runs", p.n_runs},   {"known", p.n_before + p.n_done},
                                {"done", p.n_done},   {"failed", p.n_failed}};
    if (!written.empty()) json["files"] = std::vector<std::string>(written.begin(), written.end());
    say(json.dump(2) + "\n");
  } else if (!manner.quiet) {
    say(text + "\n");
  }
}

ExitCode tell_sweep_status(const SweepPlan& plan, const std::filesystem::path& folder,
                           const std::string& manifest_path, const Manner& manner) {
  const SweepRows rows(plan, folder);
  warn_of(rows.broken());
  if (const std::uint64_t n = rows.n_out_of_time(); n > 0)
    spdlog::warn("{}", out_of_time_line(n, manifest_path));
  const SweepProgress p{rows.n_runs(), rows.n_known(), 0, rows.n_failed()};
  const ExitCode code = rows.n_known() == rows.n_runs() ? ExitCode::ok : ExitCode::partial;
  std::string text = sweep_line(p, 0.0);
  for (const FailureKind& kind : rows.failures())
    text += fmt::format("\n{:6} failed: {} (run {})", kind.n_runs, kind.text, kind.example_run);
  tell_sweep(p, text, code, manner);
  return code;
}

}  // namespace saltus::app
