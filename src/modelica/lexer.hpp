// From characters to tokens.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "modelica/source.hpp"

namespace saltus::modelica {

enum class Token : std::uint8_t {
  end_of_text,
  identifier,  // also 'in quotes'
  integer,
  real,
  string,
  // signs
  left_parenthesis,
  right_parenthesis,
  left_bracket,
  right_bracket,
  left_brace,
  right_brace,
  comma,
  semicolon,
  colon,
  dot,
  assign,     // :=
  equals,     // =
  equal,      // ==
  not_equal,  // <>
  less,
  less_equal,
  greater,
  greater_equal,
  plus,
  minus,
  times,
  divide,
  power,
  element_plus,   // .+
  element_minus,  // .-
  element_times,
  element_divide,
  element_power,
  // words, in the order of `keywords`
  word_algorithm,
  word_and,
  word_annotation,
  word_block,
  word_break,
  word_class,
  word_connect,
  word_connector,
  word_constant,
  word_constrainedby,
  word_der,
  word_discrete,
  word_each,
  word_else,
  word_elseif,
  word_elsewhen,
  word_encapsulated,
  word_end,
  word_enumeration,
  word_equation,
  word_expandable,
  word_extends,
  word_external,
  word_false,
  word_final,
  word_flow,
  word_for,
  word_function,
  word_if,
  word_import,
  word_impure,
  word_in,
  word_initial,
  word_inner,
  word_input,
  word_loop,
  word_model,
  word_not,
  word_operator,
  word_or,
  word_outer,
  word_output,
  word_package,
  word_parameter,
  word_partial,
  word_protected,
  word_public,
  word_pure,
  word_record,
  word_redeclare,
  word_replaceable,
  word_return,
  word_stream,
  word_then,
  word_true,
  word_type,
  word_when,
  word_while,
  word_within,
};

inline bool is_word(Token t) { return t >= Token::word_algorithm; }
/// As it is written: "';'", "'end'", "a number".
std::string text_of(Token t);

struct LexedToken {
  Token kind = Token::end_of_text;
  Span span;
};

/// Larger texts are refused, politely.
struct Limits {
  static constexpr std::uint32_t text = 64U << 20;
  static constexpr std::uint32_t line = 1U << 20;
  static constexpr std::uint32_t number = 400;
  static constexpr std::uint32_t name = 4000;
  static constexpr int nesting = 200;
};

/// Ends with end_of_text. Throws Refusal at the first character that no text has.
std::vector<LexedToken> lex(const Source& source);

/// The version that a header "//! base 0.1.0" states.
std::optional<std::string> base_version(std::string_view text);

/// The name of an identifier token: without the quotes it may have, escapes replaced.
std::string identifier_name(std::string_view token);
std::string string_content(std::string_view token);

}  // namespace saltus::modelica
