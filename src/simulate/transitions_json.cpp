#include "simulate/transitions_json.hpp"

namespace saltus::detail {

namespace {

std::string_view name_of_start(UnknownStart start) {
  switch (start) {
    case UnknownStart::held:
      return "held";
    case UnknownStart::mapped:
      return "mapped";
    case UnknownStart::free:
      return "free";
    case UnknownStart::fresh:
      break;
  }
  return "fresh";
}

void put_unknown_changes(JsonWriter& json, const TransitionAnalysis& t) {
  json.key("unknowns");
  json.open_array();
  for (const UnknownChange& u : t.unknowns) {
    json.open_object();
    json.member("name", u.name);
    json.member("before", to_text(u.before));
    json.member("after", to_text(u.after));
    json.key("start");
    if (u.start) {
      json.value(name_of_start(*u.start));
    } else {
      json.null();
    }
    json.member("has_history", u.has_history);
    json.member("can_jump", u.can_jump);
    json.member("can_be_impulsive", u.can_be_impulsive);
    json.close_object();
  }
  json.close_array();
}

void put_transition(JsonWriter& json, const TransitionAnalysis& t) {
  json.open_object();
  json.member("name", t.name);
  json.member("from", t.from);
  json.member("to", t.to);
  json.member("guard", t.guard);
  json.member("priority", static_cast<double>(t.priority));
  json.member("one_of_several", t.one_of_several);
  json.member("at_accumulation", t.at_accumulation);
  json.member("at_sliding", t.at_sliding);
  json.member("compared", t.compared);
  json.member("by_structure", t.by_structure);
  json.key("change");
  if (t.change) {
    json.open_object();
    json.member("d", static_cast<double>(t.change->d));
    json.member("a", static_cast<double>(t.change->a));
    json.member("u", static_cast<double>(t.change->u));
    json.member("case", static_cast<double>(t.change->number()));
    json.close_object();
  } else {
    json.null();
  }
  put_unknown_changes(json, t);
  json.member("impulses_possible", t.impulses_possible);
  json.member("can_be_continuous", t.can_be_continuous);
  json.member("unique", t.unique);
  json.member("n_missing_equations", static_cast<double>(t.n_missing_equations));
  json.key("remarks");
  json.open_array();
  for (const std::string& remark : t.remarks) json.value(std::string_view(remark));
  json.close_array();
  json.close_object();
}

}  // namespace

void put_transitions(JsonWriter& json, const std::vector<TransitionAnalysis>& transitions) {
  json.key("transitions");
  json.open_array();
  for (const TransitionAnalysis& t : transitions) put_transition(json, t);
  json.close_array();
}

}  // namespace saltus::detail
