// Numbers and tables for people.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace saltus::detail {

/// For a glance, not for reading back.
std::string rounded(double value, int digits = 3);

/// Both with the same number of digits, at least `digits` and as many as it takes to tell them apart.
std::pair<std::string, std::string> told_apart(double a, double b, int digits = 6);

/// "1 event", "2 events".
std::string counted(std::uint64_t n, std::string_view one);

/// "a", "a and b", "a, b and c"; of more than `most`, "a, b and 7 more".
std::string enumeration(const std::vector<std::string>& parts, std::size_t most = 6);

/// Characters on the screen: bytes that continue a character of UTF-8 are none.
std::size_t screen_width(std::string_view text);

/// At most that many characters, the last three dots if it was longer.
std::string cut(std::string_view text, std::size_t most);

/// Columns aligned at the left, two blanks apart, no blanks at ends of lines.
std::string aligned(const std::vector<std::vector<std::string>>& rows, std::size_t indent);

}  // namespace saltus::detail
