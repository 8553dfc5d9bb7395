// What analyze() predicts of a transition beside what happens in a run.
#pragma once

#include <cmath>
#include <set>
#include <string>

#include <saltus/saltus.hpp>

#include "problems/class_changes.hpp"

namespace saltus::problems {

struct ClassChangeRun {
  int number = 0;                         // as recognised; 0: not at all
  std::set<std::string> may_jump, jumps;  // predicted, and in the run
  std::set<std::string> may_be_impulsive, impulsive;
  bool ran = false;
  std::string message;

  bool prediction_right() const { return may_jump == jumps && may_be_impulsive == impulsive; }
};

inline ClassChangeRun run_class_change(const ClassChange& c, EngineKind engine, double tolerance) {
  ClassChangeRun result;
  Model m("class change " + std::to_string(c.number));
  write_class_change(m, c);
  const auto definition = m.build();
  const ModelAnalysis analysis = analyze(definition);
  if (analysis.transitions.size() == 1) {
    const TransitionAnalysis& t = analysis.transitions[0];
    if (t.change) result.number = t.change->number();
    for (const UnknownChange& u : t.unknowns) {
      if (u.can_jump) result.may_jump.insert(u.name);
      if (u.can_be_impulsive) result.may_be_impulsive.insert(u.name);
    }
  }
  RunOptions o;
  o.rtol = o.atol = tolerance;
  o.engine = engine;
  Solution s;
  try {
    s = simulate(definition, o);
  } catch (const Error& refused) {
    result.message = refused.what();
    return result;
  }
  result.ran = s.ok() && s.instants().size() == 1;
  result.message = s.report.message;
  if (!result.ran) return result;
  const EventInstant& instant = s.instants()[0];
  const auto variables = s.trajectory.variables();
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const auto exists = [i](const std::vector<std::uint8_t>& flags) {
      return flags.empty() || flags[i] != 0;
    };
    if (!exists(instant.minus_present) || !exists(instant.plus_present)) continue;
    // Far more than what consistency changes within the tolerance.
    if (std::abs(instant.x_plus[i] - instant.x_minus[i]) > 1e4 * tolerance) {
      result.jumps.insert(variables[i].name);
    }
  }
  for (const ImpulseRecord& i : instant.impulses) result.impulsive.insert(i.variable);
  return result;
}

}  // namespace saltus::problems
