// What a report says of events.
#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include <saltus/core/text.hpp>
#include <saltus/trajectory/report.hpp>

#include "trajectory/report_events.hpp"
#include "trajectory/sliding_words.hpp"
#include "trajectory/words.hpp"

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
      text += "; at " + detail::counted(counts.n_simultaneous, "instant") +
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
  reason(n_heuristic, " check of a step was", " checks of steps were",
         " made by samples only, which can overlook pairs of crossings");
  std::string text = "Not all transitions are known to be smooth: " + join(reasons, ", ");
  if (worst && badness(*worst) > std::pair<std::uint64_t, std::uint64_t>{})
    text += "; look first at " + quote(worst->name);
  return text + ".";
}

namespace {

/// The interesting ones first: crossed, or not proven throughout.
std::vector<const SwitchWork*> by_interest(const std::vector<SwitchWork>& switches) {
  std::vector<const SwitchWork*> sorted;
  for (const SwitchWork& watched : switches) sorted.push_back(&watched);
  const auto interest = [](const SwitchWork* w) {
    return std::tuple(w->n_marginal, w->n_heuristic, w->n_events, w->n_flips);
  };
  std::ranges::stable_sort(sorted, std::ranges::greater{}, interest);
  return sorted;
}

void append_switch_table(const RunReport& report, std::string& out) {
  constexpr std::size_t most_shown = 12, widest_name = 48;
  std::vector<std::vector<std::string>> rows{{"relation", "events", "flips", "steps", "proven",
                                              "heuristic", "marginal", "evaluations per step"}};
  const std::vector<const SwitchWork*> sorted = by_interest(report.switches);
  for (std::size_t k = 0; k < std::min(most_shown, sorted.size()); ++k) {
    const SwitchWork& w = *sorted[k];
    const double per_step =
        w.n_steps == 0 ? 0.0
                       : static_cast<double>(w.n_evaluations) / static_cast<double>(w.n_steps);
    rows.push_back({detail::cut(w.name, widest_name), std::to_string(w.n_events),
                    std::to_string(w.n_flips), std::to_string(w.n_steps),
                    std::to_string(w.n_proven), std::to_string(w.n_heuristic),
                    std::to_string(w.n_marginal), detail::rounded(per_step)});
  }
  out += detail::aligned(rows, 2);
  if (sorted.size() > most_shown)
    out += "  ... and " + std::to_string(sorted.size() - most_shown) + " more\n";
}

/// Where it was close, the first ones.
void append_marginal(const RunReport& report, std::string& out) {
  constexpr std::size_t most_shown = 5, widest_name = 48;
  if (report.marginal.empty()) return;
  std::vector<std::vector<std::string>> rows{
      {"marginal step of", "from", "to", "distance", "may be off by"}};
  for (std::size_t k = 0; k < std::min(most_shown, report.marginal.size()); ++k) {
    const MarginalMark& m = report.marginal[k];
    rows.push_back({detail::cut(m.relation, widest_name), detail::rounded(m.t_from, 9),
                    detail::rounded(m.t_to, 9), detail::rounded(m.distance),
                    detail::rounded(m.error)});
  }
  out += detail::aligned(rows, 2);
  if (report.marginal.size() > most_shown)
    out += "  ... and " + std::to_string(report.marginal.size() - most_shown) + " more\n";
}

/// What transitions left behind besides themselves.
void append_mode_counts(const EventCounts& counts, std::string& out) {
  std::vector<std::string> parts;
  if (counts.n_rejected > 0)
    parts.push_back(detail::counted(counts.n_rejected, "candidate mode") + " rejected");
  if (counts.n_passed > 0)
    parts.push_back(detail::counted(counts.n_passed, "mode") + " passed without time");
  if (counts.n_impulses > 0) parts.push_back(detail::counted(counts.n_impulses, "impulse"));
  if (!parts.empty()) out += "  At transitions: " + detail::enumeration(parts) + "\n";
  if (counts.n_not_conserved > 0)
    out += "  A quantity declared as conserved was not kept (" +
           detail::counted(counts.n_not_conserved, "time") +
           "): explain() of the transition says which\n";
}

/// How often and how long surfaces held the solution.
void append_sliding(const RunReport& report, std::string& out) {
  const EventCounts& counts = report.events.counts;
  const std::uint64_t n_entries = counts.of(EventKind::enter_sliding);
  const std::uint64_t n_exits = counts.of(EventKind::exit_sliding);
  double on_surfaces = 0.0;
  bool slides = n_entries + n_exits > 0;
  for (const ModeVisit& visit : report.modes) {
    if (visit.sliding.empty()) continue;
    slides = true;
    on_surfaces += visit.duration;
  }
  if (!slides) return;
  out += "  Sliding: " + std::to_string(n_entries) + (n_entries == 1 ? " entry" : " entries") +
         " and " + detail::counted(n_exits, "exit") + "; " + detail::rounded(on_surfaces, 4) +
         " s of " + detail::rounded(std::abs(report.t_reached - report.t_begin), 4) +
         " s on surfaces\n";
}

}  // namespace

void detail::append_events(const RunReport& report, std::string& out) {
  const EventCounts& counts = report.events.counts;
  const std::string smoothness = smoothness_sentence(report);
  if (smoothness.empty()) return;
  out += "\nEvents:\n";
  if (!report.events.off) {
    std::vector<std::string> kinds;
    for (std::size_t k = 0; k < n_event_kinds; ++k) {
      if (counts.of_kind[k] > 0)
        kinds.push_back(std::to_string(counts.of_kind[k]) + ' ' +
                        kind_words(static_cast<EventKind>(k)));
    }
    out += "  " + (kinds.empty() ? std::string("none") : enumeration(kinds, n_event_kinds)) + "; " +
           counted(counts.n_interruptions, "interruption") + ", " +
           counted(counts.n_restarts, "restart") + ", " +
           counted(counts.n_micro_steps, "micro-step") + "\n";
    append_mode_counts(counts, out);
    append_sliding(report, out);
  }
  out += "  " + smoothness + '\n';
  const EventWork& work = report.events;
  if (work.n_located + counts.n_iterations + work.n_one_sided_steps + work.n_continued > 0)
    out +=
        "  Evaluations beyond those of smooth steps: " + std::to_string(work.n_evaluations_locate) +
        " to locate " + counted(work.n_located, "time") + ", " +
        std::to_string(work.n_evaluations_iterate) + " for consistent values (" +
        counted(counts.n_iterations, "iteration") + "), " +
        std::to_string(work.n_evaluations_one_sided) + " at " + counted(work.n_continued, "point") +
        " beyond the end of a side, " + counted(work.n_one_sided_steps, "step") +
        " given up at a surface" +
        (work.n_evaluations_analyse > 0
             ? ", " + std::to_string(work.n_evaluations_analyse) + " to analyse modes once"
             : "") +
        "\n";
  if (!report.switches.empty()) append_switch_table(report, out);
  append_marginal(report, out);
}

}  // namespace saltus
