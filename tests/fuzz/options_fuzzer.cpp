// Any bytes as an option file: options or a refusal that says why come back.
#include <CLI/CLI.hpp>

#include <saltus/core/error.hpp>

#include "fuzz/input.hpp"
#include "program.hpp"
#include "run_flags.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const saltus::fuzz::InputFile file(".toml");
  saltus::fuzz::plant_overrun(data, size);
  CLI::App command;
  saltus::app::RunFlags flags;
  flags.add_to(command);
  command.parse("--options " + file.write(data, size).string());
  try {
    flags.options(saltus::RunOptions{});
    flags.parameters();
  } catch (const saltus::app::Problem& problem) {
    if (std::string_view(problem.what()).empty()) __builtin_trap();
  }
  return 0;
}
