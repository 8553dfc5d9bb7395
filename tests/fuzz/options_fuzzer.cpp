// Any bytes as an option file: options or a refusal that says why come back.
#include <CLI/CLI.hpp>

#include <saltus/core/error.hpp>

#include "fuzz/input.hpp"
#include "program.hpp"
#include "run_flags.hpp"

namespace {

/// The flags of `saltus run --options FILE`. They read the file when they are asked for its options.
struct Given {
  saltus::fuzz::InputFile file{".toml"};
  CLI::App command;
  saltus::app::RunFlags flags;
  Given() {
    flags.add_to(command);
    command.parse("--options " + file.path().string());
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Given given;
  saltus::fuzz::plant_overrun(data, size);
  given.file.write(data, size);
  try {
    given.flags.options(saltus::RunOptions{});
    given.flags.parameters();
  } catch (const saltus::app::Problem& problem) {
    if (std::string_view(problem.what()).empty()) __builtin_trap();
  }
  return 0;
}
