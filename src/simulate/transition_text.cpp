#include "simulate/transition_text.hpp"

#include <algorithm>
#include <numeric>

#include <saltus/core/text.hpp>

#include "simulate/report_text.hpp"

namespace saltus {

namespace {

using report_text::counted;
using report_text::few_names;
using report_text::padded;
using report_text::wrapped;

std::string all_names(const std::vector<std::string>& names) {
  std::vector<std::uint32_t> all(names.size());
  std::iota(all.begin(), all.end(), 0U);
  return few_names(names, all, 12);
}

/// What happens to an unknown; empty if nothing that deserves a line.
std::string fate_of(const UnknownChange& u) {
  if (u.after == UnknownClass::absent) return "ends";
  if (u.before == UnknownClass::absent)
    return u.start == UnknownStart::mapped ? "begins where the transition sets it" : "begins";
  if (u.start == UnknownStart::mapped) return "set by the transition";
  if (u.start == UnknownStart::free) return "found by equations";
  const bool kept = u.before == UnknownClass::differential ||
                    u.before == UnknownClass::undetermined || u.has_history;
  if (kept && u.can_jump)
    return u.after == UnknownClass::algebraic ? "may jump: its value is dictated" : "may jump";
  if (u.before == u.after) return "";
  if (u.after == UnknownClass::undetermined) return "held at its last value";
  return u.can_jump ? "follows" : "continuous";
}

std::string with_sign(int change) {
  return change > 0 ? "+" + std::to_string(change) : std::to_string(change);
}

std::string change_text(const CharacteristicChange& c) {
  const std::string number = " (case " + std::to_string(c.number()) + ")";
  if (c.d == 0 && c.a == 0 && c.u == 0) return "as many of each class as before" + number;
  return "d " + with_sign(c.d) + ", a " + with_sign(c.a) + ", u " + with_sign(c.u) + number;
}

std::string impulses_text(const TransitionAnalysis& t) {
  if (!t.impulses_possible) return "none";
  std::vector<std::string> names;
  for (const UnknownChange& u : t.unknowns)
    if (u.can_be_impulsive) names.push_back(u.name);
  return names.empty() ? "possible" : "possible in " + all_names(names);
}

std::string uniqueness_text(const TransitionAnalysis& t) {
  if (t.unique) return "unique";
  if (t.n_missing_equations > 0)
    return "not unique: " + counted(static_cast<std::size_t>(t.n_missing_equations), "equation") +
           " missing";
  return "not unique: unknowns are undetermined";
}

std::string head_of(const TransitionAnalysis& t) {
  std::string text = "transition '" + t.name + "' from '" + t.from + "' to '" + t.to + "'";
  if (t.one_of_several) text += " (one of several candidates)";
  text += t.at_accumulation ? ", where events of " + t.guard + " accumulate"
          : t.at_sliding    ? ", where it would slide on the surface of " + t.guard
                            : ", when " + t.guard;
  if (t.priority != 0) text += ", priority " + std::to_string(t.priority);
  return text;
}

}  // namespace

std::string model_text(const ModelAnalysis& analysis) {
  std::size_t n_transitions = 0;
  for (std::size_t k = 0; k < analysis.transitions.size(); ++k) {
    const auto& ts = analysis.transitions;
    if (k == 0 || ts[k].name != ts[k - 1].name || ts[k].from != ts[k - 1].from) ++n_transitions;
  }
  std::string text = counted(analysis.mode_names.size(), "mode") + ", " +
                     counted(n_transitions, "transition") + ", " +
                     counted(analysis.n_unknowns, "unknown") + "\n";
  std::vector<std::vector<std::string>> rows;
  rows.push_back({"begins in", "'" + analysis.first_mode + "'"});
  rows.push_back({"regular", analysis.regular
                                 ? "yes, in every mode looked at"
                                 : "no: some mode is redundant, undetermined or not square"});
  rows.push_back({"largest index", std::to_string(analysis.largest_index) + " (strangeness index " +
                                       std::to_string(analysis.largest_mu) + ")"});
  if (!analysis.unreachable.empty())
    rows.push_back({"unreachable", all_names(analysis.unreachable)});
  if (!analysis.not_analysed.empty())
    rows.push_back({"not looked at", all_names(analysis.not_analysed)});
  return text + padded(rows, 2);
}

std::string classes_text(const ModeAnalysis& mode) {
  std::string text =
      mode.classes_by_structure ? "Classes of unknowns, by structure\n" : "Classes of unknowns\n";
  std::vector<std::vector<std::string>> rows;
  for (const auto what :
       {UnknownClass::differential, UnknownClass::algebraic, UnknownClass::undetermined}) {
    std::vector<std::string> names;
    for (const ClassifiedUnknown& u : mode.unknowns)
      if (u.what == what) names.push_back(u.name);
    if (!names.empty()) rows.push_back({to_text(what), all_names(names)});
  }
  return text + padded(rows, 2);
}

std::string transition_text(const TransitionAnalysis& t) {
  std::string text = wrapped(head_of(t), 0);
  std::vector<std::vector<std::string>> rows;
  std::size_t n_following = 0;
  for (const UnknownChange& u : t.unknowns) {
    const std::string fate = fate_of(u);
    if (!fate.empty()) {
      rows.push_back({"'" + u.name + "'", to_text(u.before), "->", to_text(u.after), fate});
    } else if (u.can_jump) {
      ++n_following;
    }
  }
  text += padded(rows, 2);
  if (n_following > 0)
    text += "  " + counted(n_following, "algebraic unknown") +
            (n_following == 1 ? " follows\n" : " follow\n");
  rows.clear();
  if (t.change) rows.push_back({"change", change_text(*t.change)});
  rows.push_back({"impulses", impulses_text(t)});
  rows.push_back({"continuous", t.can_be_continuous
                                    ? "yes, except for unknowns that follow from equations"
                                    : "not in general"});
  rows.push_back({"solution", uniqueness_text(t)});
  if (t.by_structure) rows.push_back({"certainty", "by structure, not by numbers"});
  text += padded(rows, 2);
  for (const std::string& remark : t.remarks) text += wrapped(remark, 2);
  return text;
}

}  // namespace saltus
