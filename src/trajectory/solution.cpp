#include <saltus/trajectory/solution.hpp>

#include <algorithm>

#include <saltus/core/error.hpp>
#include <saltus/core/text.hpp>

namespace saltus {

double Solution::final(std::string_view variable) const {
  const Trajectory& t = trajectory;
  if (t.n_rows() == 0 || t.times().back() != report.t_reached) {
    return t.at(variable, report.t_reached, t.backward() ? Side::right : Side::left);
  }
  const std::uint32_t v = t.index_of(variable);
  const std::uint32_t last = t.n_rows() - 1;
  if (!t.present_in_row(v, last)) {
    throw Error("'" + std::string(variable) + "' does not exist at the end of the run");
  }
  return t.row(last)[v];
}

std::vector<double> Solution::event_times(std::string_view name) const {
  if (event_log.n_not_kept() > 0)
    throw Error("not all times of " + quote(name) +
                " are known: " + std::to_string(event_log.n_not_kept()) + " of " +
                std::to_string(event_log.n_events()) + " events were counted, but not kept");
  std::vector<double> times;
  std::vector<std::string_view> known;
  for (const Event& event : events()) {
    known.push_back(event.name);
    if (event.name == name) times.push_back(event.t);
  }
  for (const SwitchWork& watched : report.switches) known.push_back(watched.name);
  if (std::ranges::find(known, name) != known.end()) return times;
  const auto nearest = nearest_name(name, known);
  throw Error("no event or relation is called " + quote(name) +
              (nearest ? "; did you mean " + quote(*nearest) + "?" : std::string()));
}

}  // namespace saltus
