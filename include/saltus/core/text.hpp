// Numbers as text and back, quoting, and the nearest name to a mistyped one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace saltus {

// Returns the shortest text that reads back to the same bits ("0.1", "1e-08", "inf"; every NaN
// gives "nan"). Independent of the locale.
std::string to_text(double value);
std::string to_text(std::int64_t value);
std::string to_text(bool value);
inline std::string to_text(int value) { return to_text(static_cast<std::int64_t>(value)); }
// Deleted, since a string literal would become a bool.
std::string to_text(const char*) = delete;

// The inverse. Return nothing unless the whole text is one value of that type.
std::optional<double> read_double(std::string_view text);
std::optional<int> read_int(std::string_view text);
std::optional<bool> read_bool(std::string_view text);  // "true" or "false"

// Returns 'text' in quotes, with quotes, backslashes and control characters escaped.
std::string quote(std::string_view text);

// Returns the elements, convertible to string_view, with `separator` between them.
template <class Range>
std::string join(const Range& elements, std::string_view separator) {
  std::string out;
  bool first = true;
  for (const auto& element : elements) {
    if (!first) out += separator;
    first = false;
    out += std::string_view(element);
  }
  return out;
}

// Returns "a", "a and b", "a, b and c".
std::string listed(std::span<const std::string> elements);

// Returns the number of insertions, deletions, replacements and exchanges of neighbours that turn a
// into b, without regard to case (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b);

// Returns the candidate that a mistyped `name` most likely means: the nearest in edit distance, the
// first of equals. Returns nothing if even that one differs in more than a third of the longer
// word.
std::optional<std::string_view> nearest_name(std::string_view name,
                                             std::span<const std::string_view> candidates);
std::optional<std::string_view> nearest_name(std::string_view name,
                                             std::span<const std::string> candidates);

}  // namespace saltus
