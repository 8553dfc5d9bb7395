// Pieces of RFC 4180.
#pragma once

#include <string>
#include <string_view>

namespace saltus::detail {

/// A field: quoted only if it must be, quotes inside doubled.
inline void append_csv_field(std::string_view text, std::string& line) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    line += text;
    return;
  }
  line += '"';
  for (const char c : text) {
    if (c == '"') line += '"';
    line += c;
  }
  line += '"';
}

inline constexpr std::string_view csv_line_end = "\r\n";  // section 2

}  // namespace saltus::detail
