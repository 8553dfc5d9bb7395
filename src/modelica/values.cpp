// Values of parameters, start values, and the variables of the model.
#include <algorithm>
#include <cmath>
#include <limits>

#include <saltus/core/text.hpp>

#include "modelica/builder.hpp"
#include "modelica/builder_attempt.hpp"
#include "modelica/ordering.hpp"

namespace saltus::modelica {

// ---- attributes ------------------------------------------------------------------------------------

const Modifier* Builder::modifier(const Symbol& s, const std::string& name) const {
  for (const Modifier& m : s.declaration->modifiers)
    if (m.name == name) return &m;
  for (std::size_t k = s.type.modifiers.size(); k-- > 0;)
    if (s.type.modifiers[k]->name == name) return s.type.modifiers[k];
  return nullptr;
}

/// Parameters whose numbers were used once and for all: other values would miss that, and derivatives where what follows
/// from them is no step.
void Builder::pin(ExprId id, const std::string& use, Pinned what) {
  std::vector<ExprId> open = {id};
  while (!open.empty()) {
    const ExprId next = open.back();
    open.pop_back();
    translator_->for_each_symbol(next, [&](std::uint32_t k, ExprId) {
      Symbol& s = symbols_[k];
      if (s.role != Role::parameter || s.type.type != Type::real || s.pinned >= what) return;
      s.pinned = what;
      for (const Expr& e : s.numbers) {
        if (e.graph() == nullptr || translator_->graph().node(e.id()).op != Op::input) continue;
        result_.model->refuse_other_values(e, use);
        if (what == Pinned::value_and_derivatives) result_.model->refuse_derivatives(e, use);
      }
      if (s.declaration->binding != no_expr) open.push_back(s.declaration->binding);
    });
  }
}

std::vector<double> Builder::attribute(const Symbol& s, const std::string& name, double otherwise) {
  const Modifier* m = modifier(s, name);
  if (m == nullptr || m->value == no_expr) return std::vector<double>(s.size, otherwise);
  const Tensor t = translator_->constants(m->value, "'" + name + "' of '" + s.name() + "'");
  if (name != "start") pin(m->value, "decides '" + name + "' of '" + s.name() + "'");
  if (!t.is_scalar() && t.dimensions != s.dimensions)
    refuse(e_[m->value].span, "'" + name + "' has another size than '" + s.name() + "'");
  for (const Value& v : t.elements)
    if (v.type == Type::string)
      refuse(e_[m->value].span, "'" + name + "' of '" + s.name() + "' is a String");
  std::vector<double> all(s.size);
  for (std::uint32_t k = 0; k < s.size; ++k)
    all[k] = t.elements[t.is_scalar() ? 0 : k].number.number();
  return all;
}

std::string Builder::text_attribute(const Symbol& s, const std::string& name) {
  const Modifier* m = modifier(s, name);
  if (m == nullptr || m->value == no_expr) return {};
  if (e_[m->value].kind != ExprKind::string)
    refuse(e_[m->value].span, "'" + name + "' is a String");
  return e_.name(m->value);
}

void Builder::find_dimensions(Symbol& s) {
  std::vector<ExprId> all = s.declaration->dimensions;
  all.insert(all.end(), s.type.dimensions.begin(), s.type.dimensions.end());
  const auto too_many = [&](const std::string& n, Span where) {
    refuse(where, "'" + s.name() + "' has " + n + " elements: a model has at most " +
                      std::to_string(options_.max_elements) + " variables and equations");
  };
  for (std::size_t k = 0; k < all.size(); ++k) {
    std::int64_t size = 0;
    if (e_[all[k]].kind == ExprKind::colon) {
      // As many as the value has.
      if (s.declaration->binding == no_expr || !s.is_held())
        refuse(e_[all[k]].span, "the size of '" + s.name() +
                                    "' is not known: only parameters "
                                    "with a value may have ':'");
      const Tensor t = translator_->constants(s.declaration->binding, "a parameter with size ':'");
      if (k >= t.dimensions.size())
        refuse(e_[s.declaration->binding].span, "'" + s.name() + "' has " +
                                                    std::to_string(all.size()) +
                                                    " dimensions, its value fewer");
      size = t.dimensions[k];
    } else {
      size = translator_->integer(all[k], "the size of an array");
      pin(all[k], "decides the size of '" + s.name() + "'");
    }
    if (size < 0)
      refuse(e_[all[k]].span, "an array cannot have " + std::to_string(size) + " elements");
    if (size > std::numeric_limits<std::uint32_t>::max())
      too_many(std::to_string(size), e_[all[k]].span);
    s.dimensions.push_back(static_cast<std::uint32_t>(size));
  }
  const std::uint64_t n = number_of_elements(s.dimensions);
  if (n > options_.max_elements) too_many(std::to_string(n), e_[all[0]].span);
  budget_.keep(n, s.declaration->span);
  s.size = static_cast<std::uint32_t>(n);
}

// ---- constants and parameters ----------------------------------------------------------------------

/// All that has to be known before a constant or parameter: of its size, its value and its attributes.
std::vector<ExprId> Builder::read_by(const Symbol& s) const {
  std::vector<ExprId> read = s.declaration->dimensions;
  read.insert(read.end(), s.type.dimensions.begin(), s.type.dimensions.end());
  read.push_back(s.declaration->binding);
  for (const char* name : {"start", "fixed", "min", "max"})
    if (const Modifier* m = modifier(s, name)) read.push_back(m->value);
  std::erase(read, no_expr);
  return read;
}

/// Each after those that it reads; circles are refused.
std::vector<std::uint32_t> Builder::held_in_order() {
  Ordering found = in_order(symbols_.size(), [&](std::uint32_t k) {
    std::vector<std::uint32_t> needs;
    if (!symbols_[k].is_held()) return needs;
    for (const ExprId id : read_by(symbols_[k]))
      translator_->for_each_symbol(id, [&](std::uint32_t s, ExprId) {
        if (symbols_[s].is_held()) needs.push_back(s);
      });
    return needs;
  });
  if (!found.circle.empty()) {
    const Symbol& first = symbols_[found.circle.front()];
    refuse(first.declaration->span,
           "the value of '" + first.name() + "' depends on itself: " + circle_text(found.circle));
  }
  std::erase_if(found.order, [&](std::uint32_t k) { return !symbols_[k].is_held(); });
  return std::move(found.order);
}

void Builder::find_held_values() {
  std::vector<std::uint32_t> order;
  if (!attempt(model_class_->span, [&] { order = held_in_order(); })) return;
  std::vector<std::uint8_t> failed(symbols_.size(), 0);
  for (const std::uint32_t k : order) {
    // What follows from a value that is missing is not told.
    bool reads_failed = false;
    for (const ExprId id : read_by(symbols_[k]))
      translator_->for_each_symbol(
          id, [&](std::uint32_t s, ExprId) { reads_failed = reads_failed || failed[s] != 0; });
    if (reads_failed || !attempt(symbols_[k].declaration->span, [&] { hold(k); })) failed[k] = 1;
  }
  // In the order of the text.
  for (const Symbol& s : symbols_) {
    if (!s.is_held() || s.type.type == Type::string || s.values.size() != s.size) continue;
    attempt(s.declaration->span, [&] {
      const std::string unit = s.type.type == Type::real ? text_attribute(s, "unit") : "";
      for (std::uint32_t e = 0; e < s.size; ++e)
        result_.parameters.push_back({element_name(s, e), s.values[e], unit,
                                      s.declaration->description,
                                      s.role == Role::parameter && !s.declaration->is_final});
    });
  }
}

/// Also whether an override changed it.
namespace {
struct Override {
  bool any = false;
  std::vector<std::uint8_t> of_element;
};

Override apply_overrides(const ReadOptions& options, Symbol& s) {
  Override o;
  o.of_element.assign(s.size, 0);
  if (s.declaration->is_final || s.role == Role::constant) return o;
  const std::string& name = s.name();
  for (const auto& [given, value] : options.parameters) {
    if (!given.starts_with(name)) continue;
    for (std::uint32_t e = 0; e < s.size; ++e) {
      if (given != element_name(s, e) && given != name) continue;
      s.values[e] = value;
      o.of_element[e] = 1;
      o.any = true;
    }
  }
  return o;
}
}  // namespace

void Builder::check_overrides() {
  for (const auto& [given, value] : options_.parameters) {
    const std::uint32_t k = symbols_.find_array(given);
    if (k == SymbolTable::none) {
      messages_.error(
          outside, "there is no parameter '" + given + "' to be set" + symbols_.suggestion(given));
    } else if (symbols_[k].role != Role::parameter) {
      messages_.error(
          outside,
          "'" + given + "' is not a parameter" +
              (symbols_[k].is_held() ? "" : "; only the start value of a variable can be set"));
    } else if (symbols_[k].declaration->is_final) {
      messages_.error(symbols_[k].declaration->span,
                      "'" + symbols_[k].name() + "' is final: it cannot be set from outside");
    } else if (!std::isfinite(value)) {
      messages_.error(symbols_[k].declaration->span,
                      "'" + given + "' cannot be set to " + to_text(value));
    }
  }
  for (const auto& [given, signal] : options_.inputs) {
    const std::uint32_t k = symbols_.find(given);
    if (k == SymbolTable::none || symbols_[k].role != Role::input)
      messages_.error(
          outside, "there is no input '" + given + "' to be driven" + symbols_.suggestion(given));
  }
  for (const auto& [given, value] : options_.starts) {
    const std::uint32_t k = symbols_.find_array(given);
    if (k == SymbolTable::none) {
      messages_.error(outside, "there is no variable '" + given + "' whose start could be set" +
                                   symbols_.suggestion(given));
    } else if (symbols_[k].role != Role::unknown && symbols_[k].role != Role::discrete) {
      messages_.error(outside, "'" + given + "' has no start that could be set: it is " +
                                   (symbols_[k].role == Role::parameter ? "a parameter"
                                    : symbols_[k].is_held()             ? "a constant"
                                    : symbols_[k].role == Role::input   ? "an input"
                                                                        : "computed from others"));
    } else if (!std::isfinite(value)) {
      messages_.error(outside, "'" + given + "' cannot start at " + to_text(value));
    }
  }
}

void Builder::hold(std::uint32_t k) {
  Symbol& s = symbols_[k];
  const Declaration& d = *s.declaration;
  find_dimensions(s);
  for (const Modifier& m : d.modifiers) {
    if (m.name == "fixed" && translator_->constant(m.value, "'fixed'") == 0)
      refuse(m.span,
             "a parameter that is found by initial equations (fixed = false) is not "
             "supported");
  }
  if (s.type.type == Type::string) {
    s.is_known = true;
    return;
  }
  const std::string what = "the value of '" + s.name() + "'";
  ExprId source = d.binding;
  if (source == no_expr) {
    const Modifier* start = modifier(s, "start");
    if (start != nullptr) source = start->value;
    const bool is_given = std::any_of(options_.parameters.begin(), options_.parameters.end(),
                                      [&](const auto& o) { return o.first.starts_with(s.name()); });
    if (source == no_expr && !is_given && s.size > 0)
      refuse(d.span, "the " + std::string(s.role == Role::constant ? "constant" : "parameter") +
                         " '" + s.name() + "' has no value");
  }
  s.values.assign(s.size, 0.0);
  s.numbers.assign(s.size, Expr(0.0));
  s.truths.assign(s.size, literal_false);
  Tensor symbolic;
  bool depends = false;
  if (source != no_expr) {
    const Tensor t = translator_->constants(source, what);
    if (!t.is_scalar() && t.dimensions != s.dimensions)
      refuse(e_[source].span, "'" + s.name() + "' has another size than its value");
    if (t.is_scalar() && s.is_array() && d.binding != no_expr)
      refuse(e_[source].span, "'" + s.name() +
                                  "' is an array, its value is a single number: write "
                                  "fill(value, " +
                                  std::to_string(s.dimensions[0]) + ")");
    for (std::uint32_t e = 0; e < s.size; ++e) {
      const Value& v = t.elements[t.is_scalar() ? 0 : e];
      const bool is_truth = v.type == Type::boolean;
      if (is_truth != (s.type.type == Type::boolean) || v.type == Type::string ||
          v.enumeration != s.type.enumeration)
        refuse(e_[source].span, what + " is not of type " + text_of(s.type.type) +
                                    (is_truth                       ? ", this is true or false"
                                     : v.type == Type::string       ? ", this is a String"
                                     : v.enumeration != nullptr     ? ", this is an enumeration"
                                     : s.type.type == Type::boolean ? ", this is a number"
                                                                    : ""));
      s.values[e] = v.number.number();
      if (s.type.type == Type::integer && s.values[e] != std::floor(s.values[e]))
        refuse(e_[source].span,
               "'" + s.name() + "' is an Integer, its value is " + to_text(s.values[e]));
    }
    translator_->for_each_symbol(source, [&](std::uint32_t n, ExprId) {
      depends = depends || symbols_[n].role == Role::parameter;
    });
    depends = depends && s.role == Role::parameter && s.type.type == Type::real;
    if (depends) symbolic = translator_->tensor(source);
    if (s.type.type != Type::real) pin(source, "decides the value of '" + s.name() + "'");
  }
  const Override o = apply_overrides(options_, s);
  const std::vector<double> low = attribute(s, "min", -HUGE_VAL),
                            high = attribute(s, "max", HUGE_VAL);
  Attributes a;
  a.unit = s.type.type == Type::real ? text_attribute(s, "unit") : "";
  a.description = d.description;
  for (std::uint32_t e = 0; e < s.size; ++e) {
    if (s.values[e] < low[e] || s.values[e] > high[e])
      refuse(d.span, "'" + element_name(s, e) + "' is " + to_text(s.values[e]) +
                         ", which is outside of its range from " + to_text(low[e]) + " to " +
                         to_text(high[e]));
    // Truth values and Integers decide what the equations are: they are numbers from here on.
    if (s.type.type != Type::real || s.role == Role::constant) {
      s.numbers[e] = s.values[e];
      s.truths[e] = s.values[e] > 0.5 ? literal_true : literal_false;
    } else if (depends && o.of_element[e] == 0) {
      s.numbers[e] = symbolic.elements[symbolic.is_scalar() ? 0 : e].number;
      // Of other values of what it depends on; each has to be a number.
      result_.model->value_range(element_name(s, e), s.numbers[e], low[e], high[e]);
    } else {
      a.min = low[e];
      a.max = high[e];
      s.numbers[e] = result_.model->parameter(element_name(s, e), s.values[e], a);
    }
  }
  s.is_known = true;
}

// ---- variables -------------------------------------------------------------------------------------

void Builder::find_starts() {
  for (Symbol& s : symbols_) {
    if (s.is_held()) continue;
    attempt(s.declaration->span, [&] {
      for (const Modifier& m : s.declaration->modifiers) {
        static const std::vector<std::string> known = {
            "start",       "fixed",    "nominal",     "min",       "max",      "unit",
            "displayUnit", "quantity", "stateSelect", "unbounded", "uncertain"};
        if (std::find(known.begin(), known.end(), m.name) != known.end()) continue;
        const auto near = nearest_name(m.name, known);
        refuse(m.span, text_of(s.type.type) + " has no attribute '" + m.name + "'" +
                           (near ? ": did you mean '" + std::string(*near) + "'?" : ""));
      }
      const std::vector<double> low = attribute(s, "min", -HUGE_VAL),
                                high = attribute(s, "max", HUGE_VAL);
      for (std::uint32_t e = 0; e < s.size; ++e)
        if (low[e] > high[e])
          refuse(s.declaration->span, "the range of '" + s.name() + "' is empty: min is " +
                                          to_text(low[e]) + ", max is " + to_text(high[e]));
      const Modifier* start = modifier(s, "start");
      if (start != nullptr && start->value != no_expr)
        pin(start->value, "decides where '" + s.name() + "' starts", Pinned::value_and_derivatives);
      s.values = attribute(s, "start", 0.0);
      for (std::uint32_t e = 0; e < s.size; ++e) {
        if (start == nullptr) s.values[e] = std::clamp(0.0, low[e], high[e]);
        if (s.values[e] >= low[e] && s.values[e] <= high[e]) continue;
        refuse(start->span, "'" + element_name(s, e) + "' starts at " + to_text(s.values[e]) +
                                ", which is outside of its range from " + to_text(low[e]) + " to " +
                                to_text(high[e]));
      }
      const std::vector<double> fixed = attribute(s, "fixed", 0.0);
      s.start_is_given.assign(s.size, 0);
      for (std::uint32_t e = 0; e < s.size; ++e)
        s.start_is_given[e] =
            fixed[e] != 0 || s.role == Role::discrete ? Symbol::given_by_text : Symbol::not_given;
    });
  }
  // Others may be told in terms of these; what is given from outside is the last word.
  use_given_starts();
  use_initial_equations();
  use_given_starts();
}

void Builder::use_given_starts() {
  for (const auto& [given, value] : options_.starts) {
    const std::uint32_t k = symbols_.find_array(given);
    if (k == SymbolTable::none) continue;
    Symbol& s = symbols_[k];
    for (std::uint32_t e = 0; e < s.values.size(); ++e) {
      if (given != element_name(s, e) && given != s.name()) continue;
      s.values[e] = value;
      s.start_is_given[e] = Symbol::given_outside;
    }
  }
}

void Builder::declare_variables() {
  for (std::uint32_t k = 0; k < symbols_.size(); ++k) {
    if (symbols_[k].is_held() || symbols_[k].role == Role::defined) continue;
    attempt(symbols_[k].declaration->span, [&] { declare_variable(k); });
  }
}

void Builder::declare_variable(std::uint32_t k) {
  Symbol& s = symbols_[k];
  Model& m = *result_.model;
  const std::vector<double> nominal = attribute(s, "nominal", 1.0);
  const std::vector<double> low = attribute(s, "min", -HUGE_VAL),
                            high = attribute(s, "max", HUGE_VAL);
  Attributes a;
  a.unit = s.type.type == Type::real ? text_attribute(s, "unit") : "";
  a.description = s.declaration->description;
  s.numbers.clear();
  s.truths.clear();
  for (std::uint32_t e = 0; e < s.size; ++e) {
    const std::string name = element_name(s, e);
    a.nominal = nominal[e] == 0 ? 1.0 : std::abs(nominal[e]);
    a.min = low[e];
    a.max = high[e];
    a.start.reset();
    a.guess.reset();
    Expr x;
    if (s.role == Role::discrete) {
      x = m.discrete(name, s.values[e], a);
    } else if (s.role == Role::input) {
      const auto driven = std::find_if(options_.inputs.begin(), options_.inputs.end(),
                                       [&](const auto& o) { return o.first == name; });
      if (driven != options_.inputs.end()) {
        if (s.type.type != Type::real)
          refuse(s.declaration->span, "only inputs of type Real can be driven from outside");
        x = m.input(name, driven->second, a);
      } else {
        x = m.parameter(name, s.values[e], a);
        messages_.warning(s.declaration->span, "nothing drives the input '" + name +
                                                   "': it keeps its start value " +
                                                   to_text(s.values[e]));
      }
      m.output(name, x, a.unit, a.description);
    } else {
      has_unknowns_ = true;
      // What has no derivative has no value of its own to begin with: it is an equation of the start.
      const bool is_equation =
          s.start_is_given[e] == Symbol::given_by_text && !s.has_derivative && !s.is_reinitialized;
      (s.start_is_given[e] != 0 && !is_equation ? a.start : a.guess) = s.values[e];
      x = s.has_derivative || s.is_reinitialized ? m.state(name, a) : m.algebraic(name, a);
    }
    s.numbers.push_back(x);
    if (s.role == Role::unknown && s.start_is_given[e] == Symbol::given_by_text &&
        !s.has_derivative && !s.is_reinitialized)
      fixed_algebraics_.emplace_back(k, e);
    if (s.type.type == Type::boolean) s.truths.push_back(translator_->from_kept(s.type, x).truth);
  }
  s.is_known = true;
}

void Builder::read_experiment() {
  static const std::vector<std::string> known = {"StartTime", "StopTime", "Tolerance", "Interval"};
  for (const Modifier& m : model_class_->experiment) {
    if (m.value == no_expr) continue;
    // Those of other programs are nobody's mistake.
    if (std::ranges::find(known, m.name) == known.end()) {
      if (const auto near = nearest_name(m.name, known))
        messages_.warning(m.span, "'" + m.name + "' of the experiment is not read: did you mean '" +
                                      std::string(*near) + "'?");
      continue;
    }
    attempt(m.span, [&] {
      auto& to = result_.experiment;
      if (m.name == "StartTime") to.start_time = translator_->constant(m.value, "'StartTime'");
      if (m.name == "StopTime") to.stop_time = translator_->constant(m.value, "'StopTime'");
      if (m.name == "Tolerance") to.tolerance = translator_->constant(m.value, "'Tolerance'");
      if (m.name == "Interval") to.interval = translator_->constant(m.value, "'Interval'");
    });
  }
}

}  // namespace saltus::modelica
