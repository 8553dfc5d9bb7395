#include <saltus/core/version.hpp>
#include <string>

namespace saltus {

std::string_view library_version() noexcept {
  static const std::string text = std::to_string(version_major) + '.' +
                                  std::to_string(version_minor) + '.' +
                                  std::to_string(version_patch);
  return text;
}

}  // namespace saltus
