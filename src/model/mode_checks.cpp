#include "model/mode_checks.hpp"

#include <saltus/core/error.hpp>
#include <saltus/expr/transplant.hpp>

#include "model/mode_unknowns.hpp"

namespace saltus::detail {

namespace {

class ModeChecks {
 public:
  explicit ModeChecks(const ModelDefinition& model)
      : model_(model), g_(model.graph()), reach_(model.graph()) {
    for (ModeId mode = 0; mode < model.modes().size(); ++mode)
      unknowns_.push_back(unknowns_of_mode(model, mode));
  }

  void operator()() {
    check_existence();
    for (ModeId mode = 0; mode < model_.modes().size(); ++mode) {
      check_arrays(mode);
      check_conditions_of_equations(mode);
      check_requirements(mode);
    }
    for (const Transition& t : model_.transitions()) {
      check_guard(t);
      check_starts(t);
      check_equations(t);
      check_conserved(t);
    }
  }

 private:
  std::string who() const { return "model '" + model_.name() + "'"; }
  std::string who(ModeId mode) const { return who() + ", " + named(mode); }
  std::string who(const Transition& t) const {
    return who() + ", transition '" + t.name + "' out of " + named(t.from);
  }
  std::string named(ModeId mode) const { return "mode '" + model_.modes()[mode].name + "'"; }

  void check_existence() {
    for (const Variable& v : model_.variables()) {
      if (!is_unknown_kind(v.kind)) continue;
      const bool anywhere = std::ranges::any_of(
          unknowns_, [&](const ModeUnknowns& mode) { return has_any(mode, v); });
      if (!anywhere)
        throw ModelError(who() + ": '" + v.name + "' occurs in no equation of any mode");
    }
    const auto exists = [&](const auto& what) {
      return std::ranges::any_of(
          unknowns_, [&](const ModeUnknowns& mode) { return exists_in(mode, what, reach_); });
    };
    for (const NamedExpression& o : model_.outputs())
      if (!exists(o))
        throw ModelError(who() + ": no mode has all variables of output '" + o.name + "'");
    for (const WhenClause& w : model_.when_clauses())
      if (!exists(w))
        throw ModelError(who() + ": no mode has all variables of when-clause '" + w.name + "'");
  }

  static bool has_any(const ModeUnknowns& mode, const Variable& v) {
    for (std::uint32_t j = 0; j < v.count; ++j)
      if (mode.has({v.kind, v.first + j, 0})) return true;
    return false;
  }

  void check_arrays(ModeId mode) const {
    for (const Variable& v : model_.variables()) {
      if (!is_unknown_kind(v.kind) || !v.is_array || !has_any(unknowns_[mode], v)) continue;
      for (std::uint32_t j = 0; j < v.count; ++j) {
        const Input element{v.kind, v.first + j, 0};
        if (!unknowns_[mode].has(element))
          throw ModelError(who(mode) + ": '" + input_text(g_, element) +
                           "' occurs in no equation, but other elements of '" + v.name +
                           "' do: an array exists as a whole");
      }
    }
  }

  /// The first unknown that is read, now or before, and is not there.
  const Input* absent(const ModeUnknowns& mode) const {
    for (const InputId id : reach_.inputs()) {
      const Input& variable = variable_behind(g_, g_.input(id));
      if (!mode.has_derivative(variable)) return &variable;
    }
    return nullptr;
  }

  void check_conditions_of_equations(ModeId mode) {
    reach_.clear();
    for (const Equation& q : model_.equations())
      if (holds_in(q, mode)) reach_.add_value(q.residual);
    if (absent(unknowns_[mode]) == nullptr) return;
    for (const Equation& q : model_.equations()) {
      if (!holds_in(q, mode)) continue;
      reach_.clear();
      reach_.add_value(q.residual);
      if (const Input* in = absent(unknowns_[mode]))
        throw ModelError(who(mode) + ", equation '" + q.name + "': a condition reads '" +
                         input_text(g_, *in) + "', which occurs in no equation of this mode");
    }
  }

  /// A condition of a mode, of values as they are.
  void check_condition(ModeId mode, Literal condition, const std::string& where) {
    reach_.clear();
    reach_.add_condition(condition_of(condition));
    if (const Input* in = absent(unknowns_[mode]))
      throw ModelError(where + " reads '" + input_text(g_, *in) +
                       "', which occurs in no equation of " + named(mode));
    for (const InputId id : reach_.inputs()) {
      const Input& in = g_.input(id);
      if (in.kind == InputKind::previous && is_unknown_kind(variable_behind(g_, in).kind))
        throw ModelError(where + " reads " + g_.input_name(id) +
                         ": the value of a continuous variable before an event has a meaning in "
                         "when-clauses, maps and equations between limits only");
    }
  }

  void check_requirements(ModeId mode) {
    for (const Literal l : model_.modes()[mode].requirements)
      check_condition(mode, l, who(mode) + ": requirement '" + condition_text(g_, l) + "'");
  }

  void check_guard(const Transition& t) {
    check_condition(t.from, t.guard, who(t) + ": its guard");
  }

  void check_starts(const Transition& t) {
    for (const Assignment& a : t.maps) {
      check_target(t, a.target, "maps");
      reach_.clear();
      reach_.add_value(a.value);
      if (const Input* in = absent(unknowns_[t.from]))
        throw ModelError(who(t) + ": the value of '" + input_text(g_, a.target) + "' reads '" +
                         input_text(g_, *in) + "', which occurs in no equation of " +
                         named(t.from));
    }
    for (const Input& in : t.free) check_target(t, in, "frees");
  }

  void check_target(const Transition& t, const Input& target, const std::string& does) const {
    for (const ModeId to : t.candidates)
      if (!unknowns_[to].is_own_unknown(target))
        throw ModelError(who(t) + " " + does + " '" + input_text(g_, target) +
                         "', which is not an unknown of " + named(to));
  }

  void check_equations(const Transition& t) {
    for (const Equation& q : t.equations) {
      const std::string where = who(t) + ", equation '" + q.name + "'";
      reach_.clear();
      reach_.add_value(q.residual);
      for (const InputId id : reach_.inputs()) {
        const Input& in = g_.input(id);
        if (in.kind == InputKind::previous) {
          if (!unknowns_[t.from].has(variable_behind(g_, in)))
            throw ModelError(where + " reads " + g_.input_name(id) + ", but " + named(t.from) +
                             " has no such unknown");
          continue;
        }
        if (!is_unknown_kind(in.kind)) continue;
        for (const ModeId to : t.candidates)
          if (!unknowns_[to].is_own_unknown(in))
            throw ModelError(where + " reads '" + g_.input_name(id) +
                             "', which is not an unknown of " + named(to));
      }
      const Incidence lanes = incidence(g_, std::span(&q.residual, 1));
      for (std::size_t lane = 0; lane < lanes.n_rows(); ++lane) {
        const bool determines = std::ranges::any_of(lanes.row(lane), [&](const Input& in) {
          return std::ranges::find(t.free, in) != t.free.end();
        });
        if (!determines) throw ModelError(where + " contains none of the free unknowns");
      }
    }
  }

  /// A scalar variable or output that exists on both sides.
  void check_conserved(const Transition& t) {
    for (const std::string& name : t.conserved) {
      const auto is_it = [&](const NamedExpression& o) { return o.name == name && !o.is_array; };
      const auto output = std::ranges::find_if(model_.outputs(), is_it);
      const Variable* variable = model_.find(name);
      reach_.clear();
      if (output != model_.outputs().end()) {
        reach_.add_value(output->node);
      } else if (variable == nullptr || variable->is_array || !is_unknown_kind(variable->kind)) {
        throw ModelError(who(t) + ": '" + name +
                         "' is declared as conserved, but is neither an output nor a single "
                         "unknown: make it an output");
      } else {
        check_conserved_in(t, t.from, name, {variable->kind, variable->first, 0});
        for (const ModeId to : t.candidates)
          check_conserved_in(t, to, name, {variable->kind, variable->first, 0});
      }
      for (const InputId id : reach_.inputs()) {
        const Input in = variable_behind(g_, g_.input(id));
        check_conserved_in(t, t.from, name, in);
        for (const ModeId to : t.candidates) check_conserved_in(t, to, name, in);
      }
    }
  }

  void check_conserved_in(const Transition& t, ModeId mode, const std::string& name,
                          const Input& in) const {
    if (unknowns_[mode].has(in)) return;
    throw ModelError(who(t) + ": '" + name + "' is declared as conserved, but does not exist in " +
                     named(mode) + ", which has no '" + g_.variable_name(in.kind, in.index) + "'");
  }

  const ModelDefinition& model_;
  const Graph& g_;
  Reach reach_;
  std::vector<ModeUnknowns> unknowns_;
};

}  // namespace

void check_modes(const ModelDefinition& model) { ModeChecks{model}(); }

}  // namespace saltus::detail
