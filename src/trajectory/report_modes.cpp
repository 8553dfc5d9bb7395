#include "trajectory/report_modes.hpp"

#include <algorithm>

#include <saltus/core/text.hpp>

#include "trajectory/words.hpp"

namespace saltus {

std::string configuration_text(std::string_view mode, std::span<const std::string> sliding) {
  std::string text(mode);
  if (sliding.empty()) return text;
  text += text.empty() ? "sliding on " : ", sliding on ";
  return text + detail::enumeration({sliding.begin(), sliding.end()}, sliding.size());
}

}  // namespace saltus

namespace saltus::detail {

namespace {

struct WorkOfMode {
  std::vector<std::string> engines;
  std::uint64_t n_steps = 0;
  std::uint64_t n_evaluations = 0;
};

WorkOfMode work_of(const RunReport& report, const ModeVisit& visit) {
  WorkOfMode found;
  for (const ModeWork& entry : report.work) {
    if (entry.mode != visit.mode || entry.sliding != visit.sliding) continue;
    if (std::ranges::find(found.engines, entry.engine) == found.engines.end())
      found.engines.push_back(entry.engine);
    found.n_steps += entry.work.n_steps;
    found.n_evaluations += entry.work.n_evaluations;
  }
  return found;
}

std::string number_or_dash(std::uint64_t n) { return n == 0 ? "-" : std::to_string(n); }

/// "sliding on v1 > v2 (mixed)". A model without modes has no name for being on no surface.
std::string row_title(const ModeVisit& visit, bool some_slide) {
  constexpr std::size_t widest_name = 56;
  if (visit.mode.empty() && visit.sliding.empty()) return some_slide ? "on no surface" : "-";
  const std::string form = visit.form.empty() ? "" : " (" + visit.form + ")";
  return cut(configuration_text(visit.mode, visit.sliding), widest_name) + form;
}

std::string text_or_dash(const std::string& text) { return text.empty() ? "-" : text; }

}  // namespace

void append_modes(const RunReport& report, std::string& out) {
  constexpr std::size_t most_shown = 24;
  if (report.modes.size() < 2) return;
  const bool with_reductions =
      std::ranges::any_of(report.modes, [](const ModeVisit& m) { return m.n_reductions > 0; });
  const bool some_slide =
      std::ranges::any_of(report.modes, [](const ModeVisit& m) { return !m.sliding.empty(); });
  std::vector<std::vector<std::string>> rows{{"mode", "stays", "time", "tentative", "analyses",
                                              "mu, d, a, v, u", "engine", "steps", "evaluations"}};
  if (with_reductions) rows[0].insert(rows[0].begin() + 5, "reductions");
  const std::size_t n_shown = std::min(most_shown, report.modes.size());
  for (std::size_t k = 0; k < n_shown; ++k) {
    const ModeVisit& visit = report.modes[k];
    const WorkOfMode work = work_of(report, visit);
    rows.push_back({row_title(visit, some_slide), std::to_string(visit.n_stays),
                    rounded(visit.duration, 4), number_or_dash(visit.n_tentative),
                    number_or_dash(visit.n_analyses), text_or_dash(visit.values),
                    text_or_dash(join(work.engines, ", ")), std::to_string(work.n_steps),
                    std::to_string(work.n_evaluations)});
    if (with_reductions)
      rows.back().insert(rows.back().begin() + 5, number_or_dash(visit.n_reductions));
  }
  out += std::string(some_slide ? "\nModes and surfaces" : "\nModes") +
         ", in the order in which they were first entered:\n" + aligned(rows, 2);
  if (report.modes.size() > n_shown)
    out += "  ... and " + std::to_string(report.modes.size() - n_shown) + " more\n";
}

}  // namespace saltus::detail
