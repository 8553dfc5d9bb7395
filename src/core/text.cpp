#include <saltus/core/text.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>
#include <vector>

namespace saltus {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

template <class Number>
std::optional<Number> read_number(std::string_view text) {
  Number value{};
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

template <class Names>
std::optional<std::string_view> nearest(std::string_view name, const Names& candidates) {
  std::optional<std::string_view> best;
  std::size_t best_distance = 0;
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = edit_distance(name, candidate);
    const std::size_t longer = std::max(name.size(), candidate.size());
    // One slip is forgiven even in a word of one or two letters, unless nothing remains of it.
    const std::size_t cutoff = std::max<std::size_t>(longer / 3, longer > 1 ? 1 : 0);
    if (distance <= cutoff && (!best || distance < best_distance)) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace

std::string to_text(double value) {
  // A NaN has a sign and a payload that mean nothing to a reader.
  if (std::isnan(value)) return "nan";
  std::array<char, 32> buffer{};  // the longest shortest text of a double has 24 characters
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return error == std::errc{} ? std::string(buffer.data(), end) : std::string("?");
}

std::string to_text(std::int64_t value) { return std::to_string(value); }

std::string to_text(bool value) { return value ? "true" : "false"; }

std::optional<double> read_double(std::string_view text) { return read_number<double>(text); }

std::optional<int> read_int(std::string_view text) { return read_number<int>(text); }

std::optional<bool> read_bool(std::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  return std::nullopt;
}

std::string listed(std::span<const std::string> elements) {
  std::string text;
  for (std::size_t k = 0; k < elements.size(); ++k) {
    if (k > 0) text += k + 1 == elements.size() ? " and " : ", ";
    text += elements[k];
  }
  return text;
}

std::string quote(std::string_view text) {
  static constexpr std::string_view digits = "0123456789abcdef";
  std::string out = "'";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '\'' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (code < 0x20 || code == 0x7f) {
      out += "\\x";
      out += digits[code >> 4];
      out += digits[code & 0xf];
    } else {
      out += c;  // bytes of UTF-8 pass unchanged
    }
  }
  return out + '\'';
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the table d(i, j) = distance of the first i letters of a and j of b.
  std::vector<std::size_t> before(b.size() + 1), previous(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(previous);
    previous.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const char x = lower(a[i - 1]);
      const char y = lower(b[j - 1]);
      row[j] = std::min({previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (x == y ? 0 : 1)});
      if (i > 1 && j > 1 && x == lower(b[j - 2]) && y == lower(a[i - 2])) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
  }
  return row[b.size()];
}

std::optional<std::string_view> nearest_name(std::string_view name,
                                             std::span<const std::string_view> candidates) {
  return nearest(name, candidates);
}

std::optional<std::string_view> nearest_name(std::string_view name,
                                             std::span<const std::string> candidates) {
  return nearest(name, candidates);
}

}  // namespace saltus
