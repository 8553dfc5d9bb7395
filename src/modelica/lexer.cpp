#include "modelica/lexer.hpp"

#include <algorithm>
#include <array>

#include <saltus/core/text.hpp>

namespace saltus::modelica {

namespace {

/// Sorted.
constexpr std::array<std::string_view, 59> keywords = {
    "algorithm",   "and",          "annotation", "block",       "break",
    "class",       "connect",      "connector",  "constant",    "constrainedby",
    "der",         "discrete",     "each",       "else",        "elseif",
    "elsewhen",    "encapsulated", "end",        "enumeration", "equation",
    "expandable",  "extends",      "external",   "false",       "final",
    "flow",        "for",          "function",   "if",          "import",
    "impure",      "in",           "initial",    "inner",       "input",
    "loop",        "model",        "not",        "operator",    "or",
    "outer",       "output",       "package",    "parameter",   "partial",
    "protected",   "public",       "pure",       "record",      "redeclare",
    "replaceable", "return",       "stream",     "then",        "true",
    "type",        "when",         "while",      "within"};

constexpr std::array<std::string_view, 28> signs = {
    "'('",  "')'", "'['",  "']'",  "'{'",  "'}'",  "','",  "';'",  "':'", "'.'",
    "':='", "'='", "'=='", "'<>'", "'<'",  "'<='", "'>'",  "'>='", "'+'", "'-'",
    "'*'",  "'/'", "'^'",  "'.+'", "'.-'", "'.*'", "'./'", "'.^'"};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

Token word_or_identifier(std::string_view text) {
  const auto found = std::lower_bound(keywords.begin(), keywords.end(), text);
  const auto base = static_cast<std::uint8_t>(Token::word_algorithm);
  if (found != keywords.end() && *found == text)
    return static_cast<Token>(base + (found - keywords.begin()));
  return Token::identifier;
}

class Lexer {
 public:
  explicit Lexer(const Source& source) : text_(source.text()) {}

  std::vector<LexedToken> operator()() {
    check_lines();
    if (text_.starts_with("\xef\xbb\xbf")) at_ = 3;
    for (skip_blank(); at_ < text_.size(); skip_blank()) next();
    tokens_.push_back({Token::end_of_text, {at_, 0}});
    return std::move(tokens_);
  }

 private:
  static constexpr char nothing = '\0';
  char peek(std::uint32_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : nothing;
  }
  void add(Token kind, std::uint32_t begin) { tokens_.push_back({kind, {begin, at_ - begin}}); }

  void check_lines() const {
    std::size_t start = 0;
    std::uint32_t line = 1;
    while (start < text_.size()) {
      const std::size_t end = std::min(text_.find('\n', start), text_.size());
      if (end - start > Limits::line)
        refuse({static_cast<std::uint32_t>(start), 1},
               "line " + std::to_string(line) + " has " + std::to_string(end - start) +
                   " bytes: no line of a model is longer than " + std::to_string(Limits::line));
      start = end + 1;
      ++line;
    }
    if (const std::size_t zero = text_.find('\0'); zero != std::string_view::npos)
      refuse({static_cast<std::uint32_t>(zero), 1},
             "there is a NUL byte here: this is not text, or it was damaged");
  }

  void skip_blank() {
    for (;;) {
      const char c = peek();
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f') {
        ++at_;
      } else if (c == '/' && peek(1) == '/') {
        at_ = static_cast<std::uint32_t>(std::min(text_.find('\n', at_), text_.size()));
      } else if (c == '/' && peek(1) == '*') {
        const std::size_t end = text_.find("*/", at_ + 2);
        if (end == std::string_view::npos) refuse({at_, 2}, "this comment has no end: '*/'");
        at_ = static_cast<std::uint32_t>(end + 2);
      } else {
        return;
      }
    }
  }

  void next() {
    const char c = peek();
    const std::uint32_t begin = at_;
    if (is_letter(c)) {
      while (is_letter(peek()) || is_digit(peek())) ++at_;
      check_length(begin);
      add(word_or_identifier(text_.substr(begin, at_ - begin)), begin);
    } else if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
      number();
    } else if (c == '\'') {
      quoted('\'', "this name", Token::identifier);
      check_length(begin);
      if (at_ - begin == 2) refuse({begin, 2}, "a name needs at least one character");
    } else if (c == '"') {
      quoted('"', "this string", Token::string);
    } else {
      sign();
    }
  }

  void check_length(std::uint32_t begin) const {
    if (at_ - begin > Limits::name)
      refuse({begin, 20}, "this name has " + std::to_string(at_ - begin) +
                              " characters: no name is longer than " +
                              std::to_string(Limits::name));
  }

  void number() {
    const std::uint32_t begin = at_;
    bool real = false;
    while (is_digit(peek())) ++at_;
    // In "1.*x" and "1..": the point belongs to what follows.
    if (peek() == '.' && peek(1) != '*' && peek(1) != '/' && peek(1) != '^' && peek(1) != '+' &&
        peek(1) != '-') {
      real = true;
      ++at_;
      while (is_digit(peek())) ++at_;
    }
    if (peek() == 'e' || peek() == 'E') {
      const std::uint32_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
      if (!is_digit(peek(1 + sign)))
        refuse({begin, at_ + 1 - begin}, "this number has no exponent after 'e'");
      real = true;
      at_ += 1 + sign;
      while (is_digit(peek())) ++at_;
    }
    if (at_ - begin > Limits::number)
      refuse({begin, 20}, "this number has " + std::to_string(at_ - begin) +
                              " digits: no number is longer than " +
                              std::to_string(Limits::number));
    if (is_letter(peek()))
      refuse({begin, at_ + 1 - begin},
             "a name cannot begin with a digit; a product is written with '*'");
    add(real ? Token::real : Token::integer, begin);
  }

  void quoted(char quote, const std::string& what, Token kind) {
    const std::uint32_t begin = at_++;
    for (;; ++at_) {
      const char c = peek();
      if (at_ >= text_.size() || (c == '\n' && kind == Token::identifier))
        refuse({begin, 1}, what + " has no end: " + (quote == '"' ? "'\"'" : "a second \"'\""));
      if (c == '\\') {
        ++at_;
      } else if (c == quote) {
        break;
      }
    }
    ++at_;
    add(kind, begin);
  }

  void sign() {
    struct Sign {
      std::string_view text;
      Token kind;
    };
    static constexpr std::array<Sign, 28> all = {{{":=", Token::assign},
                                                  {"==", Token::equal},
                                                  {"<>", Token::not_equal},
                                                  {"<=", Token::less_equal},
                                                  {">=", Token::greater_equal},
                                                  {".+", Token::element_plus},
                                                  {".-", Token::element_minus},
                                                  {".*", Token::element_times},
                                                  {"./", Token::element_divide},
                                                  {".^", Token::element_power},
                                                  {"(", Token::left_parenthesis},
                                                  {")", Token::right_parenthesis},
                                                  {"[", Token::left_bracket},
                                                  {"]", Token::right_bracket},
                                                  {"{", Token::left_brace},
                                                  {"}", Token::right_brace},
                                                  {",", Token::comma},
                                                  {";", Token::semicolon},
                                                  {":", Token::colon},
                                                  {".", Token::dot},
                                                  {"=", Token::equals},
                                                  {"<", Token::less},
                                                  {">", Token::greater},
                                                  {"+", Token::plus},
                                                  {"-", Token::minus},
                                                  {"*", Token::times},
                                                  {"/", Token::divide},
                                                  {"^", Token::power}}};
    const std::uint32_t begin = at_;
    for (const Sign& s : all) {
      if (!text_.substr(at_).starts_with(s.text)) continue;
      at_ += static_cast<std::uint32_t>(s.text.size());
      add(s.kind, begin);
      return;
    }
    refuse_character();
  }

  [[noreturn]] void refuse_character() const {
    const std::string_view rest = text_.substr(at_);
    if (rest.starts_with("!=")) refuse({at_, 2}, "'!=' is written '<>' in Modelica");
    if (rest.starts_with("!")) refuse({at_, 1}, "'!' is written 'not' in Modelica");
    if (rest.starts_with("&")) refuse({at_, 1}, "'&&' is written 'and' in Modelica");
    if (rest.starts_with("|")) refuse({at_, 1}, "'||' is written 'or' in Modelica");
    if (static_cast<unsigned char>(rest[0]) >= 0x80)
      refuse({at_, 1},
             "a character that only comments, strings and names in quotes ('...') may contain");
    refuse({at_, 1}, quote(rest.substr(0, 1)) + " has no meaning in Modelica");
  }

  std::string_view text_;
  std::uint32_t at_ = 0;
  std::vector<LexedToken> tokens_;
};

}  // namespace

std::string text_of(Token t) {
  switch (t) {
    case Token::end_of_text:
      return "the end of the text";
    case Token::identifier:
      return "a name";
    case Token::integer:
    case Token::real:
      return "a number";
    case Token::string:
      return "a string";
    default:
      break;
  }
  if (!is_word(t))
    return std::string(
        signs[static_cast<std::size_t>(t) - static_cast<std::size_t>(Token::left_parenthesis)]);
  const std::size_t k =
      static_cast<std::size_t>(t) - static_cast<std::size_t>(Token::word_algorithm);
  return "'" + std::string(keywords[k]) + "'";
}

std::vector<LexedToken> lex(const Source& source) { return Lexer(source)(); }

std::optional<std::string> base_version(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  constexpr std::string_view header = "//! base ";
  if (!text.starts_with(header)) return std::nullopt;
  std::string_view rest = text.substr(header.size(), 40);
  rest = rest.substr(0, rest.find_first_of("\r\n"));
  return std::string(rest.substr(0, rest.find_last_not_of(" \t") + 1));
}

namespace {
std::string unescaped(std::string_view s) {
  std::string out;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s[i] != '\\' || i + 1 == s.size()) {
      out += s[i];
      continue;
    }
    const char c = s[++i];
    out += c == 'n' ? '\n' : c == 't' ? '\t' : c;
  }
  return out;
}
}  // namespace

std::string identifier_name(std::string_view token) {
  return token.front() == '\'' ? unescaped(token.substr(1, token.size() - 2)) : std::string(token);
}
std::string string_content(std::string_view token) {
  return unescaped(token.substr(1, token.size() - 2));
}

}  // namespace saltus::modelica
