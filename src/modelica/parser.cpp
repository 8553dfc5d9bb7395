// Classes and declarations.
#include "modelica/parser.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <unordered_map>
#include <unordered_set>

#include <saltus/core/text.hpp>

namespace saltus::modelica {

Parser::Parser(const Source& source, std::vector<LexedToken> tokens, Messages& messages)
    : source_(source), tokens_(std::move(tokens)), messages_(messages) {}

// ---- tokens --------------------------------------------------------------------------------------

Token Parser::peek(std::size_t ahead) const {
  return tokens_[std::min(at_ + ahead, tokens_.size() - 1)].kind;
}
Span Parser::span(std::size_t ahead) const {
  return tokens_[std::min(at_ + ahead, tokens_.size() - 1)].span;
}
Span Parser::previous() const { return at_ == 0 ? Span{} : tokens_[at_ - 1].span; }

bool Parser::take(Token kind) {
  if (!at(kind)) return false;
  ++at_;
  return true;
}

std::string Parser::found() const {
  const Token t = peek();
  if (t == Token::identifier || t == Token::integer || t == Token::real) {
    const std::string_view text = source_.text(span());
    return text.front() == '\'' ? std::string(text) : "'" + std::string(text.substr(0, 40)) + "'";
  }
  return text_of(t);
}

void Parser::unexpected(const std::string& wanted) const {
  refuse(span(), "expected " + wanted + ", not " + found());
}

void Parser::expect(Token kind, const std::string& where) {
  if (take(kind)) return;
  refuse(gap(),
         "expected " + text_of(kind) + (where.empty() ? "" : " " + where) + ", not " + found());
}

/// What is missing is missing behind the last token, not before the next one, lines later.
void Parser::expect_semicolon(const std::string& what) {
  if (take(Token::semicolon)) return;
  refuse(gap(), "expected ';' after " + what);
}

/// To the semicolon that ends what was not understood, or to a word that begins something else.
void Parser::skip_statement() {
  int open = 0;
  for (; !at(Token::end_of_text); ++at_) {
    if (at(Token::left_parenthesis) || at(Token::left_brace) || at(Token::left_bracket)) ++open;
    if (at(Token::right_parenthesis) || at(Token::right_brace) || at(Token::right_bracket)) --open;
    if (at(Token::semicolon) && open <= 0) {
      ++at_;
      return;
    }
    // Inside of an open parenthesis, too: it is the one that nobody closed.
    if (at(Token::word_equation) || at(Token::word_algorithm) || at(Token::word_protected) ||
        at(Token::word_public) || (at(Token::word_end) && peek(1) == Token::identifier))
      return;
  }
}

void Parser::one(const std::function<void()>& read) {
  const std::size_t begin = at_;
  const int depth = depth_;
  try {
    read();
  } catch (const Refusal& r) {
    messages_.error(r.where, r.message);
    depth_ = depth;
    // A semicolon that is missing before a new line: what follows is understood as it is.
    const bool is_between = at_ > begin && r.where.begin == previous().end() &&
                            source_.line_of(span().begin) > source_.line_of(previous().begin) &&
                            r.message.starts_with("expected ';'");
    if (!is_between) skip_statement();
    if (at_ == begin) ++at_;
  }
}

// ---- classes -------------------------------------------------------------------------------------

std::string Parser::description() {
  std::string text;
  while (at(Token::string)) {
    text += string_content(source_.text(span()));
    ++at_;
    if (!take(Token::plus)) break;
  }
  return text;
}

std::string Parser::dotted_name(const std::string& what) {
  std::string name;
  take(Token::dot);
  do {
    if (!at(Token::identifier)) unexpected(name.empty() ? what : "a name after '.'");
    if (!name.empty()) name += '.';
    name += identifier_name(source_.text(span()));
    ++at_;
  } while (take(Token::dot));
  return name;
}

/// The name of a variable, which in flat Modelica may contain points and, before the last of them, numbers of
/// elements.
std::string Parser::declared_name() {
  std::string name;
  for (;;) {
    if (!at(Token::identifier)) unexpected("the name of a variable");
    name += identifier_name(source_.text(span()));
    ++at_;
    std::size_t ahead = 0;
    if (at(Token::left_bracket)) {
      while (peek(ahead) != Token::right_bracket && peek(ahead) != Token::end_of_text) ++ahead;
      if (peek(ahead + 1) != Token::dot) return name;
      for (std::size_t k = 0; k <= ahead; ++k, ++at_) name += source_.text(span());
    }
    if (!take(Token::dot)) return name;
    name += '.';
  }
}

ParsedText Parser::text() {
  ClassDefinition outermost;
  while (!at(Token::end_of_text) && !messages_.is_full()) {
    one([&] {
      if (take(Token::word_within)) {
        if (at(Token::identifier)) dotted_name("a name");
        expect_semicolon("this 'within'");
        return;
      }
      take(Token::word_final);
      class_definition(&outermost);
      expect_semicolon("the 'end' of a class");
    });
  }
  for (ClassDefinition& c : outermost.classes) name_elements(c);
  out_.classes = std::move(outermost.classes);
  out_.types = std::move(outermost.types);
  return std::move(out_);
}

/// "[1,2]" if all of them are numbers, else nothing.
std::string Parser::element_text(std::span<const ExprId> subscripts) const {
  std::string text;
  for (const ExprId id : subscripts) {
    const ExprNode& n = out_.expressions[id];
    if (n.kind != ExprKind::number || n.op != 1) return {};
    text += (text.empty() ? "[" : ",") + std::to_string(static_cast<std::int64_t>(n.number));
  }
  return text.empty() ? text : text + "]";
}

/// Compilers that write arrays out declare their elements one by one: Real x[1]; Real x[2];
void Parser::name_elements(ClassDefinition& c) {
  for (ClassDefinition& inner : c.classes) name_elements(inner);
  std::unordered_map<std::string, std::uint32_t> count;
  for (const Declaration& d : c.declarations)
    if (!d.dimensions.empty()) ++count[d.name];
  std::unordered_set<std::string> written_out;
  for (Declaration& d : c.declarations) {
    if (d.dimensions.empty() || count[d.name] < 2) continue;
    const std::string element = element_text(d.dimensions);
    if (element.empty()) continue;
    written_out.insert(d.name);
    d.name += element;
    d.dimensions.clear();
  }
  if (written_out.empty()) return;
  Expressions& e = out_.expressions;
  for (ExprId id = 0; id < e.size(); ++id) {
    if (e[id].kind != ExprKind::name || e[id].count == 0 || !written_out.contains(e.name(id)))
      continue;
    const std::string element = element_text(e.children(id));
    if (!element.empty()) e.make_plain(id, e.name(id) + element);
  }
}

/// Nothing that follows could be understood: one message is enough.
void Parser::no_class() {
  static const std::vector<std::string> words = {"model", "function", "record", "type", "package"};
  std::string word(source_.text(span()));
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto near = at(Token::identifier) ? nearest_name(word, words) : std::nullopt;
  const Refusal said{span(), "expected 'model', 'function', 'record', 'type' or 'package', not " +
                                 found() +
                                 (near ? ": did you mean '" + std::string(*near) + "'?" : "")};
  while (!at(Token::end_of_text)) ++at_;
  throw said;
}

void Parser::class_definition(ClassDefinition* owner) {
  const Depth deeper(*this);
  while (at(Token::word_partial) || at(Token::word_encapsulated) || at(Token::word_pure) ||
         at(Token::word_impure) || at(Token::word_expandable) || at(Token::word_operator)) {
    if (at(Token::word_partial)) refuse(span(), "a partial class cannot be simulated");
    if (at(Token::word_impure)) refuse(span(), "impure functions are not supported");
    ++at_;
  }
  static constexpr std::array kinds = {
      Token::word_model,  Token::word_class,   Token::word_block, Token::word_function,
      Token::word_record, Token::word_package, Token::word_type,  Token::word_connector};
  if (std::find(kinds.begin(), kinds.end(), peek()) == kinds.end()) no_class();
  if (at(Token::word_connector))
    refuse(span(),
           "connectors belong to models that are not flat: let a Modelica compiler flatten "
           "it first");
  ClassDefinition c;
  c.kind = std::string(source_.text(span()));
  ++at_;
  if (at(Token::word_extends)) refuse(span(), "'extends' belongs to models that are not flat");
  if (!at(Token::identifier)) unexpected("the name of a " + c.kind);
  c.span = span();
  c.name = identifier_name(source_.text(span()));
  ++at_;
  // OpenModelica writes the names of functions with points.
  while (take(Token::dot)) {
    if (!at(Token::identifier)) unexpected("a name after '.'");
    c.name += "." + identifier_name(source_.text(span()));
    ++at_;
  }
  if (take(Token::equals)) {
    short_class(c.kind, c.name, c.span, owner);
    return;
  }
  if (c.kind == "type") refuse(gap(), "expected '=' and a type after the name of a type");
  c.description = description();
  composition(c);
  check_end_name(c);
  owner->classes.push_back(std::move(c));
}

void Parser::check_end_name(const ClassDefinition& c) {
  if (!take(Token::word_end))
    refuse(span(), "expected 'end " + c.name + "' for the " + c.kind + " of line " +
                       std::to_string(source_.line_of(c.span.begin)) + ", not " + found());
  if (!at(Token::identifier))
    refuse(gap(), "expected '" + c.name + "' after 'end', not " + found());
  const Span begin = span();
  const std::string name = dotted_name("a name");
  if (name != c.name)
    messages_.error(from_to(begin, previous()),
                    "the " + c.kind + " is called '" + c.name + "', its end '" + name + "'");
}

void Parser::short_class(const std::string& kind, const std::string& name, Span where,
                         ClassDefinition* owner) {
  TypeDefinition t;
  t.name = name;
  t.span = where;
  if (take(Token::word_enumeration)) {
    expect(Token::left_parenthesis, "after 'enumeration'");
    if (at(Token::colon)) refuse(span(), "enumerations without literals are not supported");
    do {
      if (!at(Token::identifier)) unexpected("the name of an enumeration literal");
      t.literals.push_back(identifier_name(source_.text(span())));
      ++at_;
      description();
      if (at(Token::word_annotation)) annotation(nullptr);
    } while (take(Token::comma));
    expect(Token::right_parenthesis, "after the enumeration literals");
  } else {
    if (kind != "type")
      refuse(where, "a " + kind + " defined as another one by '=' is not supported");
    t.base_span = span();
    t.base = dotted_name("the name of a type");
    t.dimensions = subscripts();
    if (at(Token::left_parenthesis)) modification(t.modifiers, name);
  }
  description();
  if (at(Token::word_annotation)) annotation(nullptr);
  owner->types.push_back(std::move(t));
}

void Parser::composition(ClassDefinition& c) {
  bool is_protected = false;
  while (!at(Token::word_end) && !at(Token::end_of_text) && !messages_.is_full()) {
    const bool initial = at(Token::word_initial) &&
                         (peek(1) == Token::word_equation || peek(1) == Token::word_algorithm);
    if (initial) ++at_;
    if (take(Token::word_equation)) {
      if (c.kind == "function") refuse(previous(), "a function has an algorithm, not equations");
      c.equations.push_back(section(initial, false));
    } else if (take(Token::word_algorithm)) {
      c.algorithms.push_back(section(initial, true));
    } else if (at(Token::word_else) || at(Token::word_elseif) || at(Token::word_elsewhen)) {
      one([&] { unexpected("an equation, a section or 'end'"); });
    } else {
      one([&] {
        if (take(Token::word_public)) {
          is_protected = false;
        } else if (take(Token::word_protected)) {
          is_protected = true;
        } else if (at(Token::word_annotation)) {
          annotation(&c);
          expect_semicolon("this annotation");
        } else if (at(Token::word_external)) {
          c.external = span();
          skip_statement();
        } else {
          element(c, is_protected);
        }
      });
    }
  }
}

/// annotation(…): what matters is the experiment.
void Parser::annotation(ClassDefinition* owner) {
  ++at_;
  if (!at(Token::left_parenthesis)) unexpected("'(' after 'annotation'");
  if (owner == nullptr) {
    skip_parentheses();
    return;
  }
  ++at_;
  while (!at(Token::right_parenthesis)) {
    take(Token::word_each);
    take(Token::word_final);
    if (at(Token::identifier) && source_.text(span()) == "experiment" &&
        peek(1) == Token::left_parenthesis) {
      ++at_;
      modification(owner->experiment, "experiment");
    } else {
      // Anything else, to the next comma of this level.
      while (!at(Token::comma) && !at(Token::right_parenthesis)) {
        if (at(Token::end_of_text)) unexpected("')' at the end of the annotation");
        if (at(Token::left_parenthesis) || at(Token::left_brace) || at(Token::left_bracket)) {
          skip_parentheses();
        } else {
          ++at_;
        }
      }
    }
    if (!take(Token::comma) && !at(Token::right_parenthesis)) unexpected("',' or ')'");
  }
  ++at_;
}

void Parser::skip_parentheses() {
  const Span begin = span();
  int open = 0;
  do {
    if (at(Token::left_parenthesis) || at(Token::left_brace) || at(Token::left_bracket)) ++open;
    if (at(Token::right_parenthesis) || at(Token::right_brace) || at(Token::right_bracket)) --open;
    if (at(Token::end_of_text))
      refuse(begin, "this '" + std::string(source_.text(begin)) + "' is never closed");
    ++at_;
  } while (open > 0);
}

bool Parser::element(ClassDefinition& c, bool is_protected) {
  Declaration d;
  d.is_protected = is_protected;
  for (;; ++at_) {
    switch (peek()) {
      case Token::word_import:
        refuse(span(),
               "'import' belongs to models that are not flat: let a Modelica compiler "
               "flatten it first, or write the whole name");
      case Token::word_extends:
        refuse(span(),
               "'extends' belongs to models that are not flat: let a Modelica compiler "
               "flatten it first");
      case Token::word_redeclare:
      case Token::word_replaceable:
      case Token::word_inner:
      case Token::word_outer:
      case Token::word_flow:
      case Token::word_stream:
        refuse(span(), text_of(peek()) +
                           " belongs to models that are not flat: let a Modelica "
                           "compiler flatten it first");
      case Token::word_final:
        d.is_final = true;
        continue;
      case Token::word_parameter:
        d.prefix = Prefix::parameter;
        if (peek(1) == Token::word_equation)
          refuse(span(), "'parameter equation' of Base Modelica is not supported");
        continue;
      case Token::word_constant:
        d.prefix = Prefix::constant;
        continue;
      case Token::word_discrete:
        d.prefix = Prefix::discrete;
        continue;
      case Token::word_input:
        d.causality = Causality::input;
        continue;
      case Token::word_output:
        d.causality = Causality::output;
        continue;
      default:
        break;
    }
    break;
  }
  if (at(Token::word_model) || at(Token::word_function) || at(Token::word_record) ||
      at(Token::word_type) || at(Token::word_package) || at(Token::word_class) ||
      at(Token::word_block) || at(Token::word_partial) || at(Token::word_pure) ||
      at(Token::word_impure) || at(Token::word_encapsulated) || at(Token::word_connector) ||
      at(Token::word_operator)) {
    class_definition(&c);
    expect_semicolon("the 'end' of a class");
    return true;
  }
  components(c, std::move(d));
  return true;
}

void Parser::components(ClassDefinition& c, Declaration common) {
  common.type_span = span();
  if (at(Token::word_enumeration))
    refuse(span(), "give the enumeration a name: type E = enumeration(...);");
  if (at(Token::word_when) || at(Token::word_if) || at(Token::word_for) || at(Token::word_der))
    refuse(span(), "an equation stands here, before the word 'equation'");
  common.type = dotted_name("a declaration, 'equation' or 'end'");
  common.type_span = from_to(common.type_span, previous());
  if (at(Token::equals) || at(Token::plus) || at(Token::times))
    refuse(common.type_span,
           "this looks like an equation: equations follow after the word 'equation'");
  const std::vector<ExprId> common_dimensions = subscripts();
  do {
    Declaration d = common;
    d.span = span();
    d.name = declared_name();
    d.span = from_to(d.span, previous());
    d.dimensions = subscripts();
    d.dimensions.insert(d.dimensions.end(), common_dimensions.begin(), common_dimensions.end());
    if (at(Token::left_parenthesis)) modification(d.modifiers, d.name);
    if (at(Token::equals)) {
      ++at_;
      d.binding = expression();
    } else if (at(Token::assign)) {
      ++at_;
      if (c.kind != "function") refuse(previous(), "a declaration has '=', not ':='");
      d.binding = expression();
    } else if (at(Token::equal)) {
      refuse(span(), "'==' compares; a declaration has '='");
    }
    if (take(Token::word_if)) d.condition = expression();
    d.description = description();
    if (at(Token::word_annotation)) annotation(nullptr);
    c.declarations.push_back(std::move(d));
  } while (take(Token::comma));
  expect_semicolon("this declaration");
}

void Parser::modification(std::vector<Modifier>& into, const std::string& whose) {
  const Depth deeper(*this);
  const Span begin = span();
  ++at_;  // (
  while (!at(Token::right_parenthesis)) {
    Modifier m;
    for (;; ++at_) {
      if (at(Token::word_redeclare) || at(Token::word_replaceable))
        refuse(span(), text_of(peek()) + " belongs to models that are not flat");
      if (at(Token::word_final)) m.is_final = true;
      if (!at(Token::word_each) && !at(Token::word_final)) break;
    }
    m.span = span();
    m.name = dotted_name("the name of an attribute");
    if (at(Token::left_parenthesis)) {
      if (m.name == "__OpenModelica_simulationFlags") {
        skip_parentheses();
      } else {
        refuse(span(), "modifications inside of modifications are not supported");
      }
    }
    if (take(Token::equals)) m.value = expression();
    description();
    into.push_back(std::move(m));
    if (!take(Token::comma) && !at(Token::right_parenthesis))
      refuse(gap(), "expected ',' or ')' in the attributes of '" + whose +
                        "', which began with '(' in line " +
                        std::to_string(source_.line_of(begin.begin)) + ", not " + found());
  }
  ++at_;
}

}  // namespace saltus::modelica
