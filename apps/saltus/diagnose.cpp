#include "diagnose.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <optional>

#include <saltus/core/text.hpp>
#include <saltus/expr/evaluator.hpp>
#include <saltus/expr/incidence.hpp>
#include <saltus/expr/switches.hpp>
#include <saltus/expr/text.hpp>

namespace saltus::app {

namespace {

// ---- places --------------------------------------------------------------------------------------------

/// Of a name of the model; elements and lanes ("x[2]") stand where the whole does.
const TextPlace* place_of(const std::vector<TextPlace>& places, const std::string& name) {
  const auto find = [&](const std::string& wanted) -> const TextPlace* {
    for (const TextPlace& p : places)
      if (p.name == wanted) return &p;
    return nullptr;
  };
  if (const TextPlace* p = find(name)) return p;
  return find(name.substr(0, name.rfind('[')));
}

std::string line_of(const CheckedModel& m, const std::vector<TextPlace>& places,
                    const std::string& name) {
  const TextPlace* p = place_of(places, name);
  if (p == nullptr) return "";
  const auto end = m.text.begin() + std::min<std::ptrdiff_t>(p->begin, std::ssize(m.text));
  return " (line " + std::to_string(1 + std::count(m.text.begin(), end, '\n')) + ")";
}
std::string equation_text(const CheckedModel& m, const std::string& name) {
  return "'" + name + "'" + line_of(m, m.read.equations, name);
}
std::string variable_text(const CheckedModel& m, const std::string& name) {
  return "'" + name + "'" + line_of(m, m.read.variables, name);
}

Diagnostic found(const CheckedModel& m, const TextPlace* place, std::string message,
                 DiagnosticKind kind = DiagnosticKind::error) {
  if (place != nullptr) return diagnostic_at(m.text, m.file, *place, kind, std::move(message));
  Diagnostic d;
  d.kind = kind;
  d.message = std::move(message);
  d.file = m.file;
  return d;
}

/// As people read it; what was given stays as it was given.
std::string short_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

/// "a, b and c"
std::string enumerated(const std::vector<std::string>& items) {
  std::string text;
  for (std::size_t k = 0; k < items.size(); ++k)
    text += (k == 0 ? "" : k + 1 == items.size() ? " and " : ", ") + items[k];
  return text;
}

// ---- values at the start -------------------------------------------------------------------------------

/// Expressions of a model at its start values, stated or guessed; derivatives are 0 where nobody says more.
class AtStart {
 public:
  AtStart(const ModelDefinition& model, double t) : model_(model), g_(model.graph()), t_(t) {}

  /// One number per lane.
  std::vector<double> values(std::span<const NodeId> nodes) const {
    std::vector<InputSegment> segments;
    std::vector<std::vector<double>> data;
    const auto add = [&](InputKind kind, std::uint32_t order, std::vector<double> v) {
      if (v.empty()) return;
      segments.push_back({{kind, 0, static_cast<std::uint32_t>(v.size()), order}});
      data.push_back(std::move(v));
    };
    add(InputKind::time, 0, {t_});
    for (const InputKind kind : {InputKind::state, InputKind::algebraic}) {
      add(kind, 0, starts(kind));
      for (std::uint32_t order = 1; order <= highest_order; ++order)
        add(kind, order, std::vector<double>(g_.count(kind), 0.0));
    }
    std::vector<double> signals;
    for (std::uint32_t k = 0; k < g_.count(InputKind::signal); ++k)
      signals.push_back(model_.signal(k).value(t_, 0));
    add(InputKind::signal, 0, std::move(signals));
    add(InputKind::parameter, 0, model_.initial_values(InputKind::parameter));
    add(InputKind::discrete, 0, model_.initial_values(InputKind::discrete));
    const std::vector<Output> outputs = outputs_in_order(g_, nodes);
    Evaluator<double> f(compile(g_, outputs, segments, {.locking = Locking::unlocked}));
    for (std::size_t k = 0; k < data.size(); ++k)
      std::copy(data[k].begin(), data[k].end(), f.input(k).begin());
    f.run();
    return {f.outputs().begin(), f.outputs().end()};
  }
  double value(NodeId node) const { return values(std::span(&node, 1))[0]; }

 private:
  static constexpr std::uint32_t highest_order = 1;

  std::vector<double> starts(InputKind kind) const {
    std::vector<double> x(g_.count(kind), 0.0);
    for (const Variable& v : model_.variables()) {
      if (v.kind != kind) continue;
      for (std::uint32_t e = 0; e < v.count; ++e)
        x[v.first + e] = v.start_of(e).value_or(v.attributes.guess.value_or(0.0));
    }
    return x;
  }

  const ModelDefinition& model_;
  const Graph& g_;
  double t_;
};

/// Whether an expression reads nothing but what is known at the start.
bool can_be_evaluated(std::span<const Input> inputs) {
  return std::none_of(inputs.begin(), inputs.end(), [](const Input& in) {
    return in.kind == InputKind::previous || in.order > 1 ||
           (in.kind == InputKind::signal && in.order > 0);
  });
}
bool can_be_evaluated(const Graph& g, NodeId node) {
  return can_be_evaluated(incidence(g, std::span(&node, 1)).inputs);
}

std::string inputs_text(const Graph& g, NodeId node, const AtStart& at) {
  std::vector<std::string> parts;
  std::vector<NodeId> open = {node}, seen;
  while (!open.empty() && parts.size() < 4) {
    const NodeId id = open.back();
    open.pop_back();
    if (std::find(seen.begin(), seen.end(), id) != seen.end()) continue;
    seen.push_back(id);
    const Node& n = g.node(id);
    if (n.op == Op::input) parts.push_back(to_text(g, id) + " = " + to_text(at.value(id)));
    if (arity(n.op) == 2) open.push_back(n.b);
    if (arity(n.op) >= 1) open.push_back(n.a);
  }
  return join(parts, ", ");
}

/// What in an expression without a value is to blame for that, and what it comes from.
struct Blame {
  std::string text;
  NodeId source = none;
};
Blame blame(const Graph& g, NodeId node, const AtStart& at) {
  // Down to where what goes in has a value and what comes out has none.
  for (;;) {
    const Node& n = g.node(node);
    if (g.is_array(node)) return {};
    std::optional<NodeId> worse;
    for (int k = 0; k < arity(n.op); ++k) {
      const NodeId child = k == 0 ? n.a : n.b;
      if (!can_be_evaluated(g, child) || g.is_array(child)) continue;
      if (!std::isfinite(at.value(child)) && !worse) worse = child;
    }
    if (!worse) break;
    node = *worse;
  }
  const Node& n = g.node(node);
  const auto where = [&](NodeId id) {
    if (g.node(id).op == Op::input) return std::string();
    const std::string inputs = inputs_text(g, id, at);
    return inputs.empty() ? "" : " where " + inputs;
  };
  if (n.op == Op::div)
    return {
        "it divides by " + to_text(g, n.b) + ", which is " + to_text(at.value(n.b)) + where(n.b),
        n.b};
  if (arity(n.op) >= 1)
    return {"'" + to_text(g, node) + "' has no value: " + to_text(g, n.a) + " is " +
                to_text(at.value(n.a)) + where(n.a),
            n.a};
  return {};
}

std::vector<std::string> unknowns_of(const Graph& g, NodeId node) {
  std::vector<std::string> names;
  const Incidence i = incidence(g, std::span(&node, 1));
  for (const Input& in : i.inputs) {
    if (in.kind != InputKind::state && in.kind != InputKind::algebraic) continue;
    const std::string name = g.variable_name(in.kind, in.index);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

}  // namespace

std::vector<Diagnostic> without_value_at_start(const CheckedModel& m, double t) {
  constexpr std::size_t most = 20;
  const Graph& g = m.definition->graph();
  const AtStart at(*m.definition, t);
  // All at once: there may be many.
  std::vector<const Equation*> scalars, equations;
  std::vector<NodeId> rows, residuals;
  for (const Equation& q : m.definition->equations()) {
    if (q.count != 1 || g.is_array(q.residual)) continue;
    scalars.push_back(&q);
    rows.push_back(q.residual);
  }
  const Incidence inputs = incidence(g, rows);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (!can_be_evaluated(inputs.row(k))) continue;
    equations.push_back(scalars[k]);
    residuals.push_back(rows[k]);
  }
  const std::vector<double> values = at.values(residuals);
  std::vector<Diagnostic> all;
  for (std::size_t k = 0; k < equations.size() && all.size() < most; ++k) {
    if (std::isfinite(values[k])) continue;
    const Equation& q = *equations[k];
    const Blame why = blame(g, q.residual, at);
    std::vector<std::string> starts;
    for (const std::string& name : unknowns_of(g, why.source == none ? q.residual : why.source)) {
      if (starts.size() == 3) break;
      starts.push_back(variable_text(m, name));
    }
    all.push_back(
        found(m, place_of(m.read.equations, q.name),
              "equation '" + q.name + "' has no value at the start, t = " + to_text(t) +
                  (why.text.empty() ? "" : ": " + why.text) + "; " +
                  (starts.empty()       ? "give other values to parameters"
                   : starts.size() == 1 ? "give another start value to " + starts[0]
                                        : "give other start values to " + enumerated(starts)) +
                  ", or write the equation so that it has a value there"));
  }
  return all;
}

std::vector<Diagnostic> contradicting_starts(const CheckedModel& m, const RunReport& start,
                                             const RunOptions& options,
                                             const ModelAnalysis& analysis) {
  const Graph& g = m.definition->graph();
  constexpr std::string_view prefix = "start value of ";
  std::vector<std::string> names, changes;
  for (const DecisionRecord& c : start.choices) {
    if (!c.name.starts_with(prefix) || c.given.empty()) continue;
    const std::string name = c.name.substr(prefix.size());
    const Variable* v = m.definition->find(name);
    if (v == nullptr || !v->start_of(0)) continue;
    const auto given = read_double(c.given), used = read_double(c.used);
    if (!given || !used) continue;
    // What the tolerances of a run do not tell apart is the same value.
    if (std::abs(*given - *used) <=
        options.rtol * std::abs(*given) + options.atol * v->attributes.nominal)
      continue;
    names.push_back(name);
    changes.push_back(variable_text(m, name) + " from " + short_text(*used) + " instead of " +
                      c.given);
  }
  if (names.empty()) return {};
  // Which equation it is, if one alone is not satisfied by what was stated.
  std::string because;
  const AtStart at(*m.definition, options.t_begin);
  for (const Equation& q : m.definition->equations()) {
    if (q.count != 1 || g.is_array(q.residual) || !can_be_evaluated(g, q.residual)) continue;
    const Incidence i = incidence(g, std::span(&q.residual, 1));
    const bool is_stated = std::all_of(i.inputs.begin(), i.inputs.end(), [&](const Input& in) {
      if (in.order > 0 || in.kind == InputKind::discrete) return false;
      if (in.kind != InputKind::state && in.kind != InputKind::algebraic) return true;
      const Variable* v = m.definition->find(g.variable_name(in.kind, in.index));
      return v != nullptr && v->start_of(in.index - v->first).has_value();
    });
    if (!is_stated) continue;
    const double left = at.value(q.left), right = at.value(q.right);
    if (std::abs(left - right) <=
        options.rtol * std::max(std::abs(left), std::abs(right)) + options.atol)
      continue;
    because += (because.empty() ? "" : "; ") + equation_text(m, q.name) +
               " does not hold for them (it says " + short_text(left) + " = " + short_text(right) +
               ")";
  }
  if (because.empty() && !analysis.modes.empty()) {
    const ModeAnalysis& mode = analysis.modes[0];
    for (const HiddenConstraint& h : mode.hidden_constraints) {
      because = "derivatives of " + equation_text(m, mode.structure.equations[h.equation]) +
                " have to hold as well";
      break;
    }
  }
  std::string cure = "state consistent values, or let Saltus find some of them: 'fixed = false'";
  if (!analysis.modes.empty() && !analysis.modes[0].structure.is_singular())
    cure += " (this model has " + std::to_string(analysis.modes[0].structure.degrees_of_freedom()) +
            (analysis.modes[0].structure.degrees_of_freedom() == 1 ? " value" : " values") +
            " to be stated)";
  return {found(m, place_of(m.read.variables, names[0]),
                "the start values contradict each other" + (because.empty() ? "" : ": " + because) +
                    "; a run would begin with " + enumerated(changes) + ". " +
                    std::string(1, static_cast<char>(std::toupper(cure[0]))) + cure.substr(1))};
}

std::vector<Diagnostic> outside_of_range(const CheckedModel& m, const Solution& start, double t) {
  std::vector<Diagnostic> all;
  for (const Variable& v : m.definition->variables()) {
    if (v.hidden || v.is_array || v.kind == InputKind::parameter || v.kind == InputKind::signal)
      continue;
    const double low = v.attributes.min, high = v.attributes.max;
    if (!std::isfinite(low) && !std::isfinite(high)) continue;
    double value = 0.0;
    try {
      value = start.at(v.name, t);
    } catch (const Error&) {
      continue;  // not recorded
    }
    const double rounding = 1e-9 * v.attributes.nominal;
    if (!(value < low - rounding) && !(value > high + rounding)) continue;
    std::string range = !std::isfinite(low)    ? "at most " + to_text(high)
                        : !std::isfinite(high) ? "at least " + to_text(low)
                                               : "from " + to_text(low) + " to " + to_text(high);
    std::vector<std::string> from;
    for (const Equation& q : m.definition->equations()) {
      const auto names = unknowns_of(m.definition->graph(), q.residual);
      if (std::find(names.begin(), names.end(), v.name) != names.end() && from.size() < 3)
        from.push_back(equation_text(m, q.name));
    }
    all.push_back(found(
        m, place_of(m.read.variables, v.name),
        "'" + v.name + "' starts at " + short_text(value) + ", but its range (min, max) is " +
            range + (from.empty() ? "" : "; its value follows from " + enumerated(from)) +
            ": change start values or parameters, or widen the range if such values are intended"));
  }
  return all;
}

std::vector<Diagnostic> without_sliding(const CheckedModel& m, const RunOptions& options) {
  if (options.events.surface != SurfacePolicy::cross) return {};
  const Graph& g = m.definition->graph();
  // Does the solution slide from the start, if it may?
  RunOptions sliding = options;
  sliding.events.surface = SurfacePolicy::slide;
  sliding.limits.max_steps = 1;
  sliding.sensitivities.clear();
  std::string surface;
  for (const DecisionRecord& c : simulate(m.definition, sliding).report.choices)
    if (c.name == "start on a surface") surface = c.used;
  std::vector<std::string> texts;
  const TextPlace* place = nullptr;
  for (const Equation& q : m.definition->equations()) {
    const auto conditions = branch_conditions(g, std::span(&q.residual, 1));
    if (conditions.empty()) continue;
    if (place == nullptr) place = place_of(m.read.equations, q.name);
    if (texts.size() < 5) texts.push_back(equation_text(m, q.name));
  }
  if (texts.empty()) return {};
  constexpr const char* cure =
      "leave 'events.surface' at 'slide', which finds the motion on the surface, or give the model "
      "a "
      "hysteresis";
  if (!surface.empty())
    return {found(m, place,
                  "at t = " + to_text(options.t_begin) + " both branches of " + enumerated(texts) +
                      " lead back to where they change (" + surface +
                      "), and sliding is turned off (events.surface = cross): the run would switch "
                      "without end; " +
                      cure)};
  return {found(m, place,
                "sliding is turned off (events.surface = cross), and " + enumerated(texts) +
                    (texts.size() == 1 ? " changes" : " change") +
                    " at events: where both branches lead back to the change, a run will fail "
                    "because it switches without end; that cannot be seen before it runs. If it "
                    "happens, " +
                    cure,
                DiagnosticKind::warning)};
}

std::string note_of_index(const CheckedModel& m, const ModelAnalysis& analysis) {
  std::string text;
  for (const ModeAnalysis& mode : analysis.modes) {
    const StructuralAnalysis& s = mode.structure;
    if (s.is_singular() || s.index() < 2) continue;
    std::vector<std::string> parts;
    for (const DifferentiatedEquation& d : s.differentiated) {
      if (parts.size() == 6) {
        parts.push_back(std::to_string(s.differentiated.size() - 6) + " more");
        break;
      }
      parts.push_back(equation_text(m, s.equations[d.equation]) + " " +
                      (d.times == 1   ? "once"
                       : d.times == 2 ? "twice"
                                      : std::to_string(d.times) + " times"));
    }
    text += "Index " + std::to_string(s.index()) +
            (mode.mode.empty() ? "" : " of '" + mode.mode + "'") +
            " is not a mistake: Saltus differentiates " + enumerated(parts) +
            ", and solves the equations as they are written. You need not change anything; " +
            std::to_string(s.degrees_of_freedom()) +
            (s.degrees_of_freedom() == 1 ? " start value" : " start values") +
            " can be stated (fixed = true), and Saltus finds the others.\n";
  }
  return text;
}

}  // namespace saltus::app
