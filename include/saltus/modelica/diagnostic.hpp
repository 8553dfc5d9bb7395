// What is wrong with a text, and where.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace saltus {

enum class DiagnosticKind : std::uint8_t {
  error,    // there is no model
  warning,  // there is one, and something in it may not be what was meant
};

struct Diagnostic {
  DiagnosticKind kind = DiagnosticKind::error;
  std::string message;
  std::string file;
  std::uint32_t line = 0;    // from 1; 0: about the text as a whole
  std::uint32_t column = 0;  // from 1, in characters
  std::uint32_t length = 1;  // characters it is about
  std::string source_line;   // a part of it, if it is long
  std::uint32_t caret = 0;   // where in source_line, in characters from 0

  bool is_error() const { return kind == DiagnosticKind::error; }
};

/// As compilers write it, three lines that end with a line break:
///
///   belt.mo:4:28: error: 'vbelt' is not declared: did you mean 'v_belt'?
///     der(v) = -k * x - sign(v - vbelt);
///                                ^~~~~
std::string to_text(const Diagnostic& diagnostic);
/// One after the other.
std::string to_text(std::span<const Diagnostic> diagnostics);

}  // namespace saltus
