#include "modelica/source.hpp"

#include <algorithm>

namespace saltus {

std::string to_text(const Diagnostic& d) {
  std::string out = d.file;
  if (d.line > 0) out += ":" + std::to_string(d.line) + ":" + std::to_string(d.column);
  out += d.is_error() ? ": error: " : ": warning: ";
  out += d.message + "\n";
  if (d.line == 0) return out;
  out += "  " + d.source_line + "\n  ";
  // Tabs stay tabs, so that the mark stands below what it means; further bytes of a character count none.
  std::uint32_t at = 0;
  for (const char c : d.source_line) {
    if (at == d.caret) break;
    if ((static_cast<unsigned char>(c) & 0xc0U) == 0x80U) continue;
    out += c == '\t' ? '\t' : ' ';
    ++at;
  }
  out += '^';
  if (d.length > 1) out.append(d.length - 1, '~');
  return out + "\n";
}

std::string to_text(std::span<const Diagnostic> diagnostics) {
  std::string out;
  for (const Diagnostic& d : diagnostics) out += to_text(d);
  return out;
}

}  // namespace saltus

namespace saltus::modelica {

namespace {

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; }

std::uint32_t count_characters(std::string_view s) {
  return static_cast<std::uint32_t>(
      std::count_if(s.begin(), s.end(), [](char c) { return !continues_character(c); }));
}

/// What a terminal can show: other control characters than tabs become blanks.
std::string shown(std::string_view s) {
  std::string out(s);
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < 0x20 && c != '\t') c = ' ';
  }
  return out;
}

}  // namespace

Source::Source(std::string_view text, std::string file_name)
    : text_(text), file_name_(std::move(file_name)) {
  line_starts_.push_back(0);
  for (std::size_t i = text.find('\n'); i != std::string_view::npos; i = text.find('\n', i + 1))
    line_starts_.push_back(static_cast<std::uint32_t>(i + 1));
}

std::uint32_t Source::line_of(std::uint32_t offset) const {
  const auto next = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  return static_cast<std::uint32_t>(next - line_starts_.begin());
}

Diagnostic Source::diagnostic(DiagnosticKind kind, Span where, std::string message) const {
  constexpr std::uint32_t longest_line = 120, before_caret = 60;
  Diagnostic d;
  d.kind = kind;
  d.message = std::move(message);
  d.file = file_name_;
  if (where.begin == outside.begin) return d;
  d.line = line_of(where.begin);
  const std::uint32_t start = line_starts_[d.line - 1];
  std::size_t end = text_.find('\n', start);
  if (end == std::string_view::npos) end = text_.size();
  if (end > start && text_[end - 1] == '\r') --end;
  const auto stop = static_cast<std::uint32_t>(end);
  const std::uint32_t at = std::min(where.begin, stop);
  d.column = count_characters(text_.substr(start, at - start)) + 1;

  // Of a long line what is around the place.
  std::uint32_t from = start, to = stop;
  if (stop - start > longest_line) {
    from = at > start + before_caret ? at - before_caret : start;
    to = std::min(stop, from + longest_line);
    while (from > start && continues_character(text_[from])) --from;
    while (to < stop && continues_character(text_[to])) ++to;
  } else {
    // Indentation says nothing.
    while (from < at && (text_[from] == ' ' || text_[from] == '\t')) ++from;
  }
  d.source_line = shown(text_.substr(from, to - from));
  d.caret = count_characters(text_.substr(from, at - from));
  const std::uint32_t last = std::clamp(where.end(), at, to);
  d.length = std::max<std::uint32_t>(1, count_characters(text_.substr(at, last - at)));
  return d;
}

void Messages::error(Span where, std::string message) {
  if (is_full()) return;
  for (const Said& s : said_)
    if (s.kind == DiagnosticKind::error && s.where.begin == where.begin && s.message == message)
      return;
  ++n_errors_;
  said_.push_back({where, DiagnosticKind::error, std::move(message)});
}

void Messages::warning(Span where, std::string message) {
  constexpr std::size_t most = 200;
  if (said_.size() >= most) return;
  said_.push_back({where, DiagnosticKind::warning, std::move(message)});
}

std::vector<Diagnostic> Messages::take() {
  std::stable_sort(said_.begin(), said_.end(),
                   [](const Said& a, const Said& b) { return a.where.begin < b.where.begin; });
  std::vector<Diagnostic> all;
  for (Said& s : said_) {
    if (has_errors() && s.kind == DiagnosticKind::warning) continue;
    all.push_back(source_.diagnostic(s.kind, s.where, std::move(s.message)));
  }
  said_.clear();
  return all;
}

}  // namespace saltus::modelica
