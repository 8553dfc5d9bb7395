// saltus plot, saltus convert: from result files, without a model.
#include <CLI/CLI.hpp>
#include <spdlog/spdlog.h>

#include <filesystem>

#include <saltus/io.hpp>

#include "commands.hpp"
#include "written_files.hpp"

namespace saltus::app {

namespace {

ResultFile loaded(const std::string& path) {
  refuse_json(path);
  try {
    return load_result(path);
  } catch (const FileError& error) {
    throw Problem(ExitCode::bad_model, error.what());
  }
}

class PlotCommand final : public Command {
 public:
  CLI::App* add_to(CLI::App& program) override {
    CLI::App* command = program.add_subcommand("plot", "HTML page of a result file");
    command->add_option("result", from_, result_endings())->required();
    command->add_option("-o,--output", to_, "the page; by default the name of the result, .html");
    command
        ->add_option("--variables", options_.show, "variables drawn at first, separated by commas")
        ->delimiter(',');
    command->add_option("--plane", plane_, "variables of the phase plane: horizontal,vertical")
        ->delimiter(',')
        ->expected(2);
    return command;
  }
  ExitCode execute(const Manner& manner) override {
    const ResultFile result = loaded(from_);
    for (const std::vector<std::string>& names : {options_.show, plane_})
      for (const std::string& name : names)
        if (result.table.find(name) == nullptr)
          throw Problem(ExitCode::usage, "'" + from_ + "' has no variable '" + name + "'");
    if (plane_.size() == 2) options_.plane = {plane_[0], plane_[1]};
    if (to_.empty()) to_ = std::filesystem::path(from_).replace_extension(".html").string();
    check_written("-o", to_, {&from_, 1}, page_endings());
    try {
      save_report(result, to_, options_);
    } catch (const FileError& error) {
      throw Problem(ExitCode::cannot_write, error.what());
    }
    if (manner.json) {
      say("{\"command\": \"plot\", \"exit_code\": 0}\n");
    } else if (!manner.quiet) {
      say("wrote " + to_ + "\n");
    }
    return ExitCode::ok;
  }

 private:
  std::string from_, to_;
  std::vector<std::string> plane_;
  ReportOptions options_;
};

class ConvertCommand final : public Command {
 public:
  CLI::App* add_to(CLI::App& program) override {
    CLI::App* command = program.add_subcommand("convert", "a result file in another format");
    command->add_option("from", from_, result_endings())->required();
    command->add_option("to", to_, result_endings())->required();
    return command;
  }
  ExitCode execute(const Manner& manner) override {
    check_written("to", to_, {&from_, 1}, {});
    const std::optional<ResultFormat> format = format_of(to_);
    if (!format) throw Problem(ExitCode::usage, to_ + ": " + unknown_format());
    const ResultFile result = loaded(from_);
    try {
      save_result(result, to_, *format);
    } catch (const FileError& error) {
      throw Problem(ExitCode::cannot_write, error.what());
    }
    const bool lost =
        *format != ResultFormat::hdf5 && (!result.events.empty() || !result.report_json.empty());
    if (lost && !manner.quiet)
      spdlog::warn("{} keeps rows only: events and the report are not in {}", name(*format), to_);
    if (manner.json) {
      say("{\"command\": \"convert\", \"exit_code\": 0}\n");
    } else if (!manner.quiet) {
      say("wrote " + to_ + "\n");
    }
    return ExitCode::ok;
  }

 private:
  std::string from_, to_;
};

}  // namespace

std::unique_ptr<Command> plot_command() { return std::make_unique<PlotCommand>(); }
std::unique_ptr<Command> convert_command() { return std::make_unique<ConvertCommand>(); }

}  // namespace saltus::app
