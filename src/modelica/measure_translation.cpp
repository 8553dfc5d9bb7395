#include "modelica/measure_translation.hpp"

#include <algorithm>
#include <array>

#include <saltus/core/text.hpp>
#include <saltus/expr/switches.hpp>
#include <saltus/expr/transplant.hpp>

namespace saltus::modelica {

namespace {

struct NamedReduction {
  std::string_view name;
  Reduction reduction;
};
constexpr std::array reductions = {
    NamedReduction{"max", Reduction::max},           NamedReduction{"min", Reduction::min},
    NamedReduction{"integral", Reduction::integral}, NamedReduction{"mean", Reduction::mean},
    NamedReduction{"duration", Reduction::duration}, NamedReduction{"first", Reduction::first},
    NamedReduction{"last", Reduction::last},         NamedReduction{"at", Reduction::at}};

bool is_of_condition(Reduction r) {
  return r == Reduction::duration || r == Reduction::first || r == Reduction::last;
}

}  // namespace

MeasureTranslation::MeasureTranslation(Translator& translator, const Expressions& expressions,
                                       const SymbolTable& symbols, const Source& source)
    : t_(translator), e_(expressions), symbols_(symbols), source_(source), g_(translator.graph()) {
  t_.context().all_tracked = true;
  t_.reduce = [this](ExprId call) { return reduce(call); };
}

MeasureTranslation::~MeasureTranslation() { t_.reduce = nullptr; }

Measure MeasureTranslation::operator()(const MeasureText& text, ExprId expression) {
  found_.clear();
  is_inside_ = false;
  first_ = g_.count(InputKind::algebraic);
  check_no_events(expression);
  const NodeId result = held_number(expression);
  if (found_.empty())
    refuse(e_[expression].span,
           "nothing here depends on the run: use max(...), min(...), integral(...), mean(...), "
           "duration(...), first(...), last(...) or at(..., t)");
  Measure m{text.name, text.text, {}, {}, {}};
  std::vector<NodeId> nodes = {result};
  for (Found& f : found_) {
    const NodeId zero = g_.constant(0.0);
    nodes.push_back(f.from == none ? zero : f.from);
    nodes.push_back(f.to == none ? zero : f.to);
    m.reduced.push_back(std::move(f.reduced));
  }
  InputSegment segment;
  m.inputs = inputs_of(nodes, segment);
  m.result = compile(g_, outputs_in_order(g_, nodes), {{segment}}, {.locking = Locking::unlocked});
  return m;
}

// ---- reductions --------------------------------------------------------------------------------------

std::optional<Reduction> MeasureTranslation::reduction_of(ExprId call) const {
  const std::string& name = e_.name(call);
  const auto found = std::ranges::find(reductions, name, &NamedReduction::name);
  if (found == reductions.end()) return std::nullopt;
  // Modelica has functions of these names too: of two numbers, of an array.
  const std::size_t unnamed = e_[call].count - e_.n_extra_names(call);
  const bool is_extreme = found->reduction == Reduction::max || found->reduction == Reduction::min;
  if (is_extreme && e_.n_extra_names(call) == 0 && (unnamed != 1 || is_inside_))
    return std::nullopt;
  return found->reduction;
}

std::optional<Value> MeasureTranslation::reduce(ExprId call) {
  const auto reduction = reduction_of(call);
  if (!reduction) return std::nullopt;
  const auto arguments = e_.children(call);
  const std::size_t wanted = reduction == Reduction::at ? 2 : 1;
  const std::size_t unnamed = arguments.size() - e_.n_extra_names(call);
  if (unnamed != wanted)
    refuse(e_[call].span,
           "'" + e_.name(call) + "' takes " +
               (wanted == 2 ? "an expression and a time: at(x, 2.5)"
                            : std::string(is_of_condition(*reduction) ? "one condition"
                                                                      : "one expression") +
                                  ", and perhaps from = ... and to = ..."));
  Found found;
  found.reduced.reduction = *reduction;
  found.reduced.text = std::string(source_.text(e_[arguments[0]].span));
  read_times(call, found);
  const bool was_inside = is_inside_;
  is_inside_ = true;
  NodeId expression = none;
  if (is_of_condition(*reduction)) {
    Value truth;
    truth.type = Type::boolean;
    truth.truth = t_.truth(arguments[0]);
    expression = t_.as_kept(truth).in(g_);
  } else {
    expression = t_.number(arguments[0]).in(g_);
  }
  is_inside_ = was_inside;
  compile_reduced(expression, found.reduced);
  found_.push_back(std::move(found));
  const std::uint32_t number = g_.declare(
      InputKind::algebraic, "reduction " + std::to_string(g_.count(InputKind::algebraic)));
  Value v;
  v.number = Expr(g_, g_.input(InputKind::algebraic, number));
  return v;
}

void MeasureTranslation::read_times(ExprId call, Found& found) {
  const auto arguments = e_.children(call);
  const std::size_t n_names = e_.n_extra_names(call), n_unnamed = arguments.size() - n_names;
  const bool is_at = found.reduced.reduction == Reduction::at;
  if (is_at && n_names > 0) refuse(e_[call].span, "'at' is about one moment: at(x, 2.5)");
  if (is_at && e_[arguments[1]].kind == ExprKind::last) {
    found.reduced.is_at_end = true;
  } else if (is_at) {
    found.from = held_number(arguments[1]);
  }
  for (std::size_t k = 0; k < n_names; ++k) {
    const ExprId value = arguments[n_unnamed + k];
    const std::string& name = e_.extra_name(call, k);
    if (name != "from" && name != "to")
      refuse(e_[call].span,
             "'" + e_.name(call) + "' has no '" + name + "': there are 'from' and 'to'");
    const bool is_from = name == "from";
    bool& is_there = is_from ? found.reduced.has_from : found.reduced.has_to;
    if (is_there) refuse(e_[value].span, "'" + name + "' is given twice");
    is_there = true;
    (is_from ? found.from : found.to) = held_number(value);
  }
}

/// A number of the whole run, wherever it stands.
NodeId MeasureTranslation::held_number(ExprId id) {
  const bool was_inside = is_inside_;
  is_inside_ = false;
  const NodeId node = t_.number(id).in(g_);
  check_held(id);
  is_inside_ = was_inside;
  return node;
}

void MeasureTranslation::check_held(ExprId root) const {
  std::vector<ExprId> open = {root};
  while (!open.empty()) {
    const ExprId id = open.back();
    open.pop_back();
    if (id == no_expr) continue;
    if (e_[id].kind == ExprKind::call && reduction_of(id)) continue;
    if (e_[id].kind == ExprKind::name) {
      const std::string& name = e_.name(id);
      const std::uint32_t s = symbols_.find(name);
      if (s != SymbolTable::none ? !symbols_[s].is_held() : name == "time")
        refuse(e_[id].span, "'" + name + "' changes during a run: say which value is wanted, max(" +
                                name + "), min(" + name + "), integral(" + name + "), mean(" +
                                name + "), at(" + name + ", t)");
    }
    const auto parts = e_.children(id);
    open.insert(open.end(), parts.begin(), parts.end());
  }
}

void MeasureTranslation::check_no_events(ExprId root) const {
  static constexpr std::array<std::string_view, 6> of_events = {"pre",     "edge",     "change",
                                                                "initial", "terminal", "sample"};
  std::vector<ExprId> open = {root};
  while (!open.empty()) {
    const ExprId id = open.back();
    open.pop_back();
    if (id == no_expr) continue;
    if (e_[id].kind == ExprKind::call && std::ranges::count(of_events, e_.name(id)) > 0)
      refuse(e_[id].span, "'" + e_.name(id) + "' is about a moment of an event, not about a run");
    const auto parts = e_.children(id);
    open.insert(open.end(), parts.begin(), parts.end());
  }
}

// ---- programs ----------------------------------------------------------------------------------------

std::vector<MeasureInput> MeasureTranslation::inputs_of(std::span<const NodeId> nodes,
                                                        InputSegment& segment) const {
  Reach reach(g_);
  for (const NodeId node : nodes) reach.add_value(node);
  std::vector<MeasureInput> inputs;
  for (const InputId id : reach.inputs()) {
    const Input& in = g_.input(id);
    segment.push_back({in.kind, in.index, 1, in.order});
    using Kind = MeasureInput::Kind;
    switch (in.kind) {
      case InputKind::time:
        inputs.push_back({Kind::time, "time", 0});
        break;
      case InputKind::parameter:
        inputs.push_back({Kind::parameter, g_.variable_name(in.kind, in.index), 0});
        break;
      case InputKind::algebraic:
        inputs.push_back({Kind::reduced, "", in.index - first_});
        break;
      default:
        inputs.push_back({in.order > 0 ? Kind::derivative : Kind::variable,
                          g_.variable_name(in.kind, in.index), 0});
    }
  }
  return inputs;
}

void MeasureTranslation::compile_reduced(NodeId expression, Reduced& into) const {
  const SwitchTable table(g_, {{expression}});
  std::vector<Output> outputs = table.functions();
  std::vector<NodeId> nodes;
  for (const SwitchEntry& entry : table) {
    nodes.push_back(entry.g);
    for (std::uint32_t j = 0; j < entry.count; ++j) into.switches.push_back(entry.first + j);
  }
  nodes.push_back(expression);
  outputs.push_back(
      {.node = expression, .first = static_cast<std::uint32_t>(into.switches.size())});
  InputSegment segment;
  into.inputs = inputs_of(nodes, segment);
  into.deciding = compile(g_, outputs, {{segment}}, {.locking = Locking::unlocked});
  into.decided = compile(g_, outputs, {{segment}}, {.locking = Locking::locked});
}

}  // namespace saltus::modelica
