#include <saltus/trajectory/solution.hpp>

#include <algorithm>

#include <saltus/core/error.hpp>
#include <saltus/core/text.hpp>

#include "trajectory/where_else.hpp"

namespace saltus {

double Solution::final(std::string_view variable) const {
  const Trajectory& t = trajectory;
  if (t.n_rows() == 0 || t.times().back() != report.t_reached) {
    return t.at(variable, report.t_reached, t.backward() ? Side::right : Side::left);
  }
  const std::uint32_t v = t.index_of(variable);
  const std::uint32_t last = t.n_rows() - 1;
  if (!t.present_in_row(v, last)) {
    const std::string& mode = t.segments()[t.segment_of_row(last)].mode;
    throw Error("variable " + quote(variable) + " does not exist at the end of the run" +
                (mode.empty() ? "" : ", in mode " + quote(mode)) +
                ", t = " + to_text(report.t_reached) + detail::where_else(t, v, report.t_reached));
  }
  return t.row(last)[v];
}

std::vector<double> Solution::event_times(std::string_view name) const {
  if (event_log.n_not_kept() > 0)
    throw Error("not all times of " + quote(name) +
                " are known: " + std::to_string(event_log.n_not_kept()) + " of " +
                std::to_string(event_log.n_events()) +
                " events were counted, but not kept (events.keep)");
  std::vector<double> times;
  std::vector<std::string_view> known;
  for (const Event& event : events()) {
    known.push_back(event.name);
    if (event.name == name) times.push_back(event.t);
  }
  for (const SwitchWork& watched : report.switches) known.push_back(watched.name);
  for (const std::string& known_name : report.event_names) known.push_back(known_name);
  if (std::ranges::find(known, name) != known.end()) return times;
  const auto nearest = nearest_name(name, known);
  std::ranges::sort(known);
  known.erase(std::unique(known.begin(), known.end()), known.end());
  constexpr std::size_t most_told = 8;
  std::string others;
  for (std::size_t i = 0; i < std::min(known.size(), most_told); ++i)
    others += (i == 0 ? "; known are " : ", ") + quote(known[i]);
  if (known.size() > most_told) others += ", ...";
  throw Error("no event, relation, when-clause or transition is called " + quote(name) +
              (nearest ? "; did you mean " + quote(*nearest) + "?" : others));
}

std::vector<double> Solution::event_times(std::string_view name, EventKind kind) const {
  (void)event_times(name);  // what it refuses
  std::vector<double> times;
  for (const Event& event : events())
    if (event.name == name && event.kind == kind) times.push_back(event.t);
  return times;
}

std::vector<EventTimeDerivative> Solution::event_time_derivatives(std::string_view name) const {
  const std::vector<double> times = event_times(name);
  std::vector<EventTimeDerivative> found;
  for (const EventTimeDerivative& e : sensitivities.event_times())
    if (e.relation == name || std::ranges::find(times, e.t) != times.end()) found.push_back(e);
  return found;
}

}  // namespace saltus
