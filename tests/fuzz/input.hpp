// What the programs for libFuzzer share.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace saltus::fuzz {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// With SALTUS_PLANTED_OVERRUN set, reads one byte too many where the input contains "ouch". It is an easy one: libFuzzer
/// sees which words are looked for. Finding it shows that inputs are made, run and watched by the sanitizer, not how deep
/// into the reader they get: three single comparisons in a row were not found in a minute by six of the seven programs.
inline void plant_overrun(const std::uint8_t* data, std::size_t size) {
  static const bool is_planted = std::getenv("SALTUS_PLANTED_OVERRUN") != nullptr;
  if (!is_planted || ::memmem(data, size, "ouch", 4) == nullptr) return;
  const std::vector<std::uint8_t> copy(data, data + size);
  static volatile std::uint8_t seen;
  seen = copy.data()[size];
}

/// A file of this process with the bytes of the input, for readers that take a path. In memory where the system has such
/// a folder: a disk would be slower than the reader.
class InputFile {
 public:
  explicit InputFile(const std::string& ending) {
    const std::filesystem::path memory = "/dev/shm";
    const std::filesystem::path folder =
        (std::filesystem::exists(memory) ? memory : std::filesystem::temp_directory_path()) /
        ("saltus_fuzz_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    path_ = folder / ("input" + ending);
  }
  ~InputFile() {
    std::error_code ignored;
    std::filesystem::remove_all(path_.parent_path(), ignored);
  }
  const std::filesystem::path& write(const std::uint8_t* data, std::size_t size) const {
    std::ofstream(path_, std::ios::binary) << text_of(data, size);
    return path_;
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace saltus::fuzz
