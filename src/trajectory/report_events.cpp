// What a report says of events.
#include <algorithm>
#include <utility>

#include <saltus/core/text.hpp>
#include <saltus/trajectory/report.hpp>

namespace saltus {

bool RunReport::all_transitions_smooth() const {
  if (events.off || events.counts.n_marginal > 0) return false;
  return std::ranges::all_of(
      switches, [](const SwitchWork& watched) { return watched.n_proven == watched.n_steps; });
}

std::string smoothness_sentence(const RunReport& report) {
  const EventCounts& counts = report.events.counts;
  if (report.events.off)
    return "Events were off: relations stayed as they were at the start, and nothing was watched.";
  if (report.switches.empty() && counts.total() == 0) return "";
  if (report.all_transitions_smooth()) {
    std::string text =
        "All transitions were smooth: on every step it was proven that no event was "
        "overlooked, and no event was marginal";
    if (counts.n_simultaneous > 0)
      text += "; at " + std::to_string(counts.n_simultaneous) +
              (counts.n_simultaneous == 1 ? " instant" : " instants") +
              " several relations crossed at once";
    return text + ".";
  }
  // The worst first: a touch may be an event with other rounding, samples may have missed one.
  std::uint64_t n_marginal = 0, n_heuristic = 0;
  const SwitchWork* worst = nullptr;
  const auto badness = [](const SwitchWork& w) { return std::pair(w.n_marginal, w.n_heuristic); };
  for (const SwitchWork& watched : report.switches) {
    n_marginal += watched.n_marginal;
    n_heuristic += watched.n_heuristic;
    if (!worst || badness(watched) > badness(*worst)) worst = &watched;
  }
  std::vector<std::string> reasons;
  const auto reason = [&](std::uint64_t n, const std::string& one, const std::string& many,
                          const std::string& rest) {
    if (n > 0) reasons.push_back(std::to_string(n) + (n == 1 ? one : many) + rest);
  };
  reason(counts.n_marginal, " event was", " events were",
         " marginal (a surface touched, or hardly passed)");
  reason(n_marginal, " check of a step was", " checks of steps were", " marginal");
  reason(n_heuristic, " was", " were",
         " made by samples only, which can overlook pairs of crossings");
  std::string text = "Not all transitions are known to be smooth: " + join(reasons, ", ");
  if (worst && badness(*worst) > std::pair<std::uint64_t, std::uint64_t>{})
    text += "; look first at " + quote(worst->name);
  return text + ".";
}

}  // namespace saltus
