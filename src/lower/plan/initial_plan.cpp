#include "lower/plan/initial_plan.hpp"

#include <algorithm>
#include <cmath>

#include <saltus/core/error.hpp>
#include <saltus/core/side.hpp>
#include <saltus/expr/differentiate.hpp>
#include <saltus/expr/transplant.hpp>

namespace saltus::detail {

namespace {

using InitialArgument = InitialPlan::Argument;

/// What an input of an initial equation is in the mode.
class InitialReader {
 public:
  InitialReader(const ModelDefinition& whole, const ModeModel& mode, const Layout& layout)
      : whole_(whole), mode_(mode), layout_(layout) {}

  InitialArgument argument(const Graph& g, const Input& in, const std::string& name) const {
    using From = InitialArgument::From;
    switch (in.kind) {
      case InputKind::time:
        return {From::time, 0, 0};
      case InputKind::parameter:
        return {From::parameter, in.index, 0};
      case InputKind::discrete:
        return {From::discrete, in.index, 0};
      case InputKind::signal:
        if (static_cast<int>(in.order) > whole_.signal(in.index).max_order())
          refuse(name, "but the signal has derivatives up to order " +
                           std::to_string(whole_.signal(in.index).max_order()));
        return {From::signal, in.index, static_cast<int>(in.order)};
      case InputKind::previous: {
        // Before the run a variable that is held has the value it starts from.
        const Input& variable = g.previous_variable(in.index);
        if (variable.kind == InputKind::discrete) return {From::before, variable.index, 0};
        if (variable.kind == InputKind::parameter) return {From::parameter, variable.index, 0};
        refuse(name, "but a continuous variable has no value before the start");
      }
      default:
        return unknown(in, name);
    }
  }

 private:
  [[noreturn]] void refuse(const std::string& name, const std::string& why) const {
    throw ModelError("model '" + whole_.name() + "', initial equations",
                     "read " + name + ", " + why);
  }

  InitialArgument unknown(const Input& in, const std::string& name) const {
    const auto place = [&](std::uint32_t order) {
      const Input here = mode_.in_mode({in.kind, in.index, order});
      return here.index == none ? none : layout_.unknown_of(mode_.model->graph(), here);
    };
    if (const std::uint32_t at = place(in.order); at != none)
      return {InitialArgument::From::x, at, 0};
    const std::uint32_t below = in.order > 0 ? place(in.order - 1) : none;
    if (below != none) return {InitialArgument::From::xdot, below, 0};
    refuse(name, "which no equation of mode '" + mode_.model->name() + "' has");
  }

  const ModelDefinition& whole_;
  const ModeModel& mode_;
  const Layout& layout_;
};

}  // namespace

InitialPlan::InitialPlan(const ModelDefinition& whole, const ModeModel& mode,
                         const Layout& layout) {
  for (const Equation& q : whole.initial_equations()) {
    for (std::uint32_t lane = 0; lane < q.count; ++lane)
      names_.push_back(q.count > 1 ? q.name + "[" + std::to_string(lane) + "]" : q.name);
  }
  if (names_.empty()) return;
  try {
    compile_in(whole, mode, layout);
  } catch (const ModelError& e) {
    if (whole.modes().empty()) throw;
    refusal_ = e.what();
  }
}

void InitialPlan::compile_in(const ModelDefinition& whole, const ModeModel& mode,
                             const Layout& layout) {
  std::vector<NodeId> rows;
  Reach reach(whole.graph());
  for (const Equation& q : whole.initial_equations()) reach.add_value(q.residual);
  // All variables go along, so that they keep their numbers.
  Transplant moved = transplant(reach, [](InputKind, std::uint32_t) { return true; });
  for (const Equation& q : whole.initial_equations()) rows.push_back(moved.nodes[q.residual]);
  Graph& g = *moved.graph;
  const InitialReader reader(whole, mode, layout);
  InputSegment all, unknowns;
  std::vector<std::size_t> column_of;
  for (std::size_t id = 0; id < g.n_inputs(); ++id) {
    const Input& in = g.input(static_cast<InputId>(id));
    append_input(all, in);
    arguments_.push_back(reader.argument(g, in, g.input_name(static_cast<InputId>(id))));
    const Argument& a = arguments_.back();
    if (a.from != Argument::From::x && a.from != Argument::From::xdot) continue;
    append_input(unknowns, in);
    column_of.push_back(a.from == Argument::From::x ? a.index : layout.size() + a.index);
  }
  const auto compiled = [&](std::span<const Output> outputs) {
    return compile(g, outputs, std::span(&all, 1), {.locking = Locking::unlocked});
  };
  residual_ = compiled(outputs_in_order(g, rows));
  const Jacobian j = saltus::jacobian(g, rows, unknowns);
  jacobian_ = compiled(j.entries);
  std::vector<index_t> at_row, at_column;
  for (std::size_t column = 0; column + 1 < j.pattern.column_start.size(); ++column) {
    const auto end = static_cast<std::size_t>(j.pattern.column_start[column + 1]);
    for (auto s = static_cast<std::size_t>(j.pattern.column_start[column]); s < end; ++s) {
      at_row.push_back(j.pattern.row[s]);
      at_column.push_back(static_cast<index_t>(column_of[column]));
    }
  }
  CscAssembly whole_pattern = assemble(static_cast<index_t>(names_.size()),
                                       static_cast<index_t>(2 * layout.size()), at_row, at_column);
  pattern_ = std::move(whole_pattern.pattern);
  for (const auto slot : whole_pattern.slot) places_.push_back(static_cast<std::size_t>(slot));
}

}  // namespace saltus::detail
