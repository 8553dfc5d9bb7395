// saltus new: a model to begin with.
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include <saltus/io.hpp>

#include "commands.hpp"

namespace saltus::app {

namespace {

constexpr std::string_view starter =
    R"(// A body on a moving belt, held by a spring: it sticks, and slips.
//
//   saltus run @FILE@ --report         simulates it and writes a page with plots and events
//   saltus check @FILE@                analyses the model without running it
//   saltus run @FILE@ -p k=5 -o a.csv  another stiffness; rows as CSV
model @NAME@ "A body on a moving belt"
  // Parameters can be set on the command line.
  parameter Real k(unit = "N/m") = 1 "stiffness of the spring";
  parameter Real v_belt(unit = "m/s") = 0.2 "velocity of the belt";

  // fixed = true: the run begins with this value.
  Real x(start = 0, fixed = true, unit = "m") "position of the body, 1 kg";
  Real v(start = 1, fixed = true, unit = "m/s") "its velocity";
  Real friction(unit = "N") "force of the belt on the body";
  Integer n(start = 0, fixed = true) "how often it has turned back";
equation
  der(x) = v;
  der(v) = -k * x + friction;
  // sign() jumps where the body is as fast as the belt: that is an event, and where the friction can hold the
  // body there, it sticks until the spring is strong enough. Nothing else has to be written for that.
  friction = -sign(v - v_belt) / (1 + 3 * abs(v - v_belt));
  // Carried out at the moment its condition becomes true.
  when v < 0 then
    n = pre(n) + 1;
  end when;
  annotation(experiment(StopTime = 15, Tolerance = 1e-8));
end @NAME@;
)";

bool is_identifier(const std::string& name) {
  const auto letter = [](unsigned char c) { return std::isalpha(c) != 0 || c == '_'; };
  return !name.empty() && letter(static_cast<unsigned char>(name[0])) &&
         std::all_of(name.begin(), name.end(),
                     [&](unsigned char c) { return letter(c) || std::isdigit(c) != 0; });
}

class NewCommand final : public Command {
 public:
  CLI::App* add_to(CLI::App& program) override {
    CLI::App* command = program.add_subcommand("new", "write a commented model to start from");
    command->add_option("name", name_, "of the model: NAME.mo is written")->required();
    return command;
  }
  ExitCode execute(const Manner& manner) override {
    std::filesystem::path path = name_;
    if (path.extension() != ".mo") path += ".mo";
    const std::string name = path.stem().string();
    if (!is_identifier(name))
      throw Problem(ExitCode::usage, "'" + name +
                                         "' cannot name a model: letters, digits and _ only, no "
                                         "digit first");
    if (!read_modelica("model " + name + " Real x; equation x = 1; end " + name + ";", name).ok())
      throw Problem(ExitCode::usage,
                    "'" + name + "' cannot name a model: it is a keyword of Modelica");
    if (std::filesystem::exists(path))
      throw Problem(ExitCode::cannot_write,
                    "'" + path.string() + "' exists already and was not changed");
    std::string text(starter);
    for (const auto& [mark, word] :
         {std::pair<std::string, std::string>{"@NAME@", name}, {"@FILE@", path.string()}})
      for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at))
        text.replace(at, mark.size(), word);
    try {
      save_text(text, path.string());
    } catch (const FileError& error) {
      throw Problem(ExitCode::cannot_write, error.what());
    }
    if (manner.json) {
      say("{\"command\": \"new\", \"exit_code\": 0}\n");
    } else if (!manner.quiet) {
      say("wrote " + path.string() + "; try: saltus run " + path.string() + " --report\n");
    }
    return ExitCode::ok;
  }

 private:
  std::string name_;
};

}  // namespace

std::unique_ptr<Command> new_command() { return std::make_unique<NewCommand>(); }

}  // namespace saltus::app
