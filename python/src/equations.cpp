// What holds, and what happens: equations, outputs, when-clauses, modes and transitions.
#include <pybind11/stl.h>

#include <saltus/expr/text.hpp>

#include "bindings.hpp"

namespace saltus::python {

namespace {

using Sets = std::vector<std::pair<NodeId, NodeId>>;

std::vector<Model::Set> sets_of(ModelBuilder& m, const Sets& sets) {
  std::vector<Model::Set> out;
  for (const auto& [variable, value] : sets) out.push_back({m.value(variable), m.value(value)});
  return out;
}

Equality sides_of(ModelBuilder& m, NodeId left, NodeId right) {
  return {m.value(left), m.value(right)};
}

std::string text_of(ModelBuilder& m, NodeId left, NodeId right) {
  return to_text(m.graph(), left) + " == " + to_text(m.graph(), right);
}

/// Returns the name under which messages speak of it.
std::string equation(ModelBuilder& m, const std::string& name, NodeId left, NodeId right,
                     std::optional<ModeId> mode) {
  const Equality sides = sides_of(m, left, right);
  if (mode) {
    m.change().equation(*mode, name, sides);
  } else {
    m.change().equation(name, sides);
  }
  return name.empty() ? text_of(m, left, right) : name;
}

std::optional<RestartPolicy> restart_of(const std::string& name) {
  for (const auto& choice : option_choices(RestartPolicy{}))
    if (choice.name == name) return choice.value;
  return std::nullopt;
}

void transition(ModelBuilder& m, const std::string& name, ModeId from,
                const std::vector<ModeId>& to, Literal guard, const Sets& maps,
                const std::vector<NodeId>& free, const Sets& equations,
                const std::vector<std::string>& conserved, int priority, const std::string& restart,
                bool at_accumulation, bool at_sliding) {
  TransitionOptions options;
  options.maps = sets_of(m, maps);
  for (const NodeId variable : free) options.free.push_back(m.value(variable));
  for (const auto& [left, right] : equations) options.equations.push_back(sides_of(m, left, right));
  options.conserved = conserved;
  options.priority = priority;
  options.restart = restart_of(restart);
  options.at_accumulation = at_accumulation;
  options.at_sliding = at_sliding;
  if (to.size() == 1) {
    m.change().transition(name, from, to.front(), m.condition(guard), std::move(options));
  } else {
    m.change().transition(name, from, to, m.condition(guard), std::move(options));
  }
}

void add_clauses(BuilderClass& builder) {
  builder.def("when_any",
              [](ModelBuilder& m, const std::string& name, const std::vector<Literal>& conditions,
                 const Sets& sets, int priority) {
                std::vector<Cond> any;
                for (const Literal one : conditions) any.push_back(m.condition(one));
                m.change().when_any(name, any, sets_of(m, sets), {.priority = priority});
              });
  builder.def("terminate_when", [](ModelBuilder& m, const std::string& name, Literal condition,
                                   const std::string& message) {
    m.change().terminate_when(name, m.condition(condition), message);
  });
  builder.def("at_start", [](ModelBuilder& m, const std::string& name, const Sets& sets) {
    m.change().at_start(name, sets_of(m, sets));
  });
  builder.def("assert_always", [](ModelBuilder& m, const std::string& name, Literal condition,
                                  const std::string& message) {
    m.change().assert_always(name, m.condition(condition), message);
  });
  builder.def("every", [](ModelBuilder& m, const std::string& name, double start, double interval) {
    return m.change().every(name, start, interval).literal();
  });
  builder.def("named", [](ModelBuilder& m, const std::string& name, Literal relation) {
    return m.change().named(name, m.condition(relation)).literal();
  });
}

}  // namespace

void add_equations(BuilderClass& builder) {
  builder.def("equation", equation);
  builder.def("output", [](ModelBuilder& m, const std::string& name, NodeId value,
                           const std::string& unit, const std::string& description) {
    m.change().output(name, m.value(value), unit, description);
  });
  builder.def("invariant", [](ModelBuilder& m, const std::string& name, NodeId value,
                              const std::string& unit, const std::string& description) {
    m.change().invariant(name, m.value(value), unit, description);
  });
  builder.def("integral", [](ModelBuilder& m, const std::string& name, NodeId integrand) {
    return m.change().integral(name, m.value(integrand)).id();
  });
  builder.def("allow_unequal_counts", [](ModelBuilder& m) { m.change().allow_unequal_counts(); });
  add_clauses(builder);

  builder.def("mode",
              [](ModelBuilder& m, const std::string& name) { return m.change().mode(name); });
  builder.def("start_in", [](ModelBuilder& m, ModeId mode) { m.change().start_in(mode); });
  builder.def("require", [](ModelBuilder& m, ModeId mode, Literal condition) {
    m.change().require(mode, m.condition(condition));
  });
  builder.def("transition", transition);
  builder.def_static("restart_policies", [] {
    std::vector<std::string> names;
    for (const auto& choice : option_choices(RestartPolicy{})) names.emplace_back(choice.name);
    return names;
  });
  builder.def("build", [](ModelBuilder& m) { m.built(); });
}

}  // namespace saltus::python
