#include <saltus/core/error.hpp>
#include <saltus/expr/transplant.hpp>

#include "lower/compiled/compiled_transition.hpp"

namespace saltus::detail {

std::uint32_t BuiltMode::unknown_of(const Input& whole) const {
  const Input here = mode.in_mode(whole);
  if (here.index == none) return none;
  return system->layout().unknown_of(mode.model->graph(), here);
}

namespace {

using From = LimitArgument::From;

/// Compiles expressions of one transition, taken out of the graph of the model.
class LimitCompiler {
 public:
  /// Unknowns as they are written are those of the right limit; null: of the left one as well.
  LimitCompiler(const ModelDefinition& whole, std::string who, std::span<const NodeId> nodes,
                const BuiltMode& before, const BuiltMode* after)
      : whole_(whole), who_(std::move(who)), before_(before), after_(after) {
    Reach reach(whole.graph());
    for (const NodeId id : nodes) reach.add_value(id);
    // All variables go along, so that they keep their numbers.
    Transplant moved = transplant(reach, [](InputKind, std::uint32_t) { return true; });
    graph = std::move(moved.graph);
    for (const NodeId id : nodes) rows.push_back(moved.nodes[id]);
    for (std::size_t id = 0; id < graph->n_inputs(); ++id) {
      const Input& in = graph->input(static_cast<InputId>(id));
      append_input(segment_, in);
      arguments_.push_back(argument(in, graph->input_name(static_cast<InputId>(id))));
    }
  }

  LimitProgram compiled(std::span<const Output> outputs) const {
    // Nothing is frozen between two modes: relations are decided where the values are computed.
    return {compile(*graph, outputs, std::span(&segment_, 1), {.locking = Locking::unlocked}),
            arguments_};
  }

  /// Unknowns of the right limit that are read, as inputs and by their numbers.
  std::vector<std::uint32_t> right_unknowns(InputSegment& columns) const {
    std::vector<std::uint32_t> numbers;
    for (std::size_t k = 0; k < arguments_.size(); ++k) {
      if (arguments_[k].from != From::right) continue;
      append_input(columns, graph->input(static_cast<InputId>(k)));
      numbers.push_back(arguments_[k].index);
    }
    return numbers;
  }

  std::unique_ptr<Graph> graph;
  std::vector<NodeId> rows;

 private:
  LimitArgument argument(const Input& in, const std::string& name) const {
    switch (in.kind) {
      case InputKind::time:
        return {From::time, 0, 0};
      case InputKind::parameter:
        return {From::parameter, in.index, 0};
      case InputKind::discrete:
        return {From::discrete, in.index, 0};
      case InputKind::signal: {
        const auto order = static_cast<int>(in.order);
        if (order > whole_.signal(in.index).max_order())
          throw ModelError(who_, "reads " + name + ", but the signal has derivatives up to order " +
                                     std::to_string(whole_.signal(in.index).max_order()));
        return {From::signal, in.index, order};
      }
      case InputKind::previous: {
        const Input& variable = graph->previous_variable(in.index);
        if (variable.kind == InputKind::discrete) return {From::discrete, variable.index, 0};
        if (variable.kind == InputKind::parameter) return {From::parameter, variable.index, 0};
        return left(variable, name);
      }
      default:
        return after_ == nullptr ? left(in, name) : right(in, name);
    }
  }

  LimitArgument left(const Input& in, const std::string& name) const {
    if (const std::uint32_t unknown = before_.unknown_of(in); unknown != none)
      return {From::left, unknown, 0};
    if (in.order > 0) {
      const std::uint32_t below = before_.unknown_of({in.kind, in.index, in.order - 1});
      if (below != none) return {From::left_rate, below, 0};
    }
    throw ModelError(who_, "reads " + name + ", which the mode before does not have");
  }

  LimitArgument right(const Input& in, const std::string& name) const {
    const std::uint32_t unknown = after_->unknown_of(in);
    if (unknown == none)
      throw ModelError(who_, "reads " + name + ", which is not an unknown of the mode after");
    return {From::right, unknown, 0};
  }

  const ModelDefinition& whole_;
  std::string who_;
  const BuiltMode& before_;
  const BuiltMode* after_;
  InputSegment segment_;
  std::vector<LimitArgument> arguments_;
};

}  // namespace

TransitionPlan::TransitionPlan(std::shared_ptr<const ModelDefinition> whole,
                               std::uint32_t transition, const BuiltMode& before,
                               const BuiltMode& after)
    : whole_(std::move(whole)), transition_(transition) {
  match(before, after);
  choose_starts(after);
  compile_maps(before);
  compile_equations(before, after);
}

std::string TransitionPlan::who() const { return "transition '" + transition().name + "'"; }

void TransitionPlan::match(const BuiltMode& before, const BuiltMode& after) {
  for (const Layout::Unknown& u : after.system->layout().unknowns()) {
    const Input whole = after.mode.in_whole(u.input);
    Unknown unknown;
    unknown.successor = u.successor;
    unknown.carries_derivative = u.carries_derivative;
    unknown.before = before.unknown_of(whole);
    if (unknown.before == none && whole.order > 0) {
      unknown.rate = before.unknown_of({whole.kind, whole.index, whole.order - 1});
    }
    unknown.start = unknown.before != none ? UnknownStart::held : UnknownStart::fresh;
    // Only an equation makes a derivative more than the slope of some interpolant.
    if (unknown.rate != none) {
      unknown.start = before.system->layout()[unknown.rate].carries_derivative ? UnknownStart::held
                                                                               : UnknownStart::free;
    }
    same_before_.push_back(unknown.before);
    unknowns_.push_back(unknown);
  }
}

void TransitionPlan::choose_starts(const BuiltMode& after) {
  const auto choose = [&](const Input& target, UnknownStart start) {
    const std::uint32_t unknown = after.unknown_of(target);
    if (unknown == none) {
      const std::string name = whole_->graph().variable_name(target.kind, target.index);
      throw ModelError(
          who(), std::string("sets ") + (target.order > 0 ? "a derivative of '" : "'") + name +
                     "', which is not an unknown of '" + after.mode.model->name() + "'");
    }
    unknowns_[unknown].start = start;
    return unknown;
  };
  for (const Assignment& a : transition().maps) {
    mapped_.push_back(choose(a.target, UnknownStart::mapped));
  }
  for (const Input& in : transition().free) choose(in, UnknownStart::free);
  for (const Unknown& u : unknowns_) starts_.push_back(u.start);
}

void TransitionPlan::compile_maps(const BuiltMode& before) {
  std::vector<NodeId> values;
  for (const Assignment& a : transition().maps) values.push_back(a.value);
  if (values.empty()) return;
  const LimitCompiler compiler(*whole_, who(), values, before, nullptr);
  maps_ = compiler.compiled(outputs_in_order(*compiler.graph, compiler.rows));
}

void TransitionPlan::compile_equations(const BuiltMode& before, const BuiltMode& after) {
  std::vector<NodeId> residuals;
  for (const Equation& q : transition().equations) {
    residuals.push_back(q.residual);
    for (std::uint32_t lane = 0; lane < q.count; ++lane) {
      equation_names_.push_back(q.count > 1 ? q.name + "[" + std::to_string(lane) + "]" : q.name);
    }
  }
  if (residuals.empty()) return;
  const LimitCompiler compiler(*whole_, who(), residuals, before, &after);
  residual_ = compiler.compiled(outputs_in_order(*compiler.graph, compiler.rows));
  InputSegment columns;
  const std::vector<std::uint32_t> unknown = compiler.right_unknowns(columns);
  const Jacobian j = saltus::jacobian(*compiler.graph, compiler.rows, columns);
  jacobian_ = compiler.compiled(j.entries);
  for (std::size_t column = 0; column + 1 < j.pattern.column_start.size(); ++column) {
    const auto end = static_cast<std::size_t>(j.pattern.column_start[column + 1]);
    for (auto s = static_cast<std::size_t>(j.pattern.column_start[column]); s < end; ++s) {
      const auto row = static_cast<std::size_t>(j.pattern.row[s]);
      jacobian_places_.push_back(row * unknowns_.size() + unknown[column]);
    }
  }
}

}  // namespace saltus::detail
