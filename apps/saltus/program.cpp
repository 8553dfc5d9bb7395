#include "program.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace saltus::app {

bool say(const std::string& text) {
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() &&
         std::fflush(stdout) == 0;
}

std::string read_text_file(const std::string& path) {
  if (std::filesystem::is_directory(path))
    throw Problem(ExitCode::bad_model, "'" + path + "' is a folder, not a model");
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  if (in) text << in.rdbuf();
  if (!in || in.bad()) {
    // A folder opens and cannot be read.
    if (!in.is_open())
      throw Problem(ExitCode::bad_model, "'" + path + "': no such file, or not readable");
    if (in.bad()) throw Problem(ExitCode::bad_model, "'" + path + "': cannot be read");
  }
  return std::move(text).str();
}

}  // namespace saltus::app
