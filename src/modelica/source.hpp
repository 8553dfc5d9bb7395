// The text of a model: places in it, and what is said about them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <saltus/modelica/diagnostic.hpp>

namespace saltus::modelica {

/// A stretch of the text, in bytes.
struct Span {
  std::uint32_t begin = 0;
  std::uint32_t length = 0;
  std::uint32_t end() const { return begin + length; }
};
/// What is asked for from outside is at no place of the text.
constexpr Span outside{0xffffffffU, 0};
constexpr Span from_to(Span first, Span last) {
  return {first.begin, last.begin + last.length - first.begin};
}

class Source {
 public:
  Source(std::string_view text, std::string file_name);

  std::string_view text() const { return text_; }
  std::string_view text(Span s) const { return text_.substr(s.begin, s.length); }
  std::uint32_t line_of(std::uint32_t offset) const;
  Diagnostic diagnostic(DiagnosticKind kind, Span where, std::string message) const;

 private:
  std::string_view text_;
  std::string file_name_;
  std::vector<std::uint32_t> line_starts_;
};

/// Where messages go. Those about a place that has one already are not repeated.
class Messages {
 public:
  Messages(const Source& source, std::uint32_t max_errors)
      : source_(source), max_errors_(max_errors) {}

  void error(Span where, std::string message);
  void warning(Span where, std::string message);
  bool has_errors() const { return n_errors_ > 0; }
  bool is_full() const { return n_errors_ >= max_errors_; }
  /// In the order of the text.
  std::vector<Diagnostic> take();

 private:
  struct Said {
    Span where;
    DiagnosticKind kind;
    std::string message;
  };
  const Source& source_;
  std::uint32_t max_errors_;
  std::uint32_t n_errors_ = 0;
  std::vector<Said> said_;
};

/// Ends the reading of one declaration or equation; the next one is read all the same.
struct Refusal {
  Span where;
  std::string message;
};
[[noreturn]] inline void refuse(Span where, std::string message) {
  throw Refusal{where, std::move(message)};
}

}  // namespace saltus::modelica
