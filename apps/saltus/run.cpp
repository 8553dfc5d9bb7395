// saltus run: from a text to a solution, its files and its page.
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <functional>
#include <iostream>

#include <saltus/core/text.hpp>
#include <saltus/io.hpp>
#include <saltus/simulate.hpp>

#include "commands.hpp"
#include "interrupt.hpp"
#include "model_file.hpp"
#include "progress.hpp"
#include "run_flags.hpp"
#include "run_words.hpp"
#include "sweep_manifest.hpp"
#include "written_files.hpp"

namespace saltus::app {

namespace {

/// Fewer look like polygons.
constexpr std::size_t n_rows_of_a_curve = 500;
constexpr std::size_t n_events_shown = 50;
/// Of larger models the numbers of the analysis take longer than anybody waits for a page.
constexpr std::uint32_t most_unknowns_analysed = 300;

ExitCode exit_code_of(const RunReport& report) {
  switch (report.outcome) {
    case Outcome::finished:
    case Outcome::terminal_event:
      return ExitCode::ok;
    case Outcome::stopped:
      return interrupted() ? ExitCode::interrupted : ExitCode::partial;
    case Outcome::step_limit:
    case Outcome::event_limit:
    case Outcome::wall_time_limit:
    case Outcome::accumulation:
    case Outcome::undecided:
      return ExitCode::partial;
    case Outcome::failed:
    case Outcome::not_started:
      return ExitCode::failed;
  }
  return ExitCode::failed;
}

/// Without columns that are there for other reasons than to be looked at.
ResultFile without_columns(ResultFile result,
                           const std::function<bool(const ResultColumn&)>& unwanted) {
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < result.table.columns.size(); ++i)
    if (!unwanted(result.table.columns[i])) kept.push_back(i);
  const auto pick = [&](auto& list) {
    for (std::size_t k = 0; k < kept.size(); ++k)
      if (kept[k] != k) list[k] = std::move(list[kept[k]]);
    list.resize(kept.size());
  };
  if (kept.size() == result.table.columns.size()) return result;
  std::vector<ResultColumn> columns;
  for (const std::size_t i : kept) columns.push_back(std::move(result.table.columns[i]));
  result.table.columns = std::move(columns);
  for (ResultInstant& instant : result.instants) {
    pick(instant.x_minus);
    pick(instant.x_plus);
    pick(instant.minus_present);
    pick(instant.plus_present);
  }
  return result;
}

class RunCommand final : public Command {
 public:
  CLI::App* add_to(CLI::App& program) override {
    CLI::App* command = program.add_subcommand("run", "simulate a model");
    add_model_flags(*command, model_);
    command->get_option("model")->required(false);
    command->add_option("--from", from_, "a run of a sweep instead of a model: study.toml#123")
        ->type_name("MANIFEST#RUN");
    command
        ->add_option("-o,--output", outputs_,
                     "result file: " + result_endings() + ", or .json; - is CSV on standard output")
        ->take_all()
        ->allow_extra_args(false);
    page_flag_ =
        command
            ->add_option("--report", page_,
                         "HTML page with plots and events; by default named after the model")
            ->type_name("[FILE]")
            ->expected(0, 1);
    command
        ->add_option("--events", events_file_,
                     "CSV file of all events, with the variables before and after")
        ->type_name("FILE");
    command->add_flag("--statistics", statistics_, "print the whole report of the run");
    flags_.add_to(*command);
    return command;
  }

  ExitCode execute(const Manner& manner) override {
    const bool page = page_flag_->count() > 0;
    const std::optional<RunOptions> of_sweep = take_from_sweep();
    if (page && page_.empty()) page_ = std::filesystem::path(model_.path).stem().string() + ".html";
    check_outputs(page);
    const std::vector<std::string> from_file = flags_.parameters();
    model_.parameters.insert(model_.parameters.begin(), from_file.begin(), from_file.end());
    const ReadModel model = load_model(model_);
    RunOptions options = of_sweep ? flags_.options(*of_sweep) : flags_.options(model.experiment);
    compare_inputs(model_, options.t_begin, options.t_end);
    const std::shared_ptr<const ModelDefinition> definition = build(model);
    const Solution solution = run(definition, options, manner, page);
    save(model, *definition, solution, options, page);
    tell(solution, manner);
    return exit_code_of(solution.report);
  }

 private:
  /// The model and the options of one run of a sweep, if that is asked for.
  std::optional<RunOptions> take_from_sweep() {
    if (from_.empty()) {
      if (model_.path.empty()) throw Problem(ExitCode::usage, "model is required");
      return std::nullopt;
    }
    if (!model_.path.empty())
      throw Problem(ExitCode::usage, "--from already names the model: leave out " + model_.path);
    const auto hash = from_.rfind('#');
    std::uint64_t run = 0;
    const char* const end = from_.data() + from_.size();
    if (hash == std::string::npos ||
        std::from_chars(from_.data() + hash + 1, end, run).ptr != end || hash + 1 == from_.size())
      throw Problem(ExitCode::usage, "--from " + from_ + " is not of the form study.toml#123");
    const SweepManifest sweep = read_manifest(from_.substr(0, hash));
    if (run >= sweep.plan.design.n_runs())
      throw Problem(ExitCode::usage, "--from " + from_ + ": there are " +
                                         std::to_string(sweep.plan.design.n_runs()) +
                                         " runs, numbered from 0");
    const ModelFile of_run = sweep.model_of(run);
    model_.path = of_run.path;
    // What the command line says comes last, and wins.
    model_.parameters.insert(model_.parameters.begin(), of_run.parameters.begin(),
                             of_run.parameters.end());
    model_.starts.insert(model_.starts.begin(), of_run.starts.begin(), of_run.starts.end());
    return sweep.plan.options;
  }

  void check_outputs(bool page) const {
    std::vector<std::string> read = files_read(model_);
    if (!flags_.file().empty()) read.push_back(flags_.file());
    if (page) check_written("--report", page_, read, page_endings());
    constexpr std::array<std::string_view, 1> csv{".csv"};
    if (!events_file_.empty()) check_written("--events", events_file_, read, csv);
    for (const std::string& path : outputs_) {
      check_written("-o", path, read, {});
      if (path != "-" && !path.ends_with(".json") && !format_of(path))
        throw Problem(ExitCode::usage, "-o " + path + ": " + unknown_format(".json"));
    }
  }

  static std::shared_ptr<const ModelDefinition> build(const ReadModel& model) {
    try {
      return model.model->build();
    } catch (const Error& error) {
      throw Problem(ExitCode::bad_model, error.what());
    }
  }

  static Solution run(const std::shared_ptr<const ModelDefinition>& model, RunOptions options,
                      const Manner& manner, bool page) {
    RunWatch watch(options.t_end, !manner.quiet && !manner.json);
    // The page draws surfaces of relations whose functions are known.
    if (page && options.output.switching.empty()) {
      RunOptions more = options;
      more.output.switching = {"all"};
      try {
        return simulate(model, more, watch);
      } catch (const OptionError& error) {
        if (error.field() != "output.switching") throw Problem(ExitCode::usage, error.what());
      }
    }
    try {
      return simulate(model, options, watch);
    } catch (const OptionError& error) {
      throw Problem(ExitCode::usage, error.what());
    } catch (const Error& error) {
      throw Problem(ExitCode::bad_model, error.what());
    }
  }

  void save(const ReadModel& model, const ModelDefinition& definition, const Solution& solution,
            const RunOptions& options, bool page) {
    save_events(solution);
    if (outputs_.empty() && !page) return;
    const bool on_steps = options.output.points == OutputPoints::steps;
    ResultFile result = result_of(solution, on_steps ? n_rows_of_a_curve : 0);
    result.parameters = result_parameters(model);
    // Parameters are unknowns while they are differentiated; what is kept of them is their value.
    const std::vector<ReadParameter>& parameters = model.parameters;
    result = without_columns(std::move(result), [&](const ResultColumn& column) {
      return std::any_of(parameters.begin(), parameters.end(),
                         [&](const ReadParameter& p) { return p.name == column.name; });
    });
    if (definition.n_unknowns() <= most_unknowns_analysed) {
      const ModelAnalysis analysis = analyze(*model.model, {.t = options.t_begin});
      result.analysis_json = to_json(analysis);
      result.analysis_text = to_text(analysis);
    }
    try {
      if (page) {
        save_report(result, page_);
        files_.push_back(page_);
      }
      if (options.output.switching.empty())
        // Recorded for the page alone.
        result = without_columns(std::move(result),
                                 [](const ResultColumn& column) { return column.is_switching(); });
      for (const std::string& path : outputs_) {
        if (path == "-") {
          if (!write_csv(with_derivatives(result), std::cout))
            throw Problem(ExitCode::cannot_write, "standard output was closed");
          continue;
        }
        if (path.ends_with(".json")) {
          save_text(to_json(solution), path);
        } else {
          save_result(result, path);
        }
        files_.push_back(path);
      }
    } catch (const FileError& error) {
      throw Problem(ExitCode::cannot_write, error.what());
    }
  }

  void save_events(const Solution& solution) {
    if (events_file_.empty()) return;
    try {
      save_text(events_to_csv(solution), events_file_);
    } catch (const FileError& error) {
      throw Problem(ExitCode::cannot_write, error.what());
    }
    files_.push_back(events_file_);
  }

  void tell(const Solution& solution, const Manner& manner) const {
    const RunReport& report = solution.report;
    for (const std::string& warning : report.warnings) spdlog::warn("{}", warning);
    const ExitCode code = exit_code_of(report);
    if (code != ExitCode::ok) {
      const std::string text =
          fmt::format("{} at t = {:.7g} s{}", ending(report.outcome), report.t_reached,
                      report.message.empty() ? "" : ": " + report.message);
      if (code == ExitCode::failed) {
        spdlog::error("{}", text);
      } else {
        spdlog::warn("{}", text);
      }
    }
    if (manner.json) {
      say(summary(solution, code).dump(2) + "\n");
      return;
    }
    // Rows own standard output if they were sent there.
    if (manner.quiet || std::find(outputs_.begin(), outputs_.end(), "-") != outputs_.end()) return;
    std::string text;
    if (solution.event_log.n_events() > 0)
      text += to_text(solution.event_log, n_events_shown) + "\n";
    if (events_file_.empty() && solution.events().size() > n_events_shown)
      text += "--events FILE.csv writes all events\n";
    text += summary_line(solution) + waiting_clauses_text(solution);
    if (const std::string table = derivatives_text(solution); !table.empty()) text += "\n" + table;
    if (statistics_) text += "\n" + to_text(report);
    for (const std::string& file : files_) text += "wrote " + file + "\n";
    say(text);
  }

  nlohmann::ordered_json summary(const Solution& solution, ExitCode code) const {
    nlohmann::ordered_json out;
    out["command"] = "run";
    out["exit_code"] = static_cast<int>(code);
    out["files"] = files_;
    nlohmann::ordered_json last = nlohmann::ordered_json::object();
    const Trajectory& trajectory = solution.trajectory;
    if (trajectory.n_rows() > 0) {
      const std::uint32_t r = trajectory.n_rows() - 1;
      for (std::uint32_t i = 0; i < trajectory.variables().size(); ++i)
        if (!trajectory.present_in_row(i, r)) {
          last[trajectory.variables()[i].name] = nullptr;
        } else if (!trajectory.variables()[i].switching) {
          last[trajectory.variables()[i].name] = trajectory.row(r)[i];
        }
    }
    out["final"] = std::move(last);
    nlohmann::ordered_json events = nlohmann::ordered_json::array();
    for (const Event& event : solution.events())
      events.push_back({{"t", event.t},
                        {"kind", std::string(name(event.kind))},
                        {"name", event.name},
                        {"direction", event.direction},
                        {"guarantee", guarantee_word(event)},
                        {"changes", changes_text(solution.event_log, event)}});
    out["events"] = std::move(events);
    out["report"] = nlohmann::ordered_json::parse(to_json(solution.report));
    return out;
  }

  ModelFile model_;
  RunFlags flags_;
  std::vector<std::string> outputs_;
  std::string page_, events_file_, from_;
  CLI::Option* page_flag_ = nullptr;
  bool statistics_ = false;
  std::vector<std::string> files_;  // written
};

}  // namespace

std::unique_ptr<Command> run_command() { return std::make_unique<RunCommand>(); }

}  // namespace saltus::app
