#include "simulate/report_text.hpp"

#include <algorithm>
#include <charconv>

namespace saltus::report_text {

std::string counted(std::size_t n, const std::string& one) {
  std::string plural = one + "s";
  if (one == "degree of freedom") plural = "degrees of freedom";
  return std::to_string(n) + " " + (n == 1 ? one : plural);
}

std::string short_name(const std::string& name, std::size_t most) {
  return name.size() <= most ? name : name.substr(0, most - 3) + "...";
}

std::string few_names(const std::vector<std::string>& names, std::span<const std::uint32_t> which,
                      std::size_t most) {
  std::string text;
  for (std::size_t k = 0; k < std::min(which.size(), most); ++k) {
    text += (k > 0 ? ", '" : "'") + short_name(names[which[k]]) + "'";
  }
  if (which.size() > most) text += " and " + std::to_string(which.size() - most) + " more";
  return text;
}

std::string short_number(double value, int digits) {
  char buffer[64];
  const auto end =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, digits).ptr;
  return {buffer, end};
}

std::string padded(const std::vector<std::vector<std::string>>& rows, std::size_t indent) {
  std::vector<std::size_t> width;
  for (const auto& row : rows) {
    width.resize(std::max(width.size(), row.size()), 0);
    for (std::size_t k = 0; k < row.size(); ++k) width[k] = std::max(width[k], row[k].size());
  }
  std::string text;
  for (const auto& row : rows) {
    text.append(indent, ' ');
    for (std::size_t k = 0; k < row.size(); ++k) {
      text += row[k];
      if (k + 1 < row.size()) text.append(width[k] - row[k].size() + 2, ' ');
    }
    text += "\n";
  }
  return text;
}

std::string wrapped(const std::string& text, std::size_t indent) {
  constexpr std::size_t width = 100;
  std::string out, line(indent, ' ');
  bool empty = true;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (!empty && line.size() + 1 + word.size() > width) {
      out += line + "\n";
      line.assign(indent + 2, ' ');
      empty = true;
    }
    line += (empty ? "" : " ") + word;
    empty = false;
    at = end + 1;
  }
  return out + line + "\n";
}

}  // namespace saltus::report_text
