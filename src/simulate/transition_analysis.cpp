#include "simulate/transition_analysis.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include <saltus/expr/incidence.hpp>
#include <saltus/expr/switches.hpp>
#include <saltus/expr/text.hpp>

#include "simulate/report_text.hpp"
#include "simulate/unknown_classes.hpp"

namespace saltus {

namespace {

constexpr std::uint32_t all_levels = EntryKnowledge::all_derivatives;

std::string unknown_name_of(const ModelDefinition& model, const Input& in) {
  std::string name = model.graph().variable_name(in.kind, in.index);
  for (std::uint32_t k = 0; k < in.order; ++k) name = "der(" + name + ")";
  return name;
}

bool contains(const std::unordered_set<std::string>& set, const std::string& name) {
  return set.find(name) != set.end();
}

class TransitionComparison {
 public:
  TransitionComparison(const ModelDefinition& model, const Transition& transition,
                       const AnalysedMode& before, const AnalysedMode& after,
                       TransitionAnalysis& result)
      : model_(model), transition_(transition), before_(before), after_(after), result_(result) {
    for (std::size_t i = 0; i < before.analysis.unknowns.size(); ++i)
      number_before_.emplace(before.analysis.unknowns[i].name, i);
    for (const Assignment& map : transition.maps) {
      mapped_.insert(unknown_name_of(model, map.target));
      touched_.push_back(map.target);
    }
    for (const Input& in : transition.free) {
      free_.insert(unknown_name_of(model, in));
      touched_.push_back(in);
    }
  }

  void run() {
    result_.compared = true;
    result_.by_structure = !before_.content || !after_.content;
    const std::vector<std::uint32_t> holds = levels_that_hold();
    start_list();
    predict_jumps(holds);
    add_absent_after();
    count_equations();
    compare_values();
    judge();
  }

 private:
  // ---- what holds before -------------------------------------------------------------------------------

  /// How many derivatives of a row (itself included) still hold when the transition has set what it sets.
  std::uint32_t untouched_levels(std::span<const Input> row) const {
    std::uint32_t levels = all_levels;
    for (const Input& in : row)
      for (const Input& set : touched_) {
        if (set.kind != in.kind || set.index != in.index) continue;
        levels = std::min(levels, set.order > in.order ? set.order - in.order : 0);
      }
    return levels;
  }

  bool guard_tests(const Equation& q) const {
    const Graph& g = model_.graph();
    const Condition& c = g.condition(condition_of(transition_.guard));
    if (c.kind != Condition::Kind::relation || q.count != 1) return false;
    const Relation& r = g.relation(c.a);
    return r.g == q.residual || (r.left == q.left && r.right == q.right) ||
           (r.left == q.right && r.right == q.left);
  }

  /// Equations of both modes hold, those with branches apart: the instant may have chosen another one.
  std::vector<std::uint32_t> levels_that_hold() {
    const Graph& g = model_.graph();
    std::unordered_set<NodeId> of_before;
    for (const Equation& q : model_.equations())
      if (q.mode == none || q.mode == before_.mode) of_before.insert(q.residual);
    std::vector<std::uint32_t> holds;
    for (const Equation& q : model_.equations()) {
      if (q.mode != none && q.mode != after_.mode) continue;
      std::uint32_t levels = 0;
      if (of_before.contains(q.residual) && branch_conditions(g, std::vector{q.residual}).empty()) {
        levels = all_levels;
      } else if (guard_tests(q)) {
        levels = 1;
        tested_ = {holds.size(), report_text::short_name(q.name)};
      }
      const Incidence rows = incidence(g, std::vector{q.residual});
      for (std::uint32_t lane = 0; lane < q.count; ++lane)
        holds.push_back(std::min(levels, levels == 0 ? 0 : untouched_levels(rows.row(lane))));
    }
    for (const std::vector<std::string>& names : after_.definitions) {
      const bool same = std::ranges::all_of(names, [&](const std::string& name) {
        return number_before_.contains(name) && !contains(mapped_, name) && !contains(free_, name);
      });
      holds.push_back(same ? all_levels : 0);
    }
    return holds;
  }

  // ---- unknowns ----------------------------------------------------------------------------------------

  void start_list() {
    for (const ClassifiedUnknown& unknown : after_.analysis.unknowns) {
      UnknownChange change;
      change.name = unknown.name;
      change.after = unknown.what;
      const auto found = number_before_.find(unknown.name);
      if (found == number_before_.end()) {
        change.start = UnknownStart::fresh;
      } else {
        const ClassifiedUnknown& was = before_.analysis.unknowns[found->second];
        change.before = was.what;
        change.start = UnknownStart::held;
        // Policy impulse takes the whole of the left limit for a history.
        const bool counts = was.carries_derivative || transition_.restart == RestartPolicy::impulse;
        change.has_history =
            counts && !contains(free_, unknown.name) && !contains(mapped_, unknown.name);
      }
      if (contains(free_, unknown.name)) change.start = UnknownStart::free;
      if (contains(mapped_, unknown.name)) change.start = UnknownStart::mapped;
      result_.unknowns.push_back(std::move(change));
    }
  }

  /// Where some unknowns are free, those that are not and that are differentiated in the new mode stay.
  bool is_fixed(std::size_t i) const {
    const UnknownChange& u = result_.unknowns[i];
    const bool some_free = !transition_.free.empty() || !transition_.equations.empty();
    return some_free && after_.analysis.unknowns[i].carries_derivative &&
           (u.start == UnknownStart::held || u.start == UnknownStart::mapped);
  }

  bool is_nearest() const { return transition_.restart == RestartPolicy::least_squares; }

  /// What is left where events accumulate is too small to count.
  bool acts_by_impulses(std::size_t i) const {
    return result_.unknowns[i].has_history && !is_fixed(i) && !transition_.at_accumulation &&
           !is_nearest();
  }

  void tell_what_the_guard_saves(EntryKnowledge known, const EntryEffects& effects) {
    // Where the solution slides, it is on the surface.
    if (!tested_ || known.holds[tested_->row] == 0 || transition_.at_sliding) return;
    known.holds[tested_->row] = 0;
    if (after_.content->entered(known).can_jump == effects.can_jump) return;
    result_.remarks.push_back("where the guard becomes true, '" + tested_->name +
                              "' holds; if it is true on entry already, more may jump");
  }

  void predict_jumps(const std::vector<std::uint32_t>& holds) {
    std::vector<UnknownChange>& unknowns = result_.unknowns;
    EntryEffects effects;
    if (after_.content) {
      EntryKnowledge known{holds, {}, is_nearest()};
      for (std::size_t i = 0; i < unknowns.size(); ++i)
        known.history.push_back(acts_by_impulses(i) ? 1 : 0);
      effects = after_.content->entered(known);
      tell_what_the_guard_saves(std::move(known), effects);
    } else {
      effects.can_jump = constrained_by_structure(after_.analysis.structure, holds);
      effects.can_jump.resize(unknowns.size(), 0);
      for (std::size_t i = 0; i < unknowns.size(); ++i)
        if (unknowns[i].after == UnknownClass::algebraic) effects.can_jump[i] = 1;
      effects.can_be_impulsive.assign(unknowns.size(), 0);
    }
    for (std::size_t i = 0; i < unknowns.size(); ++i) {
      UnknownChange& u = unknowns[i];
      u.can_be_impulsive = effects.can_be_impulsive[i] != 0;
      if (u.before == UnknownClass::absent) continue;
      const bool is_set = u.start == UnknownStart::mapped || u.start == UnknownStart::free;
      const bool moved = effects.can_jump[i] != 0 && !is_fixed(i);
      u.can_jump = is_set || moved;
      if (acts_by_impulses(i) && moved && after_.analysis.unknowns[i].carries_derivative)
        result_.impulses_possible = true;
      if (is_fixed(i) && u.after == UnknownClass::algebraic && effects.can_jump[i] != 0)
        result_.remarks.push_back("'" + u.name + "' is not free, but constraints of mode '" +
                                  result_.to + "' dictate it: they contradict each other unless " +
                                  "its value before is right");
    }
  }

  void add_absent_after() {
    std::unordered_set<std::string> present;
    for (const ClassifiedUnknown& u : after_.analysis.unknowns) present.insert(u.name);
    for (const ClassifiedUnknown& u : before_.analysis.unknowns) {
      if (contains(present, u.name)) continue;
      UnknownChange change;
      change.name = u.name;
      change.before = u.what;
      result_.unknowns.push_back(std::move(change));
    }
  }

  // ---- counts ------------------------------------------------------------------------------------------

  void count_equations() {
    if (transition_.free.empty() || !after_.content) return;
    std::vector<std::uint8_t> flags;
    for (const ClassifiedUnknown& u : after_.analysis.unknowns)
      flags.push_back(contains(free_, u.name) ? 1 : 0);
    const std::uint32_t open = after_.content->n_left_open(flags);
    std::uint32_t given = 0;
    for (const Equation& q : transition_.equations) given += q.count;
    result_.n_missing_equations = static_cast<int>(open) - static_cast<int>(given);
    const int missing = result_.n_missing_equations;
    if (missing == 0) return;
    const auto count = static_cast<std::size_t>(missing > 0 ? missing : -missing);
    result_.remarks.push_back(
        report_text::counted(count, "equation") + (missing > 0 ? " missing" : " too many") +
        ": the unknowns that are free leave " + report_text::counted(open, "degree of freedom") +
        " of mode '" + result_.to + "' open, " + report_text::counted(given, "equation") +
        " between both limits" + (given == 1 ? " is" : " are") + " given");
  }

  struct Counts {
    int d = 0, a = 0;
  };
  static std::optional<Counts> counts_of(const ModeAnalysis& m) {
    if (m.values) return Counts{static_cast<int>(m.values->d), static_cast<int>(m.values->a)};
    if (m.structure.is_singular()) return std::nullopt;
    const auto d = static_cast<int>(m.structure.degrees_of_freedom());
    return Counts{d, static_cast<int>(m.unknowns.size()) - d};
  }

  void compare_values() {
    const auto before = counts_of(before_.analysis), after = counts_of(after_.analysis);
    if (!before || !after) return;
    CharacteristicChange change{after->d - before->d, after->a - before->a, 0};
    change.u = -change.d - change.a;
    result_.change = change;
  }

  void judge() {
    result_.can_be_continuous = true;
    for (const UnknownChange& u : result_.unknowns) {
      const bool kept =
          u.before == UnknownClass::differential || u.before == UnknownClass::undetermined;
      if (kept && u.after != UnknownClass::absent && u.can_jump) result_.can_be_continuous = false;
      if (u.start == UnknownStart::mapped && u.after == UnknownClass::algebraic)
        result_.remarks.push_back("'" + u.name + "' is mapped, but the equations of mode '" +
                                  result_.to + "' decide it: the value is a guess");
    }
    const ModeAnalysis& m = after_.analysis;
    const bool determined = m.values ? m.values->u == 0 : !m.structure.is_singular();
    result_.unique = determined && result_.n_missing_equations <= 0;
  }

  const ModelDefinition& model_;
  const Transition& transition_;
  const AnalysedMode& before_;
  const AnalysedMode& after_;
  TransitionAnalysis& result_;
  std::unordered_map<std::string, std::size_t> number_before_;
  std::unordered_set<std::string> mapped_, free_;
  std::vector<Input> touched_;
  /// An equation of the new mode that the guard tests.
  struct TestedEquation {
    std::size_t row;
    std::string name;
  };
  std::optional<TestedEquation> tested_;
};

int sign_of_change(int change) { return change > 0 ? 1 : change < 0 ? -1 : 0; }

}  // namespace

int CharacteristicChange::number() const {
  constexpr int signs[13][3] = {{0, 0, 0},   {0, 1, -1},  {0, -1, 1},  {-1, 1, 0}, {-1, 0, 1},
                                {-1, 1, 1},  {-1, -1, 1}, {-1, 1, -1}, {1, -1, 0}, {1, 0, -1},
                                {1, -1, -1}, {1, -1, 1},  {1, 1, -1}};
  for (int k = 0; k < 13; ++k)
    if (signs[k][0] == sign_of_change(d) && signs[k][1] == sign_of_change(a) &&
        signs[k][2] == sign_of_change(u))
      return k + 1;
  return 0;
}

TransitionAnalysis analyze_transition(const ModelDefinition& model, const Transition& transition,
                                      std::size_t candidate, const AnalysedMode* before,
                                      const AnalysedMode* after) {
  TransitionAnalysis result;
  result.name = transition.name;
  result.from = model.modes()[transition.from].name;
  result.to = model.modes()[transition.candidates[candidate]].name;
  result.guard = condition_text(model.graph(), transition.guard);
  result.priority = transition.priority;
  result.one_of_several = transition.candidates.size() > 1;
  result.at_accumulation = transition.at_accumulation;
  result.at_sliding = transition.at_sliding;
  if (before && after) TransitionComparison(model, transition, *before, *after, result).run();
  return result;
}

}  // namespace saltus
