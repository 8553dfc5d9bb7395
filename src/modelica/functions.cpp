// Functions and algorithms: carried out with expressions instead of numbers, so that what they compute is written out
// where they stand. Branches are joined by conditions, loops are unrolled.
#include <algorithm>
#include <limits>

#include "modelica/translator.hpp"

namespace saltus::modelica {

namespace {
constexpr int deepest_call = 40;
}  // namespace

/// The value of a variable where two branches meet.
Locals Translator::joined(Literal condition, const Locals& a, const Locals& b, Span where) {
  Locals both = b;
  for (auto& [name, local] : both.all) {
    const auto other = a.all.find(name);
    if (other == a.all.end()) continue;
    if (!other->second.is_set || !local.is_set) {
      local.is_set = false;
      continue;
    }
    local.value = select(condition, other->second.value, local.value, where);
  }
  return both;
}

void Translator::assign(ExprId target, const Tensor& value, Span where) {
  if (target == no_expr) return;
  if (e_[target].kind != ExprKind::name)
    refuse(e_[target].span, "a variable is needed on the left side of ':='");
  const std::string& name = e_.name(target);
  const auto found = context_.locals->all.find(name);
  if (found == context_.locals->all.end()) {
    (void)symbol_of(target);  // refuses what does not exist
    refuse(e_[target].span, "'" + name + "' cannot be assigned here");
  }
  Locals::Local& local = found->second;
  if (local.is_input) refuse(e_[target].span, "'" + name + "' is an input of the function");
  for (const Value& v : value.elements) {
    const bool is_truth = v.type == Type::boolean;
    if (is_truth != (local.type == Type::boolean))
      refuse(where, "'" + name + "' is " +
                        (is_truth ? "a number, this is true or false"
                                  : "true or false, this is a number"));
    if (local.type == Type::integer && v.type == Type::real)
      refuse(where, "'" + name + "' is an Integer, this is a Real number: use 'integer(...)'");
  }
  if (e_.children(target).empty()) {
    if (local.value.dimensions != value.dimensions && !local.any_size)
      refuse(where, "'" + name + "' has the size " + text_of_dimensions(local.value.dimensions) +
                        ", its new value " + text_of_dimensions(value.dimensions));
    local.value = value;
    local.is_set = true;
    return;
  }
  std::vector<std::uint32_t> left;
  const std::vector<std::uint32_t> elements = subscripted(local.value.dimensions, target, left);
  if (elements.size() != value.elements.size() && !value.is_scalar())
    refuse_sizes(where, elements.size(), value.elements.size());
  for (std::size_t k = 0; k < elements.size(); ++k)
    local.value.elements[elements[k]] = value.elements[value.is_scalar() ? 0 : k];
  local.is_set = true;
}

/// False: the function is left.
bool Translator::execute(const std::vector<Statement>& body) {
  for (const Statement& s : body) {
    budget_.work(1, s.span);
    switch (s.kind) {
      case StatementKind::assign:
        if (e_[s.left].kind == ExprKind::tuple) {
          const std::vector<Tensor> all = results(s.right);
          const auto targets = e_.children(s.left);
          if (targets.size() > all.size())
            refuse(e_[s.left].span,
                   "the function has only " + std::to_string(all.size()) + " results");
          for (std::size_t k = 0; k < targets.size(); ++k) assign(targets[k], all[k], s.span);
        } else {
          assign(s.left, tensor(s.right), s.span);
        }
        break;
      case StatementKind::if_else:
        if (!execute_if(s, 0)) return false;
        break;
      case StatementKind::for_loop:
        execute_for(s, 0);
        break;
      case StatementKind::while_loop:
        execute_while(s);
        break;
      case StatementKind::leave_function:
        return false;
      case StatementKind::leave_loop:
        refuse(s.span, "'break' is not supported");
      case StatementKind::call:
        refuse(s.span, "a call of '" + e_.name(s.left) + "' as a statement is not supported");
      default:
        refuse(s.span, "this is not supported in an algorithm");
    }
  }
  return true;
}

bool Translator::execute_if(const Statement& s, std::size_t from) {
  if (from == s.branches.size()) return true;
  const Branch& b = s.branches[from];
  const Literal condition = b.condition == no_expr ? literal_true : truth(b.condition);
  if (condition == literal_true) return execute(b.body);
  if (condition == literal_false) return execute_if(s, from + 1);
  for (const auto& [name, local] : context_.locals->all)
    budget_.work(1 + local.value.elements.size(), b.span);
  const Locals before = *context_.locals;
  const bool goes_on = execute(b.body);
  Locals taken = std::move(*context_.locals);
  *context_.locals = before;
  const bool others_go_on = execute_if(s, from + 1);
  if (goes_on != others_go_on)
    refuse(s.span, "'return' under a condition is not supported: write the rest into 'else'");
  *context_.locals = joined(condition, taken, *context_.locals, s.span);
  return goes_on;
}

void Translator::execute_for(const Statement& s, std::size_t index) {
  if (index == s.indices.size()) {
    if (!execute(s.branches[0].body)) refuse(s.span, "'return' inside of a loop is not supported");
    return;
  }
  const std::vector<std::int64_t> values = range(s.indices[index].range);
  const ContextScope scope(*this);
  Environment environment;
  if (context_.environment != nullptr) environment = *context_.environment;
  environment.loops.push_back({s.indices[index].name, {0}});
  context_.environment = &environment;
  for (const std::int64_t i : values) {
    environment.loops.back().values[0] = i;
    execute_for(s, index + 1);
  }
}

void Translator::execute_while(const Statement& s) {
  for (;;) {
    const Literal condition = truth(s.branches[0].condition);
    if (condition == literal_false) return;
    if (condition != literal_true)
      refuse(e_[s.branches[0].condition].span,
             "the number of passes of this loop depends on variables of the model: only loops "
             "whose end is known when the text is read are supported");
    if (!execute(s.branches[0].body)) refuse(s.span, "'return' inside of a loop is not supported");
    budget_.work(1, s.span);
  }
}

std::vector<Tensor> Translator::results(ExprId id) {
  if (e_[id].kind == ExprKind::call) {
    const auto f = types_.functions.find(e_.name(id));
    if (f != types_.functions.end()) return inlined(id, *f->second);
  }
  refuse(e_[id].span,
         "several variables on the left side need a function with several results on "
         "the right one");
}

/// f(b = 1) of a function that has an input b, once.
void Translator::check_argument_names(ExprId id, const ClassDefinition& f) const {
  const auto arguments = e_.children(id);
  const std::size_t n_named = e_.n_extra_names(id), n_plain = arguments.size() - n_named;
  std::vector<std::string> inputs;
  for (const Declaration& d : f.declarations)
    if (d.causality == Causality::input) inputs.push_back(d.name);
  for (std::size_t k = 0; k < n_named; ++k) {
    const std::string& name = e_.extra_name(id, k);
    const Span where = e_[arguments[n_plain + k]].span;
    const auto found = std::find(inputs.begin(), inputs.end(), name);
    if (found == inputs.end()) {
      std::string text;
      for (const std::string& input : inputs) text += (text.empty() ? "'" : ", '") + input + "'";
      refuse(where, "the function '" + f.name + "' has no input '" + name + "'" +
                        (text.empty() ? ": it has none" : ": its inputs are " + text));
    }
    bool twice = static_cast<std::size_t>(found - inputs.begin()) < n_plain;
    for (std::size_t other = 0; other < k; ++other)
      twice = twice || e_.extra_name(id, other) == name;
    if (twice) refuse(where, "the input '" + name + "' of '" + f.name + "' is given twice");
  }
}

std::vector<Tensor> Translator::inlined(ExprId id, const ClassDefinition& f) {
  const Span span = e_[id].span;
  if (f.external)
    refuse(span, "the function '" + f.name + "' has external code, which is never executed");
  if (inlining_ >= deepest_call)
    refuse(span, "functions call each other more than " + std::to_string(deepest_call) +
                     " levels deep: '" + f.name + "' may call itself");
  if (f.algorithms.size() != 1)
    refuse(span, "the function '" + f.name + "' needs one algorithm section");
  budget_.work(1 + f.declarations.size(), span);
  Locals locals;
  locals.in_function = true;
  const auto arguments = e_.children(id);
  const std::size_t n_named = e_.n_extra_names(id), n_plain = arguments.size() - n_named;
  std::vector<std::uint8_t> used(arguments.size(), 0);
  std::size_t position = 0;
  check_argument_names(id, f);
  // Arguments mean what they mean where the call stands.
  for (const Declaration& d : f.declarations) {
    if (d.causality != Causality::input) continue;
    ExprId given = no_expr;
    if (position < n_plain) {
      used[position] = 1;
      given = arguments[position];
    }
    ++position;
    for (std::size_t k = 0; k < n_named; ++k) {
      if (e_.extra_name(id, k) != d.name) continue;
      given = arguments[n_plain + k];
      used[n_plain + k] = 1;
    }
    if (given == no_expr && d.binding == no_expr)
      refuse(span, "'" + f.name + "' needs the argument '" + d.name + "'");
    Locals::Local local;
    local.type = type_named(d);
    local.is_input = true;
    if (given != no_expr) {
      local.value = tensor(given);
      if (local.value.dimensions.size() != d.dimensions.size())
        refuse(e_[given].span, "the argument '" + d.name + "' of '" + f.name + "' has " +
                                   std::to_string(d.dimensions.size()) + " dimensions, this has " +
                                   std::to_string(local.value.dimensions.size()));
      const bool is_truth =
          local.value.elements.empty() || local.value.elements[0].type == Type::boolean;
      if (is_truth != (local.type == Type::boolean) && !local.value.elements.empty())
        refuse(e_[given].span, "the argument '" + d.name + "' of '" + f.name + "' is of type " +
                                   text_of(local.type));
      local.is_set = true;
    }
    locals.all.emplace(d.name, std::move(local));
  }
  for (std::size_t k = 0; k < used.size(); ++k)
    if (used[k] == 0)
      refuse(e_[arguments[k]].span,
             "the function '" + f.name + "' has " + std::to_string(position) +
                 (position == 1 ? " input" : " inputs") + ": this is one argument too many");

  const ContextScope scope(*this);
  context_.locals = &locals;
  context_.environment = nullptr;
  context_.new_values = nullptr;
  struct Level {
    int& count;
    explicit Level(int& c) : count(c) { ++count; }
    ~Level() { --count; }
  } const level(inlining_);
  for (const Declaration& d : f.declarations) {
    if (d.causality == Causality::input) {
      Locals::Local& local = locals.all[d.name];
      if (!local.is_set) local.value = tensor(d.binding);
      local.is_set = true;
      continue;
    }
    Locals::Local local;
    local.type = type_named(d);
    for (const ExprId size : d.dimensions) {
      if (e_[size].kind == ExprKind::colon) {
        local.any_size = true;
        local.value.dimensions.push_back(0);
        continue;
      }
      const std::int64_t k = integer(size, "the size of an array");
      if (k < 0 || k > std::numeric_limits<std::uint32_t>::max())
        refuse(e_[size].span, "an array cannot have " + std::to_string(k) + " elements");
      local.value.dimensions.push_back(static_cast<std::uint32_t>(k));
    }
    const std::uint64_t n = local.any_size ? 0 : number_of_elements(local.value.dimensions);
    budget_.values(n, d.span);
    Value unset;
    unset.type = local.type;
    local.value.elements.assign(n, unset);
    if (d.binding != no_expr) {
      local.value = tensor(d.binding);
      local.is_set = true;
    }
    locals.all.insert_or_assign(d.name, std::move(local));
  }
  execute(f.algorithms[0].body);
  std::vector<Tensor> results;
  for (const Declaration& d : f.declarations) {
    if (d.causality != Causality::output) continue;
    const Locals::Local& local = locals.all[d.name];
    if (!local.is_set)
      refuse(span, "the result '" + d.name + "' of '" + f.name + "' is not set in every case");
    results.push_back(local.value);
  }
  return results;
}

/// The type of a variable of a function.
Type Translator::type_named(const Declaration& d) const {
  if (d.type == "Real") return Type::real;
  if (d.type == "Integer") return Type::integer;
  if (d.type == "Boolean") return Type::boolean;
  const auto found = types_.types.find(d.type);
  if (found == types_.types.end())
    refuse(d.type_span, "there is no type '" + d.type + "' that a function can compute with");
  return found->second->literals.empty() ? Type::real : Type::enumeration;
}

}  // namespace saltus::modelica
