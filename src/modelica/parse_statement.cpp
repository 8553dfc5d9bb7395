// Equations, and statements of algorithms.
#include "modelica/parser.hpp"

namespace saltus::modelica {

namespace {
std::string what_of(bool is_algorithm) { return is_algorithm ? "statement" : "equation"; }
}  // namespace

Section Parser::section(bool is_initial, bool is_algorithm) {
  Section s;
  s.is_initial = is_initial;
  s.span = previous();
  s.body = statements(is_algorithm);
  return s;
}

/// A word that no equation begins with.
bool Parser::ends_statements() const {
  switch (peek()) {
    case Token::end_of_text:
    case Token::word_end:
    case Token::word_equation:
    case Token::word_algorithm:
    case Token::word_public:
    case Token::word_protected:
    case Token::word_annotation:
    case Token::word_external:
    case Token::word_else:
    case Token::word_elseif:
    case Token::word_elsewhen:
      return true;
    case Token::word_initial:
      return peek(1) == Token::word_equation || peek(1) == Token::word_algorithm;
    default:
      return false;
  }
}

std::vector<Statement> Parser::statements(bool is_algorithm) {
  std::vector<Statement> all;
  while (!ends_statements()) {
    one([&] {
      all.push_back(statement(is_algorithm));
      description();
      if (at(Token::word_annotation)) annotation(nullptr);
      expect_semicolon("this " + what_of(is_algorithm));
    });
    if (messages_.is_full()) break;
  }
  return all;
}

Statement Parser::statement(bool is_algorithm) {
  const Depth deeper(*this);
  switch (peek()) {
    case Token::word_if:
      return if_statement(is_algorithm);
    case Token::word_for:
      return for_statement(is_algorithm);
    case Token::word_when:
      return when_statement(is_algorithm);
    case Token::word_while:
      if (!is_algorithm) refuse(span(), "'while' belongs to algorithms: equations have 'for'");
      return while_statement();
    case Token::word_connect:
      refuse(span(),
             "'connect' belongs to models that are not flat: let a Modelica compiler "
             "flatten it first");
    case Token::word_break:
    case Token::word_return: {
      if (!is_algorithm) unexpected("an equation");
      Statement s;
      s.kind = at(Token::word_break) ? StatementKind::leave_loop : StatementKind::leave_function;
      s.span = span();
      ++at_;
      return s;
    }
    default:
      return simple_statement(is_algorithm);
  }
}

Statement Parser::simple_statement(bool is_algorithm) {
  Statement s;
  const Span begin = span();
  s.left = simple_expression();
  if (take(is_algorithm ? Token::assign : Token::equals)) {
    s.kind = is_algorithm ? StatementKind::assign : StatementKind::equality;
    s.right = expression();
    if (at(Token::equals) || at(Token::equal))
      refuse(span(), "an " + what_of(is_algorithm) + " has two sides, this would be a third one");
  } else if (out_.expressions[s.left].kind == ExprKind::relation &&
             out_.expressions[s.left].op == static_cast<std::uint8_t>(RelationOp::equal)) {
    const Span first = out_.expressions[out_.expressions.children(s.left)[0]].span;
    const auto sign = static_cast<std::uint32_t>(source_.text().find("==", first.end()));
    refuse({sign, 2}, "'==' compares; an equation is written with '='");
  } else if (at(Token::assign)) {
    refuse(span(), "':=' assigns in algorithms; an equation is written with '='");
  } else if (at(Token::equals)) {
    refuse(span(), "a statement of an algorithm is written with ':='");
  } else if (out_.expressions[s.left].kind == ExprKind::call) {
    s.kind = StatementKind::call;
  } else if (peek() == Token::identifier || peek() == Token::integer || peek() == Token::real ||
             peek() == Token::word_der) {
    refuse(gap(), "an operator or ';' is missing here");
  } else {
    refuse(gap(), is_algorithm ? "expected ':=' and a value" : "expected '=' and the other side");
  }
  s.span = from_to(begin, previous());
  return s;
}

void Parser::expect_end(Token word, Span opened) {
  const std::string text = text_of(word).substr(1, text_of(word).size() - 2);
  if (!at(Token::word_end) || peek(1) != word)
    refuse(span(), "expected 'end " + text + "' for the '" + text + "' of line " +
                       std::to_string(source_.line_of(opened.begin)) + ", not " + found());
  at_ += 2;
}

Statement Parser::if_statement(bool is_algorithm) {
  Statement s;
  s.kind = StatementKind::if_else;
  const Span begin = span();
  do {
    Branch b;
    b.span = span();
    ++at_;  // if, elseif
    b.condition = expression();
    expect(Token::word_then, "after the condition");
    b.body = statements(is_algorithm);
    s.branches.push_back(std::move(b));
  } while (at(Token::word_elseif));
  if (at(Token::word_else)) {
    Branch b;
    b.span = span();
    ++at_;
    b.body = statements(is_algorithm);
    s.branches.push_back(std::move(b));
  }
  expect_end(Token::word_if, begin);
  s.span = from_to(begin, previous());
  return s;
}

Statement Parser::for_statement(bool is_algorithm) {
  Statement s;
  s.kind = StatementKind::for_loop;
  const Span begin = span();
  ++at_;
  s.indices = loop_indices();
  expect(Token::word_loop, "after the range of a for-loop");
  Branch b;
  b.span = begin;
  b.body = statements(is_algorithm);
  s.branches.push_back(std::move(b));
  expect_end(Token::word_for, begin);
  s.span = from_to(begin, previous());
  return s;
}

Statement Parser::while_statement() {
  Statement s;
  s.kind = StatementKind::while_loop;
  const Span begin = span();
  ++at_;
  Branch b;
  b.span = begin;
  b.condition = expression();
  expect(Token::word_loop, "after the condition of a while-loop");
  b.body = statements(true);
  s.branches.push_back(std::move(b));
  expect_end(Token::word_while, begin);
  s.span = from_to(begin, previous());
  return s;
}

Statement Parser::when_statement(bool is_algorithm) {
  Statement s;
  s.kind = StatementKind::when;
  const Span begin = span();
  do {
    Branch b;
    const Span word = span();
    ++at_;  // when, elsewhen
    b.condition = expression();
    expect(Token::word_then, "after the condition of a when-clause");
    b.span = from_to(word, out_.expressions[b.condition].span);
    b.body = statements(is_algorithm);
    s.branches.push_back(std::move(b));
  } while (at(Token::word_elsewhen));
  if (at(Token::word_else)) {
    messages_.error(span(),
                    "a when-clause has no 'else': something would have to happen at every moment; "
                    "'elsewhen' has a condition of its own");
    ++at_;
    (void)statements(is_algorithm);  // the rest may be right
  }
  expect_end(Token::word_when, begin);
  s.span = from_to(begin, previous());
  return s;
}

}  // namespace saltus::modelica
