// The command line: flags, log, exit codes.
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <cstdio>
#include <new>

#include <saltus/core/text.hpp>
#include <saltus/core/version.hpp>

#include "commands.hpp"
#include "interrupt.hpp"

namespace saltus::app {

namespace {

ExitCode complain(const Problem& problem, const Manner& manner) {
  if (manner.json) {
    nlohmann::ordered_json out;
    out["exit_code"] = static_cast<int>(problem.code());
    out["error"] = problem.what();
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Diagnostic& one : problem.diagnostics())
      list.push_back({{"kind", one.is_error() ? "error" : "warning"},
                      {"message", one.message},
                      {"file", one.file},
                      {"line", one.line},
                      {"column", one.column}});
    out["diagnostics"] = std::move(list);
    say(out.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
  }
  if (problem.diagnostics().empty()) {
    spdlog::error("{}", problem.what());
  } else {
    const std::string text = to_text(problem.diagnostics());
    std::fwrite(text.data(), 1, text.size(), stderr);
  }
  return problem.code();
}

void set_up_log(const Manner& manner) {
  auto logger = spdlog::stderr_color_mt("saltus");
  logger->set_pattern("%^%l:%$ %v");
  logger->set_level(manner.quiet     ? spdlog::level::err
                    : manner.verbose ? spdlog::level::debug
                                     : spdlog::level::warn);
  spdlog::set_default_logger(logger);
}

/// What a flag that does not exist most likely means, of the command it was given to.
std::string nearest_flag(const CLI::App& program, const std::vector<std::string>& given) {
  std::vector<std::string> known;
  const auto collect = [&](const CLI::App& app) {
    for (const CLI::Option* option : app.get_options())
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  };
  collect(program);
  for (const CLI::App* command : program.get_subcommands()) collect(*command);
  for (const std::string& word : given) {
    if (!word.starts_with("-")) continue;
    const auto near = nearest_name(word.substr(0, word.find('=')), known);
    return "there is no flag " + word + (near ? "; did you mean " + std::string(*near) + "?" : "");
  }
  return "too many arguments: " + join(given, " ");
}

/// What somebody means who names no command, or one that does not exist.
std::string which_command(const CLI::App& program, const std::vector<std::string>& words) {
  std::vector<std::string> known;
  for (const CLI::App* command : program.get_subcommands({})) known.push_back(command->get_name());
  for (const std::string& word : words) {
    if (word.starts_with("-")) continue;
    if (word.ends_with(".mo"))
      return "'" + word + "' is a model, not a command. Try: saltus run " + word;
    const auto near = nearest_name(word, known);
    return "there is no command '" + word + "'" +
           (near ? "; did you mean '" + std::string(*near) + "'?"
                 : ": there are " + join(known, ", "));
  }
  return "a command is needed: " + join(known, ", ") + "; saltus --help describes them";
}

/// Of the words themselves: they may not have been understood.
bool asks_for_json(int n, char** arguments) {
  for (int k = 1; k < n; ++k)
    if (std::string_view(arguments[k]) == "--json") return true;
  return false;
}

/// Misuse, in words, and as JSON where that is asked for.
ExitCode misused(const std::string& text, bool json, bool is_told = false) {
  if (!is_told) std::fprintf(stderr, "error: %s\n", text.c_str());
  if (json) {
    nlohmann::ordered_json out;
    out["exit_code"] = static_cast<int>(ExitCode::usage);
    out["error"] = text;
    out["diagnostics"] = nlohmann::ordered_json::array();
    say(out.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
  }
  return ExitCode::usage;
}

ExitCode run_program(int n, char** arguments) {
  Manner manner;
  CLI::App program("Simulation of systems that switch.", "saltus");
  program.set_version_flag("--version", "saltus " + std::string(library_version()));
  program.require_subcommand(1);
  program.fallthrough();
  program.add_flag("--json", manner.json, "one JSON object on standard output");
  program.add_flag("-q,--quiet", manner.quiet, "print errors only");
  program.add_flag("-v,--verbose", manner.verbose, "also print the decisions of the solver");
  program.footer(
      "Exit codes: 0 ok, 1 failed, 2 partial result, 64 usage, 65 bad model or data,\n"
      "73 cannot write, 130 interrupted.");

  std::vector<std::pair<std::unique_ptr<Command>, CLI::App*>> commands;
  for (auto make : {run_command, check_command, list_command, plot_command, convert_command,
                    new_command, sweep_command, completion_command, manual_command}) {
    auto command = make();
    CLI::App* added = command->add_to(program);
    commands.emplace_back(std::move(command), added);
  }
  try {
    program.parse(n, arguments);
  } catch (const CLI::ExtrasError&) {
    const std::vector<std::string> extras = program.remaining(true);
    return misused(nearest_flag(program, extras), asks_for_json(n, arguments));
  } catch (const CLI::RequiredError& error) {
    const std::vector<std::string> words(arguments + 1, arguments + n);
    const std::string missing = program.get_subcommands().empty()
                                    ? which_command(program, words)
                                    : std::string(error.what()) + "; see saltus " +
                                          program.get_subcommands().front()->get_name() + " --help";
    return misused(missing, asks_for_json(n, arguments));
  } catch (const CLI::ParseError& error) {
    // Help and version are asked for; all else is misuse.
    const int code = program.exit(error);
    return code == 0 ? ExitCode::ok : misused(error.what(), asks_for_json(n, arguments), true);
  }
  set_up_log(manner);
  try {
    for (const auto& [command, parsed] : commands)
      if (parsed->parsed()) return command->execute(manner);
  } catch (const Problem& problem) {
    return complain(problem, manner);
  } catch (const Error& error) {
    return complain(Problem(ExitCode::bad_model, error.what()), manner);
  } catch (const std::bad_alloc&) {
    return complain(Problem(ExitCode::failed, "out of memory"), manner);
  } catch (const std::exception& error) {
    return complain(
        Problem(ExitCode::failed,
                std::string("an internal error of Saltus, please report it: ") + error.what()),
        manner);
  }
  return ExitCode::usage;
}

}  // namespace

}  // namespace saltus::app

int main(int n, char** arguments) {
  saltus::app::catch_interrupts();
  return static_cast<int>(saltus::app::run_program(n, arguments));
}
