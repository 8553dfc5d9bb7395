#include <saltus/modelica/measure.hpp>

#include <algorithm>

#include <saltus/core/error.hpp>

#include "modelica/builder.hpp"
#include "modelica/lexer.hpp"
#include "modelica/measure_translation.hpp"
#include "modelica/parser.hpp"

namespace saltus {

namespace modelica {
namespace {

/// Expressions stand behind the text that they are about, as if they were parts of it: functions of the text may be what
/// is wrong with them.
class MeasureTexts {
 public:
  MeasureTexts(std::string_view model, std::span<const MeasureText> texts)
      : texts_(texts), all_(model) {
    for (const MeasureText& one : texts) {
      all_ += '\n';
      begins_.push_back(static_cast<std::uint32_t>(all_.size()));
      all_ += one.text;
    }
  }

  std::string_view all() const { return all_; }

  /// Among the expressions of the model.
  ExprId parsed(std::size_t which, Messages& messages, Expressions& into) const {
    const Source source(texts_[which].text, "");
    try {
      Parser parser(source, lex(source), messages);
      std::swap(parser.expressions(), into);
      const Returned back{parser.expressions(), into};
      return parser.lone_expression();
    } catch (const Refusal& r) {
      refuse({r.where.begin + begins_[which], r.where.length}, r.message);
    }
  }
  /// To their place behind the model.
  void shift(std::size_t which, ExprId first, Expressions& all) const {
    all.shift(first, begins_[which]);
  }

  Diagnostic diagnostic(const Source& whole, std::size_t which, Span where,
                        const std::string& message) const {
    if (where.begin == outside.begin || where.begin < begins_[which])
      return whole.diagnostic(DiagnosticKind::error, where, message);
    return Source(texts_[which].text, texts_[which].name)
        .diagnostic(DiagnosticKind::error, {where.begin - begins_[which], where.length}, message);
  }

 private:
  struct Returned {
    Expressions &lent, &owner;
    ~Returned() { std::swap(lent, owner); }
  };
  std::span<const MeasureText> texts_;
  std::string all_;
  std::vector<std::uint32_t> begins_;
};

/// Elements that were declared one by one have names of their own: x[2].
void name_elements_of(const SymbolTable& symbols, Expressions& e, ExprId from) {
  for (ExprId id = from; id < e.size(); ++id) {
    if (e[id].kind != ExprKind::name || e[id].count == 0) continue;
    if (symbols.find(e.name(id)) != SymbolTable::none) continue;
    std::string element;
    for (const ExprId part : e.children(id)) {
      if (e[part].kind != ExprKind::number || e[part].op != 1) element = "?";
      element +=
          (element.empty() ? "[" : ",") + std::to_string(static_cast<std::int64_t>(e[part].number));
    }
    const std::string name = e.name(id) + element + "]";
    if (symbols.find(name) != SymbolTable::none) e.make_plain(id, name);
  }
}

/// A text that declares what runs of a model have.
std::string declarations_of(const ModelDefinition& model) {
  std::string text = "model Measures\n";
  const auto declare = [&](const std::string& prefix, const std::string& name, std::uint32_t count,
                           bool is_array) {
    for (std::uint32_t k = 0; k < count; ++k) {
      std::string quoted;
      for (const char c : is_array ? name + "[" + std::to_string(k) + "]" : name) {
        if (c == '\'' || c == '\\') quoted += '\\';
        quoted += c;
      }
      text += prefix + " '" + quoted + (prefix == "Real" ? "';\n" : "' = 0;\n");
    }
  };
  for (const Variable& v : model.variables()) {
    if (v.kind == InputKind::parameter) {
      declare("parameter Real", v.name, v.count, v.is_array);
    } else if (v.kind != InputKind::signal && !v.hidden) {
      declare("Real", v.name, v.count, v.is_array);
    }
  }
  for (const NamedExpression& o : model.outputs()) declare("Real", o.name, o.count, o.is_array);
  return text + "end Measures;\n";
}

}  // namespace
}  // namespace modelica

ReadMeasures read_measures(std::span<const MeasureText> texts, std::string_view model,
                           const std::string& file_name, const ReadOptions& options) {
  using namespace modelica;
  ReadMeasures result;
  const MeasureTexts all(model, texts);
  const Source source(all.all(), file_name);
  Messages messages(source, std::max<std::uint32_t>(1, options.max_errors));
  try {
    const Source model_source(model, file_name);
    ParsedText parsed = Parser(source, lex(model_source), messages).text();
    if (!messages.has_errors()) {
      Builder builder(source, parsed, options, messages);
      if (builder.declare_as_known()) {
        MeasureTranslation translate(builder.translator(), parsed.expressions, builder.symbols(),
                                     source);
        for (std::size_t k = 0; k < texts.size(); ++k) {
          try {
            const auto first = static_cast<ExprId>(parsed.expressions.size());
            const ExprId id = all.parsed(k, messages, parsed.expressions);
            all.shift(k, first, parsed.expressions);
            name_elements_of(builder.symbols(), parsed.expressions, first);
            result.measures.push_back(translate(texts[k], id));
          } catch (const Refusal& r) {
            result.diagnostics.push_back(all.diagnostic(source, k, r.where, r.message));
          } catch (const ModelError& e) {
            result.diagnostics.push_back(all.diagnostic(source, k, outside, e.what()));
          }
        }
      }
    }
  } catch (const Refusal& r) {
    messages.error(r.where, r.message);
  }
  for (Diagnostic& d : messages.take())
    if (d.is_error()) result.diagnostics.push_back(std::move(d));
  if (!result.ok()) result.measures.clear();
  return result;
}

ReadMeasures read_measures(std::span<const MeasureText> texts, const ModelDefinition& model) {
  return read_measures(texts, modelica::declarations_of(model), model.name());
}

}  // namespace saltus
