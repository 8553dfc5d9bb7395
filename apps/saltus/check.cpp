// saltus check: what can be said of a model without running it.
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>

#include <saltus/core/text.hpp>
#include <saltus/io.hpp>
#include <saltus/simulate.hpp>

#include "commands.hpp"
#include "diagnose.hpp"
#include "model_file.hpp"
#include "run_flags.hpp"
#include "written_files.hpp"

namespace saltus::app {

namespace {

nlohmann::ordered_json to_json_list(const std::vector<Diagnostic>& found) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Diagnostic& d : found)
    list.push_back({{"kind", d.is_error() ? "error" : "warning"},
                    {"message", d.message},
                    {"file", d.file},
                    {"line", d.line},
                    {"column", d.column}});
  return list;
}

class CheckCommand final : public Command {
 public:
  CLI::App* add_to(CLI::App& program) override {
    CLI::App* command = program.add_subcommand(
        "check", "analysis, transitions and a consistent start, without running");
    add_model_flags(*command, model_);
    command->add_option("--dot", dot_, "modes and transitions as a picture for Graphviz");
    flags_.add_to(*command);
    return command;
  }

  ExitCode execute(const Manner& manner) override {
    if (!dot_.empty()) check_written("--dot", dot_, files_read(model_), {});
    const ReadModel read = load_model(model_);
    const RunOptions options = flags_.options(read.experiment);
    const std::string text = read_text_file(model_.path);
    try {
      const CheckedModel model{read, text, model_.path, read.model->build()};
      const ModelAnalysis analysis = analyze(model.definition, {.t = options.t_begin});
      if (!dot_.empty() && analysis.mode_names.empty())
        throw Problem(ExitCode::bad_model,
                      "--dot: the model has no modes, so there is nothing to draw; " + dot_ +
                          " was not written");
      if (!dot_.empty()) write_dot(analysis);
      const std::vector<Diagnostic> found = troubles_of(model, options, analysis);
      const bool good = std::none_of(found.begin(), found.end(),
                                     [](const Diagnostic& d) { return d.is_error(); });
      const ExitCode code = good ? ExitCode::ok : ExitCode::bad_model;
      if (manner.json) {
        nlohmann::ordered_json out;
        out["command"] = "check";
        out["exit_code"] = static_cast<int>(code);
        out["diagnostics"] = to_json_list(found);
        out["analysis"] = nlohmann::ordered_json::parse(to_json(analysis));
        say(out.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
      } else if (!manner.quiet) {
        say(to_text(analysis) + note_of_index(model, analysis) + (good ? "a run can begin\n" : ""));
      }
      for (const Diagnostic& d : found) {
        if (manner.quiet && !d.is_error()) continue;
        const std::string message = to_text(d);
        std::fwrite(message.data(), 1, message.size(), stderr);
      }
      return code;
    } catch (const OptionError& error) {
      throw Problem(ExitCode::usage, error.what());
    } catch (const Error& error) {
      throw Problem(ExitCode::bad_model, error.what());
    }
  }

 private:
  /// Beside the first equation that a message names, if it names one.
  static Diagnostic where_it_is_told(const CheckedModel& model, const std::string& message) {
    const TextPlace* first = nullptr;
    std::size_t at = std::string::npos;
    for (const TextPlace& place : model.read.equations) {
      const std::size_t here = message.find("'" + place.name + "'");
      if (here >= at) continue;
      at = here;
      first = &place;
    }
    return first == nullptr
               ? about_the_whole(model, DiagnosticKind::error, message)
               : diagnostic_at(model.text, model.file, *first, DiagnosticKind::error, message);
  }

  static Diagnostic about_the_whole(const CheckedModel& model, DiagnosticKind kind,
                                    const std::string& message) {
    Diagnostic d;
    d.kind = kind;
    d.message = message;
    d.file = model.file;
    return d;
  }

  /// What the analysis doubts, and what a consistent start and one step from there meet.
  static std::vector<Diagnostic> troubles_of(const CheckedModel& model, RunOptions options,
                                             const ModelAnalysis& analysis) {
    std::vector<Diagnostic> all;
    const auto add = [&](const std::vector<Diagnostic>& more) {
      all.insert(all.end(), more.begin(), more.end());
    };
    for (const std::string& mode : analysis.unreachable)
      all.push_back(
          about_the_whole(model, DiagnosticKind::warning,
                          "mode '" + mode + "' is never entered: no transition leads there"));
    add(without_value_at_start(model, options.t_begin));
    const bool has_values = all.empty() || !all.back().is_error();
    if (!has_values) return all;
    add(without_sliding(model, options));
    options.limits.max_steps = 1;
    options.sensitivities.clear();
    const Solution start = simulate(model.definition, options);
    const RunReport& report = start.report;
    for (const std::string& warning : report.warnings)
      all.push_back(about_the_whole(model, DiagnosticKind::warning, warning));
    if (report.outcome == Outcome::not_started || report.outcome == Outcome::failed) {
      all.push_back(where_it_is_told(model, report.message));
      return all;
    }
    add(contradicting_starts(model, report, options, analysis));
    add(outside_of_range(model, start, options.t_begin));
    return all;
  }

  void write_dot(const ModelAnalysis& analysis) const {
    try {
      save_text(to_dot(analysis), dot_);
    } catch (const FileError& error) {
      throw Problem(ExitCode::cannot_write, error.what());
    }
  }

  ModelFile model_;
  RunFlags flags_;
  std::string dot_;
};

}  // namespace

std::unique_ptr<Command> check_command() { return std::make_unique<CheckCommand>(); }

}  // namespace saltus::app
