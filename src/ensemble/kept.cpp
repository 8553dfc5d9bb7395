#include <saltus/ensemble/kept.hpp>

#include <algorithm>
#include <optional>

#include <saltus/core/error.hpp>
#include <saltus/core/text.hpp>
#include <saltus/ensemble/measured.hpp>

namespace saltus {

namespace {

/// first(stop), last(stop)
struct EventMeant {
  std::string name;
  bool is_first;
};
std::optional<EventMeant> event_meant(const Solution& s, const std::string& variable) {
  if (s.trajectory.find(variable) || !variable.ends_with(')')) return std::nullopt;
  for (const bool is_first : {true, false}) {
    const std::string begin = is_first ? "first(" : "last(";
    if (variable.starts_with(begin))
      return EventMeant{variable.substr(begin.size(), variable.size() - begin.size() - 1),
                        is_first};
  }
  return std::nullopt;
}

/// absent: there is no such event, or how it moves is not known.
double slope_of_event(const Solution& s, const EventMeant& event, const std::string& parameter) {
  const std::vector<double> times = s.event_times(event.name);
  const auto& parameters = s.sensitivities.parameters();
  const auto place = std::ranges::find(parameters, parameter);
  if (times.empty() || place == parameters.end()) return absent;
  const double t = event.is_first ? times.front() : times.back();
  for (const EventTimeDerivative& e : s.event_time_derivatives(event.name))
    if (e.t == t) return e.derivatives[static_cast<std::size_t>(place - parameters.begin())];
  return absent;
}

}  // namespace

std::vector<std::string> Kept::columns() const {
  std::vector<std::string> names;
  for (const std::string& v : end) names.push_back(v + "(end)");
  for (const AtTime& a : at) names.push_back(a.variable + "(" + to_text(a.t) + ")");
  for (const std::string& e : counts) names.push_back("count(" + e + ")");
  for (const std::string& e : first) names.push_back("first(" + e + ")");
  for (const std::string& e : last) names.push_back("last(" + e + ")");
  for (const Slope& s : slopes) names.push_back(Sensitivities::column(s.variable, s.parameter));
  for (const Measure& m : where) names.push_back(m.name);
  return names;
}

void Kept::check(const Solution& begun, bool has_all_events) const {
  for (const std::string& v : end) (void)begun.trajectory.index_of(v);
  for (const AtTime& a : at) (void)begun.trajectory.index_of(a.variable);
  for (const Slope& d : slopes) {
    if (const auto event = event_meant(begun, d.variable)) {
      if (has_all_events) (void)begun.event_times(event->name);
    } else {
      (void)begun.trajectory.index_of(d.variable);
    }
  }
  for (const Measure& m : where)
    for (const Reduced& r : m.reduced)
      for (const MeasureInput& in : r.inputs)
        if (in.kind == MeasureInput::Kind::variable || in.kind == MeasureInput::Kind::derivative)
          (void)begun.trajectory.index_of(in.name);
  if (!has_all_events) return;
  for (const auto* events : {&counts, &first, &last})
    for (const std::string& e : *events) (void)begun.event_times(e);
}

std::vector<double> Kept::of(const Solution& s, const ModelDefinition& model) const {
  std::vector<double> values;
  for (const std::string& v : end)
    values.push_back(s.trajectory.at(s.trajectory.index_of(v), s.t_end()).value_or(absent));
  for (const AtTime& a : at) {
    // A run that ended before has no value there.
    const bool reached =
        a.t >= std::min(s.t_begin(), s.t_end()) && a.t <= std::max(s.t_begin(), s.t_end());
    const auto column = s.trajectory.index_of(a.variable);
    values.push_back(reached ? s.trajectory.at(column, a.t).value_or(absent) : absent);
  }
  for (const std::string& e : counts)
    values.push_back(static_cast<double>(s.event_times(e).size()));
  for (const bool is_first : {true, false}) {
    for (const std::string& e : is_first ? first : last) {
      const std::vector<double> times = s.event_times(e);
      values.push_back(times.empty() ? absent : is_first ? times.front() : times.back());
    }
  }
  for (const Slope& d : slopes) {
    if (const auto event = event_meant(s, d.variable))
      values.push_back(slope_of_event(s, *event, d.parameter));
    else
      values.push_back(s.sensitivities.ends() ? absent
                                              : s.sensitivity(d.variable, d.parameter, s.t_end()));
  }
  for (const Measure& m : where) {
    try {
      values.push_back(measured(m, s, model));
    } catch (const Error& e) {
      throw Error("where." + m.name + ": " + e.what());
    }
  }
  return values;
}

}  // namespace saltus
