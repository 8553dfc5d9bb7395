// From tokens to a tree, by recursive descent.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "modelica/ast.hpp"
#include "modelica/lexer.hpp"

namespace saltus::modelica {

/// A Refusal inside a declaration or an equation is told, and reading goes on after its semicolon.
class Parser {
 public:
  Parser(const Source& source, std::vector<LexedToken> tokens, Messages& messages);

  ParsedText text();
  /// An expression alone, to the end of the text.
  ExprId lone_expression();
  Expressions& expressions() { return out_.expressions; }

 private:
  // tokens
  Token peek(std::size_t ahead = 0) const;
  Span span(std::size_t ahead = 0) const;
  Span previous() const;
  /// Just behind the last token: where something is missing.
  Span gap() const { return {previous().end(), 1}; }
  bool at(Token kind) const { return peek() == kind; }
  bool take(Token kind);
  void expect(Token kind, const std::string& where);
  [[noreturn]] void unexpected(const std::string& wanted) const;
  std::string found() const;
  void expect_semicolon(const std::string& what);
  void skip_statement();
  /// Reads one declaration or equation; what is wrong with it is told, and skipped.
  void one(const std::function<void()>& read);

  /// Guards against texts that are nested deeper than a stack.
  class Depth {
   public:
    explicit Depth(Parser& p);
    ~Depth() { --parser_.depth_; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;

   private:
    Parser& parser_;
  };

  // parse_expression.cpp
  ExprId expression();
  ExprId if_expression();
  ExprId simple_expression();
  ExprId logical_expression();
  ExprId logical_term();
  ExprId logical_factor();
  ExprId relation();
  ExprId arithmetic();
  ExprId term();
  ExprId factor();
  ExprId primary();
  ExprId number();
  ExprId name_or_call();
  ExprId call(std::string name, Span begin);
  ExprId in_parentheses();
  ExprId braces();
  ExprId brackets();
  ExprId subscript();
  std::vector<ExprId> subscripts();
  std::vector<LoopIndex> loop_indices();
  ExprId with_loops(ExprId body, Span begin);
  ExprId n_ary(ExprKind kind, const std::vector<ExprId>& parts,
               const std::vector<std::uint8_t>& inverse = {});

  // parse_statement.cpp
  Section section(bool is_initial, bool is_algorithm);
  std::vector<Statement> statements(bool is_algorithm);
  bool ends_statements() const;
  Statement statement(bool is_algorithm);
  Statement if_statement(bool is_algorithm);
  Statement for_statement(bool is_algorithm);
  Statement when_statement(bool is_algorithm);
  Statement while_statement();
  Statement simple_statement(bool is_algorithm);
  void expect_end(Token word, Span opened);

  // parser.cpp
  std::string description();
  void annotation(ClassDefinition* owner);
  void skip_parentheses();
  void class_definition(ClassDefinition* owner);
  [[noreturn]] void no_class();
  void short_class(const std::string& kind, const std::string& name, Span span,
                   ClassDefinition* owner);
  void composition(ClassDefinition& c);
  bool element(ClassDefinition& c, bool is_protected);
  void components(ClassDefinition& c, Declaration common);
  void modification(std::vector<Modifier>& into, const std::string& whose);
  std::string element_text(std::span<const ExprId> subscripts) const;
  void name_elements(ClassDefinition& c);
  void check_end_name(const ClassDefinition& c);
  std::string dotted_name(const std::string& what);
  std::string declared_name();

  const Source& source_;
  std::vector<LexedToken> tokens_;
  Messages& messages_;
  std::size_t at_ = 0;
  int depth_ = 0;
  ParsedText out_;
};

}  // namespace saltus::modelica
