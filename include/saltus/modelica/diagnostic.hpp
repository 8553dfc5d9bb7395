// Describes errors and warnings about a text, with their places.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace saltus {

enum class DiagnosticKind : std::uint8_t {
  error,    // no model was made
  warning,  // a model was made, but something in it may not be what was meant
};

struct Diagnostic {
  DiagnosticKind kind = DiagnosticKind::error;
  std::string message;
  std::string file;
  std::uint32_t line = 0;    // from 1; 0: about the text as a whole
  std::uint32_t column = 0;  // from 1, in characters
  std::uint32_t length = 1;  // number of characters concerned
  std::string source_line;   // a part of the line, if it is long
  std::uint32_t caret = 0;   // position in source_line, in characters from 0

  bool is_error() const { return kind == DiagnosticKind::error; }
};

/// Returns the message as compilers write it, in three lines that end with a line break:
///
///   belt.mo:4:28: error: 'vbelt' is not declared: did you mean 'v_belt'?
///     der(v) = -k * x - sign(v - vbelt);
///                                ^~~~~
std::string to_text(const Diagnostic& diagnostic);
/// Returns the messages one after the other.
std::string to_text(std::span<const Diagnostic> diagnostics);

}  // namespace saltus
