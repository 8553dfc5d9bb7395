#include "trajectory/words.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include <saltus/core/text.hpp>

namespace saltus::detail {

namespace {

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

}  // namespace

std::string rounded(double value, int digits) {
  std::array<char, 64> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                          std::chars_format::general, digits);
  return error == std::errc{} ? std::string(buffer.data(), end) : to_text(value);
}

std::pair<std::string, std::string> told_apart(double a, double b, int digits) {
  std::pair<std::string, std::string> texts{rounded(a, digits), rounded(b, digits)};
  while (a != b && texts.first == texts.second &&
         digits < std::numeric_limits<double>::max_digits10) {
    ++digits;
    texts = {rounded(a, digits), rounded(b, digits)};
  }
  return texts;
}

std::string counted(std::uint64_t n, std::string_view one) {
  return std::to_string(n) + ' ' + std::string(one) + (n == 1 ? "" : "s");
}

std::string enumeration(const std::vector<std::string>& parts, std::size_t most) {
  if (parts.size() <= most) return listed(parts);
  const std::span<const std::string> shown = std::span(parts).first(most);
  return join(shown, ", ") + " and " + std::to_string(parts.size() - most) + " more";
}

std::size_t screen_width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !continues_character(c); }));
}

std::string cut(std::string_view text, std::size_t most) {
  if (screen_width(text) <= most) return std::string(text);
  std::size_t end = 0;
  for (std::size_t characters = 0; end < text.size(); ++end) {
    if (!continues_character(text[end]) && ++characters > most - 3) break;
  }
  return std::string(text.substr(0, end)) + "...";
}

std::string aligned(const std::vector<std::vector<std::string>>& rows, std::size_t indent) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (std::size_t c = 0; c < row.size(); ++c)
      widths[c] = std::max(widths[c], screen_width(row[c]));
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line(indent, ' ');
    for (std::size_t c = 0; c < row.size(); ++c)
      line += row[c] + std::string(widths[c] - screen_width(row[c]) + 2, ' ');
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return out;
}

}  // namespace saltus::detail
