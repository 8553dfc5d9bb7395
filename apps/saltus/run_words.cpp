#include "run_words.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <saltus/core/text.hpp>

namespace saltus::app {

std::string ending(Outcome outcome) {
  switch (outcome) {
    case Outcome::finished:
      return "finished";
    case Outcome::terminal_event:
      return "ended by the model";
    case Outcome::stopped:
      return "stopped";
    case Outcome::step_limit:
      return "ended by the limit of steps";
    case Outcome::event_limit:
      return "ended by the limit of events";
    case Outcome::wall_time_limit:
      return "ended by the limit of time";
    case Outcome::accumulation:
      return "ended where events accumulate";
    case Outcome::undecided:
      return "left at a surface where a decision was asked for";
    case Outcome::failed:
      return "failed";
    case Outcome::not_started:
      return "not started";
  }
  return std::string(name(outcome));
}

std::string summary_line(const Solution& solution) {
  const RunReport& report = solution.report;
  const auto counted = [](std::uint64_t n, const char* what) {
    return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
  };
  const std::string why = report.outcome == Outcome::terminal_event && !report.message.empty()
                              ? "\n" + report.message
                              : "";
  return fmt::format("{}: {} at t = {:.7g} s, {}, {}, {:.3g} s{}\n", report.model,
                     ending(report.outcome), report.t_reached,
                     counted(report.total_work().n_steps, "step"),
                     counted(solution.event_log.n_events(), "event"), report.wall_time_s, why);
}

std::string waiting_clauses_text(const Solution& solution) {
  std::string text;
  if (solution.event_log.n_not_kept() > 0) return text;  // it may be one of those
  for (const DecisionRecord& choice : solution.report.choices) {
    const auto is_it = [&](const Event& event) {
      return event.kind == EventKind::action && choice.name == "when-clause " + quote(event.name);
    };
    if (!choice.name.starts_with("when-clause ") || std::ranges::any_of(solution.events(), is_it))
      continue;
    text += fmt::format("{} has not acted: {}, and a clause acts when its condition becomes true\n",
                        choice.name, choice.reason);
  }
  return text;
}

std::string derivatives_text(const Solution& solution) {
  constexpr std::size_t most_rows = 40;
  constexpr double rounding = 1e-9;
  const Sensitivities& all = solution.sensitivities;
  const Trajectory& from = all.trajectory();
  if (all.parameters().empty() || from.n_steps() == 0) return "";
  const double t = from.t_end();
  const auto is_parameter = [&](const std::string& name) {
    return std::find(all.parameters().begin(), all.parameters().end(), name) !=
           all.parameters().end();
  };
  std::vector<std::vector<std::string>> rows{{""}};
  for (const std::string& p : all.parameters()) rows[0].push_back("d/d(" + p + ")");
  std::size_t n_left_out = 0;
  for (const VariableInfo& variable : solution.trajectory.variables()) {
    std::vector<std::string> row{variable.name};
    bool says_something = false;
    for (const std::string& p : all.parameters()) {
      const std::string column = Sensitivities::column(variable.name, p);
      const auto found = std::find_if(from.variables().begin(), from.variables().end(),
                                      [&](const VariableInfo& v) { return v.name == column; });
      std::string cell = "-";
      if (found != from.variables().end()) {
        const auto i = static_cast<std::uint32_t>(found - from.variables().begin());
        if (const std::optional<double> value = from.at(i, t, Side::left)) {
          cell = fmt::format("{:.7g}", *value);
          // Of a parameter that it depends on itself alone; it is an unknown while it is differentiated.
          const double known = variable.name == p ? 1.0 : 0.0;
          says_something =
              says_something || !is_parameter(variable.name) || std::abs(*value - known) > rounding;
        }
      }
      row.push_back(std::move(cell));
    }
    if (!says_something) continue;
    if (rows.size() > most_rows) {
      ++n_left_out;
    } else {
      rows.push_back(std::move(row));
    }
  }
  std::vector<std::size_t> widths(rows[0].size(), 0);
  for (const auto& row : rows)
    for (std::size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], row[k].size());
  std::string text = fmt::format("derivatives at t = {:.7g} s\n", t);
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t k = 0; k < row.size(); ++k) line += fmt::format("{:<{}}  ", row[k], widths[k]);
    line.resize(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  if (n_left_out > 0) text += fmt::format("and {} more variables\n", n_left_out);
  return text;
}

}  // namespace saltus::app
