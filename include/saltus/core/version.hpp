// Version numbers of the headers and of the compiled library.
#pragma once

#include <string_view>

namespace saltus {

// The version of these headers. CMakeLists.txt holds the same numbers; a test compares them.
inline constexpr int version_major = 0;
inline constexpr int version_minor = 1;
inline constexpr int version_patch = 0;

// Returns "major.minor.patch" of the compiled library. It differs from the version of the headers
// if a program runs with another shared library than it was compiled against.
std::string_view library_version() noexcept;

}  // namespace saltus
