// saltus completion, saltus manual: made from the flags themselves, so that they cannot be out of date.
#include <CLI/CLI.hpp>

#include <saltus/core/text.hpp>
#include <saltus/core/version.hpp>

#include "commands.hpp"

namespace saltus::app {

namespace {

std::vector<std::string> flags_of(const CLI::App& app) {
  std::vector<std::string> out;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_snames()) out.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) out.push_back("--" + name);
  }
  return out;
}

std::vector<const CLI::App*> commands_of(const CLI::App& program) {
  return program.get_subcommands([](const CLI::App*) { return true; });
}

std::string bash_script(const CLI::App& program) {
  std::vector<std::string> names;
  std::string cases;
  for (const CLI::App* command : commands_of(program)) {
    names.push_back(command->get_name());
    cases += "    " + command->get_name() + ") words=\"" + join(flags_of(*command), " ") + " " +
             join(flags_of(program), " ") + "\" ;;\n";
  }
  return "_saltus() {\n"
         "  local current=${COMP_WORDS[COMP_CWORD]} words=\"\"\n"
         "  case ${COMP_WORDS[1]} in\n" +
         cases + "    *) words=\"" + join(names, " ") + " " + join(flags_of(program), " ") +
         "\" ;;\n"
         "  esac\n"
         "  # Files where no flag is begun, and for the values of flags.\n"
         "  if [[ $COMP_CWORD -gt 1 && $current != -* ]]; then\n"
         "    COMPREPLY=($(compgen -f -- \"$current\"))\n"
         "  else\n"
         "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
         "  fi\n"
         "}\n"
         "complete -o filenames -F _saltus saltus\n";
}

class CompletionCommand final : public Command {
 public:
  CLI::App* add_to(CLI::App& program) override {
    program_ = &program;
    CLI::App* command =
        program.add_subcommand("completion", "script for a shell, on standard output");
    command->add_option("shell", shell_, "bash or zsh")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh"}));
    return command;
  }
  ExitCode execute(const Manner&) override {
    const std::string zsh = "autoload -Uz +X bashcompinit && bashcompinit\n";
    say((shell_ == "zsh" ? zsh : "") + bash_script(*program_));
    return ExitCode::ok;
  }

 private:
  std::string shell_;
  const CLI::App* program_ = nullptr;
};

/// Text of a manual page: a point or a quote at the begin of a line, and backslashes, mean something there.
std::string roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
    if (c == '\n') out += "\\&";
  }
  return "\\&" + out;
}

std::string manual_page(const CLI::App& program) {
  std::string out = ".TH SALTUS 1 \"\" \"Saltus " + std::string(library_version()) + "\"\n" +
                    ".SH NAME\nsaltus \\- simulation of systems that switch\n" +
                    ".SH SYNOPSIS\n.B saltus\nCOMMAND [OPTIONS]\n";
  const auto options = [&](const CLI::App& app) {
    for (const CLI::Option* option : app.get_options())
      out +=
          ".TP\n.B " +
          roff(option->get_name(option->get_positional() && option->get_lnames().empty(), true)) +
          "\n" + roff(option->get_description()) + "\n";
  };
  out += ".SH OPTIONS OF ALL COMMANDS\n";
  options(program);
  for (const CLI::App* command : commands_of(program)) {
    out += ".SH saltus " + command->get_name() + "\n" + roff(command->get_description()) + "\n";
    options(*command);
  }
  return out + ".SH EXIT STATUS\n" + roff(program.get_footer()) + "\n";
}

class ManualCommand final : public Command {
 public:
  CLI::App* add_to(CLI::App& program) override {
    program_ = &program;
    return program.add_subcommand("manual", "manual page (roff), on standard output");
  }
  ExitCode execute(const Manner&) override {
    say(manual_page(*program_));
    return ExitCode::ok;
  }

 private:
  const CLI::App* program_ = nullptr;
};

}  // namespace

std::unique_ptr<Command> completion_command() { return std::make_unique<CompletionCommand>(); }
std::unique_ptr<Command> manual_command() { return std::make_unique<ManualCommand>(); }

}  // namespace saltus::app
