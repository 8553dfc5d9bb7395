// saltus check: what can be said of a model without running it.
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <spdlog/spdlog.h>

#include <saltus/core/text.hpp>
#include <saltus/io.hpp>
#include <saltus/simulate.hpp>

#include "commands.hpp"
#include "model_file.hpp"
#include "run_flags.hpp"
#include "written_files.hpp"

namespace saltus::app {

namespace {

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
    try {
      const std::shared_ptr<const ModelDefinition> model = read.model->build();
      const ModelAnalysis analysis = analyze(model, {.t = options.t_begin});
      if (!dot_.empty()) write_dot(analysis);
      std::vector<std::string> troubles = remarks_of(analysis);
      const std::size_t n_remarks = troubles.size();
      const RunReport start = first_step(model, options);
      if (start.outcome == Outcome::not_started || start.outcome == Outcome::failed)
        troubles.push_back(start.message);
      for (const std::string& warning : start.warnings) spdlog::warn("{}", warning);
      const bool good = troubles.size() == n_remarks;
      for (std::size_t k = 0; k < troubles.size(); ++k)
        if (k < n_remarks) {
          spdlog::warn("{}", troubles[k]);
        } else {
          spdlog::error("{}", troubles[k]);
        }
      if (manner.json) {
        nlohmann::ordered_json out;
        out["command"] = "check";
        out["exit_code"] = static_cast<int>(good ? ExitCode::ok : ExitCode::bad_model);
        out["troubles"] = troubles;
        out["warnings"] = start.warnings;
        out["analysis"] = nlohmann::ordered_json::parse(to_json(analysis));
        say(out.dump(2) + "\n");
      } else if (!manner.quiet) {
        say(to_text(analysis) + (good ? "a run can begin\n" : ""));
      }
      return good ? ExitCode::ok : ExitCode::bad_model;
    } catch (const OptionError& error) {
      throw Problem(ExitCode::usage, error.what());
    } catch (const Error& error) {
      throw Problem(ExitCode::bad_model, error.what());
    }
  }

 private:
  /// What the analysis doubts is a warning; a text for people has it as well.
  static std::vector<std::string> remarks_of(const ModelAnalysis& analysis) {
    std::vector<std::string> out;
    for (const std::string& mode : analysis.unreachable)
      out.push_back("mode '" + mode + "' is never entered: no transition leads there");
    return out;
  }

  /// A consistent start and one step from there.
  static RunReport first_step(const std::shared_ptr<const ModelDefinition>& model,
                              RunOptions options) {
    options.limits.max_steps = 1;
    options.sensitivities.clear();
    return simulate(model, options).report;
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
