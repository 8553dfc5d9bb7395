// The commands. Each returns how it ended or throws Problem.
#pragma once

#include <memory>

#include "program.hpp"

namespace CLI {
class App;
}

namespace saltus::app {

class Command {
 public:
  virtual ~Command() = default;
  /// Adds the command with its flags.
  virtual CLI::App* add_to(CLI::App& program) = 0;
  virtual ExitCode execute(const Manner& manner) = 0;
};

std::unique_ptr<Command> run_command();
std::unique_ptr<Command> check_command();
std::unique_ptr<Command> list_command();
std::unique_ptr<Command> plot_command();
std::unique_ptr<Command> convert_command();
std::unique_ptr<Command> new_command();
std::unique_ptr<Command> sweep_command();
std::unique_ptr<Command> completion_command();
std::unique_ptr<Command> manual_command();

}  // namespace saltus::app
