// Expressions.
#include <cmath>
#include <optional>

#include <saltus/core/text.hpp>

#include "modelica/parser.hpp"

namespace saltus::modelica {

Parser::Depth::Depth(Parser& p) : parser_(p) {
  if (++parser_.depth_ > Limits::nesting) {
    --parser_.depth_;
    refuse(p.span(), "this is nested deeper than " + std::to_string(Limits::nesting) +
                         " levels: introduce variables for parts of it");
  }
}

ExprId Parser::lone_expression() {
  const ExprId e = expression();
  if (!at(Token::end_of_text)) unexpected("an operator or the end");
  return e;
}

ExprId Parser::expression() {
  const Depth deeper(*this);
  return at(Token::word_if) ? if_expression() : simple_expression();
}

ExprId Parser::if_expression() {
  const Span begin = span();
  std::vector<ExprId> parts;
  do {
    ++at_;  // if, elseif
    parts.push_back(expression());
    expect(Token::word_then, "after the condition of an if-expression");
    parts.push_back(expression());
  } while (at(Token::word_elseif));
  if (!take(Token::word_else))
    refuse(gap(), "an if-expression needs an 'else': it has a value in every case");
  parts.push_back(expression());
  ExprNode node;
  node.kind = ExprKind::if_else;
  node.span = from_to(begin, previous());
  return out_.expressions.add(node, parts);
}

ExprId Parser::n_ary(ExprKind kind, const std::vector<ExprId>& parts,
                     const std::vector<std::uint8_t>& inverse) {
  ExprNode node;
  node.kind = kind;
  node.span = from_to(out_.expressions[parts.front()].span, previous());
  if (!inverse.empty()) node.extra = out_.expressions.add_signs(inverse);
  return out_.expressions.add(node, parts);
}

ExprId Parser::simple_expression() {
  std::vector<ExprId> parts = {logical_expression()};
  while (parts.size() < 3 && at(Token::colon)) {
    ++at_;
    parts.push_back(logical_expression());
  }
  return parts.size() == 1 ? parts[0] : n_ary(ExprKind::range, parts);
}

ExprId Parser::logical_expression() {
  std::vector<ExprId> parts = {logical_term()};
  while (take(Token::word_or)) parts.push_back(logical_term());
  return parts.size() == 1 ? parts[0] : n_ary(ExprKind::any_of, parts);
}

ExprId Parser::logical_term() {
  std::vector<ExprId> parts = {logical_factor()};
  while (take(Token::word_and)) parts.push_back(logical_factor());
  return parts.size() == 1 ? parts[0] : n_ary(ExprKind::all_of, parts);
}

ExprId Parser::logical_factor() {
  if (!at(Token::word_not)) return relation();
  const Span begin = span();
  ++at_;
  const std::vector<ExprId> parts = {relation()};
  ExprNode node;
  node.kind = ExprKind::negation;
  node.span = from_to(begin, previous());
  return out_.expressions.add(node, parts);
}

namespace {
std::optional<RelationOp> relation_of(Token t) {
  switch (t) {
    case Token::less:
      return RelationOp::less;
    case Token::less_equal:
      return RelationOp::less_equal;
    case Token::greater:
      return RelationOp::greater;
    case Token::greater_equal:
      return RelationOp::greater_equal;
    case Token::equal:
      return RelationOp::equal;
    case Token::not_equal:
      return RelationOp::not_equal;
    default:
      return {};
  }
}
}  // namespace

ExprId Parser::relation() {
  const ExprId left = arithmetic();
  const std::optional<RelationOp> op = relation_of(peek());
  if (!op) return left;
  ++at_;
  const ExprId right = arithmetic();
  if (relation_of(peek())) refuse(span(), "a comparison of a comparison: write 'a < b and b < c'");
  const std::vector<ExprId> parts = {left, right};
  ExprNode node;
  node.kind = ExprKind::relation;
  node.op = static_cast<std::uint8_t>(*op);
  node.span = from_to(out_.expressions[left].span, previous());
  return out_.expressions.add(node, parts);
}

namespace {
/// Besides + and - the signs for elements of arrays, which mean the same between arrays of one size.
bool adds(Token t) { return t == Token::plus || t == Token::element_plus; }
bool subtracts(Token t) { return t == Token::minus || t == Token::element_minus; }
bool multiplies(Token t) { return t == Token::times || t == Token::element_times; }
bool divides(Token t) { return t == Token::divide || t == Token::element_divide; }
}  // namespace

ExprId Parser::arithmetic() {
  const Span begin = span();
  std::vector<ExprId> parts;
  std::vector<std::uint8_t> inverse;
  const bool negative = subtracts(peek());
  if (negative || adds(peek())) ++at_;
  parts.push_back(term());
  if (negative) {
    ExprNode node;
    node.kind = ExprKind::negative;
    node.span = from_to(begin, previous());
    parts[0] = out_.expressions.add(node, parts);
  }
  inverse.push_back(0);
  while (adds(peek()) || subtracts(peek())) {
    const bool by_element = at(Token::element_plus) || at(Token::element_minus);
    inverse.push_back((subtracts(peek()) ? Expressions::inverted : 0) |
                      (by_element ? Expressions::by_element : 0));
    ++at_;
    if (adds(peek()) || subtracts(peek()))
      refuse(span(), "two signs follow each other: put the second one and its term in parentheses");
    parts.push_back(term());
  }
  return parts.size() == 1 ? parts[0] : n_ary(ExprKind::sum, parts, inverse);
}

ExprId Parser::term() {
  std::vector<ExprId> parts = {factor()};
  std::vector<std::uint8_t> inverse = {0};
  while (multiplies(peek()) || divides(peek())) {
    const bool by_element = at(Token::element_times) || at(Token::element_divide);
    inverse.push_back((divides(peek()) ? Expressions::inverted : 0) |
                      (by_element ? Expressions::by_element : 0));
    ++at_;
    if (adds(peek()) || subtracts(peek()))
      refuse(span(), "a sign follows '*' or '/': put it and its factor in parentheses");
    parts.push_back(factor());
  }
  return parts.size() == 1 ? parts[0] : n_ary(ExprKind::product, parts, inverse);
}

ExprId Parser::factor() {
  const ExprId base = primary();
  if (!at(Token::power) && !at(Token::element_power)) return base;
  const bool by_element = at(Token::element_power);
  ++at_;
  if (adds(peek()) || subtracts(peek()))
    refuse(span(), "a sign follows '^': put the exponent in parentheses");
  const std::vector<ExprId> parts = {base, primary()};
  if (at(Token::power))
    refuse(span(), "a power of a power: say with parentheses which one is meant");
  const ExprId id = n_ary(ExprKind::power, parts);
  if (by_element) out_.expressions.mark(id, 1);
  return id;
}

ExprId Parser::number() {
  const std::string_view text = source_.text(span());
  ExprNode node;
  node.kind = ExprKind::number;
  node.op = at(Token::integer) ? 1 : 0;
  node.span = span();
  // "1." and ".5" are numbers here, and not everywhere.
  std::string plain(text);
  if (plain.front() == '.') plain.insert(0, "0");
  if (const std::size_t dot = plain.find('.');
      dot != std::string::npos &&
      (dot + 1 == plain.size() || plain[dot + 1] == 'e' || plain[dot + 1] == 'E'))
    plain.insert(dot + 1, "0");
  const auto value = read_double(plain);
  if (!value || !std::isfinite(*value))
    refuse(span(), "this number is larger than any that can be computed with (1.8e308)");
  constexpr double largest_integer = 2147483647.0;
  if (node.op == 1 && *value > largest_integer)
    refuse(span(), "this Integer is larger than 2147483647: write it as a Real, '" + plain + ".0'");
  node.number = *value;
  ++at_;
  return out_.expressions.add(node);
}

ExprId Parser::primary() {
  ExprNode node;
  node.span = span();
  switch (peek()) {
    case Token::integer:
    case Token::real:
      return number();
    case Token::string:
      node.kind = ExprKind::string;
      node.name = out_.expressions.add_name(string_content(source_.text(span())));
      ++at_;
      return out_.expressions.add(node);
    case Token::word_true:
    case Token::word_false:
      node.kind = ExprKind::boolean;
      node.number = at(Token::word_true) ? 1.0 : 0.0;
      ++at_;
      return out_.expressions.add(node);
    case Token::word_end:
      node.kind = ExprKind::last;
      ++at_;
      return out_.expressions.add(node);
    case Token::left_parenthesis:
      return in_parentheses();
    case Token::left_brace:
      return braces();
    case Token::left_bracket:
      return brackets();
    case Token::word_der:
    case Token::word_initial: {
      const std::string name(source_.text(span()));
      const Span begin = span();
      ++at_;
      if (!at(Token::left_parenthesis)) refuse(gap(), "expected '(' after '" + name + "'");
      return call(name, begin);
    }
    case Token::word_pure: {
      ++at_;
      return in_parentheses();
    }
    case Token::identifier:
    case Token::dot:
      return name_or_call();
    case Token::word_not:
      refuse(span(), "'not' applies to a whole comparison: put it and what follows in parentheses");
    case Token::word_if:
      refuse(span(), "an if-expression inside of an expression stands in parentheses");
    default:
      unexpected("an expression");
  }
}

std::vector<ExprId> Parser::subscripts() {
  std::vector<ExprId> all;
  if (!take(Token::left_bracket)) return all;
  do {
    all.push_back(subscript());
  } while (take(Token::comma));
  expect(Token::right_bracket, "after the subscripts");
  return all;
}

ExprId Parser::subscript() {
  if (at(Token::colon) && (peek(1) == Token::comma || peek(1) == Token::right_bracket)) {
    ExprNode node;
    node.kind = ExprKind::colon;
    node.span = span();
    ++at_;
    return out_.expressions.add(node);
  }
  return expression();
}

ExprId Parser::name_or_call() {
  const Span begin = span();
  std::string name;
  std::vector<ExprId> last;
  take(Token::dot);
  for (;;) {
    if (!at(Token::identifier)) unexpected("a name after '.'");
    name += identifier_name(source_.text(span()));
    ++at_;
    last = subscripts();
    if (!take(Token::dot)) break;
    // Elements of arrays of components have names of their own in flat Modelica.
    if (!last.empty()) {
      name += '[';
      for (std::size_t k = 0; k < last.size(); ++k) {
        const ExprNode& s = out_.expressions[last[k]];
        if (s.kind != ExprKind::number || s.op != 1)
          refuse(s.span,
                 "a subscript in the middle of a name must be a number: components of "
                 "arrays of components are not supported");
        name += (k > 0 ? "," : "") + std::to_string(static_cast<std::int64_t>(s.number));
      }
      name += ']';
    }
    name += '.';
  }
  if (at(Token::left_parenthesis) && last.empty()) return call(std::move(name), begin);
  ExprNode node;
  node.kind = ExprKind::name;
  node.name = out_.expressions.add_name(name);
  node.span = from_to(begin, previous());
  return out_.expressions.add(node, last);
}

ExprId Parser::call(std::string name, Span begin) {
  const Depth deeper(*this);
  ExprNode node;
  node.kind = ExprKind::call;
  node.span = begin;
  const Span opened = span();
  ++at_;  // (
  std::vector<ExprId> arguments;
  std::vector<std::string> names;
  if (!at(Token::right_parenthesis)) {
    do {
      if (at(Token::identifier) && peek(1) == Token::equals) {
        names.push_back(identifier_name(source_.text(span())));
        at_ += 2;
      } else if (!names.empty()) {
        refuse(span(), "an argument without a name follows one with a name");
      } else if (at(Token::word_function)) {
        refuse(span(), "functions as arguments are not supported");
      }
      const Span first = span();
      arguments.push_back(expression());
      if (at(Token::word_for)) arguments.back() = with_loops(arguments.back(), first);
    } while (take(Token::comma));
  }
  if (!at(Token::right_parenthesis))
    refuse(gap(), "expected ',' or ')' in the arguments of '" + name +
                      "', which began with '(' in "
                      "line " +
                      std::to_string(source_.line_of(opened.begin)) + ", not " + found());
  ++at_;
  node.name = out_.expressions.add_name(name);
  if (names.size() > 255) refuse(begin, "this call has more than 255 arguments with a name");
  node.op = static_cast<std::uint8_t>(names.size());
  node.span = from_to(begin, previous());
  node.extra = out_.expressions.add_extra_names(names);
  return out_.expressions.add(node, arguments);
}

std::vector<LoopIndex> Parser::loop_indices() {
  std::vector<LoopIndex> all;
  do {
    LoopIndex index;
    if (!at(Token::identifier)) unexpected("the name of a loop index");
    index.span = span();
    index.name = identifier_name(source_.text(span()));
    ++at_;
    if (take(Token::word_in)) {
      index.range = expression();
    } else {
      refuse(gap(), "expected 'in' and a range after the loop index '" + index.name + "'");
    }
    all.push_back(std::move(index));
  } while (take(Token::comma));
  return all;
}

ExprId Parser::with_loops(ExprId body, Span begin) {
  ++at_;  // for
  const std::vector<LoopIndex> indices = loop_indices();
  std::vector<ExprId> parts = {body};
  ExprNode node;
  node.kind = ExprKind::loop;
  std::vector<std::string> names;
  for (const LoopIndex& index : indices) {
    parts.push_back(index.range);
    names.push_back(index.name);
  }
  if (names.size() > 255) refuse(begin, "more than 255 loop indices");
  node.extra = out_.expressions.add_extra_names(names);
  node.op = static_cast<std::uint8_t>(names.size());
  node.span = from_to(begin, previous());
  return out_.expressions.add(node, parts);
}

ExprId Parser::in_parentheses() {
  const Depth deeper(*this);
  const Span begin = span();
  expect(Token::left_parenthesis, "");
  std::vector<ExprId> parts;
  bool is_tuple = false;
  for (;;) {
    // A result that is not wanted: (a, , c) = f(x).
    if (at(Token::comma) || (is_tuple && at(Token::right_parenthesis))) {
      parts.push_back(no_expr);
    } else {
      parts.push_back(expression());
    }
    if (!take(Token::comma)) break;
    is_tuple = true;
  }
  if (!at(Token::right_parenthesis))
    refuse(gap(), "expected ')' for the '(' of line " +
                      std::to_string(source_.line_of(begin.begin)) + ", not " + found());
  ++at_;
  if (!is_tuple) return parts[0];
  ExprNode node;
  node.kind = ExprKind::tuple;
  node.span = from_to(begin, previous());
  return out_.expressions.add(node, parts);
}

ExprId Parser::braces() {
  const Depth deeper(*this);
  const Span begin = span();
  ++at_;
  std::vector<ExprId> parts;
  if (!at(Token::right_brace)) {
    do {
      const Span first = span();
      parts.push_back(expression());
      if (at(Token::word_for)) parts.back() = with_loops(parts.back(), first);
    } while (take(Token::comma));
  }
  expect(Token::right_brace, "at the end of an array");
  ExprNode node;
  node.kind = ExprKind::array;
  node.span = from_to(begin, previous());
  return out_.expressions.add(node, parts);
}

ExprId Parser::brackets() {
  const Depth deeper(*this);
  const Span begin = span();
  ++at_;
  std::vector<ExprId> rows;
  do {
    std::vector<ExprId> row;
    do {
      row.push_back(expression());
    } while (take(Token::comma));
    rows.push_back(n_ary(ExprKind::array, row));
  } while (take(Token::semicolon));
  expect(Token::right_bracket, "at the end of a matrix");
  ExprNode node;
  node.kind = ExprKind::matrix;
  node.span = from_to(begin, previous());
  return out_.expressions.add(node, rows);
}

}  // namespace saltus::modelica
