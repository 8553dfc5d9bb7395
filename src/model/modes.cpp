// Modes and the transitions between them.
#include <algorithm>

#include <saltus/core/error.hpp>
#include <saltus/model/model.hpp>

namespace saltus {

ModeId Model::mode(const std::string& name) {
  for (const Mode& m : parts_.modes_)
    if (m.name == name) throw ModelError("mode '" + name + "' is declared twice");
  parts_.modes_.push_back({name, {}});
  return static_cast<ModeId>(parts_.modes_.size() - 1);
}

void Model::check_mode(ModeId mode) const {
  if (mode >= parts_.modes_.size()) throw ModelError("there is no mode " + std::to_string(mode));
}

void Model::start_in(ModeId mode) {
  check_mode(mode);
  parts_.first_mode_ = mode;
}

void Model::equation(ModeId mode, const Equality& sides) { equation(mode, "", sides); }

void Model::equation(ModeId mode, const std::string& name, const Equality& sides) {
  check_mode(mode);
  add_equation(name, sides, mode);
}

void Model::require(ModeId mode, const Cond& condition) {
  check_mode(mode);
  parts_.modes_[mode].requirements.push_back(condition.literal());
}

void Model::transition(const std::string& name, ModeId from, ModeId to, const Cond& guard,
                       TransitionOptions options) {
  transition(name, from, std::vector<ModeId>{to}, guard, std::move(options));
}

void Model::transition(const std::string& name, ModeId from, std::vector<ModeId> candidates,
                       const Cond& guard, TransitionOptions options) {
  check_mode(from);
  for (const ModeId to : candidates) check_mode(to);
  Transition t;
  t.name = name;
  t.from = from;
  t.candidates = std::move(candidates);
  t.guard = guard.literal();
  t.priority = options.priority;
  t.restart = options.restart;
  t.at_accumulation = options.at_accumulation;
  t.conserved = std::move(options.conserved);
  const std::string where = "transition '" + name + "'";
  for (const NewValue& s : options.maps)
    t.maps.push_back({target_of(s.variable, where, true), s.value.in(graph_)});
  for (const Expr& v : options.free) t.free.push_back(target_of(v, where, true));
  for (const Equality& sides : options.equations) t.equations.push_back(as_equation("", sides));
  parts_.transitions_.push_back(std::move(t));
}

}  // namespace saltus
