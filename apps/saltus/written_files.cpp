#include "written_files.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include <saltus/core/text.hpp>

#include "program.hpp"

namespace saltus::app {

namespace {

bool is_same_file(const std::string& a, const std::string& b) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  return fs::equivalent(a, b, ignored) ||
         fs::path(a).lexically_normal() == fs::path(b).lexically_normal();
}

}  // namespace

void check_written(const std::string& flag, const std::string& path,
                   std::span<const std::string> read, std::span<const std::string_view> endings) {
  for (const std::string& one : read)
    if (is_same_file(path, one))
      throw Problem(ExitCode::usage,
                    flag + " " + path + " would overwrite what this command reads");
  const bool fits = endings.empty() ||
                    std::any_of(endings.begin(), endings.end(),
                                [&](std::string_view ending) { return path.ends_with(ending); });
  if (!fits) {
    std::vector<std::string> names(endings.begin(), endings.end());
    throw Problem(ExitCode::usage,
                  flag + " " + path + ": the name must end with " + join(names, " or "));
  }
}

void refuse_json(const std::string& path) {
  if (!path.ends_with(".json")) return;
  throw Problem(ExitCode::usage,
                path + ": Saltus writes JSON for other programs and does not read it; give the " +
                    result_endings() + " file of the run");
}

std::span<const std::string_view> page_endings() {
  static constexpr std::array<std::string_view, 2> endings{".html", ".htm"};
  return endings;
}

}  // namespace saltus::app
