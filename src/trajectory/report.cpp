#include <saltus/trajectory/report.hpp>

#include <algorithm>

#include <saltus/core/text.hpp>

#include "trajectory/report_events.hpp"
#include "trajectory/report_modes.hpp"
#include "trajectory/words.hpp"

namespace saltus {

namespace {

using detail::rounded;
using detail::screen_width;

/// One line per figure, one column per mode: few modes are the rule, and figures are many.
struct WorkLine {
  std::string title;
  std::vector<std::string> cells;
};

constexpr std::size_t modes_beside_each_other = 6;

void append_lines(const std::vector<WorkLine>& lines, std::size_t first, std::size_t end,
                  std::string& out) {
  std::size_t title_width = 0;
  for (const WorkLine& line : lines) title_width = std::max(title_width, screen_width(line.title));
  std::vector<std::size_t> widths(end, 0);
  for (const WorkLine& line : lines)
    for (std::size_t c = first; c < end; ++c)
      widths[c] = std::max(widths[c], screen_width(line.cells[c]));
  for (const WorkLine& line : lines) {
    std::string text = "  " + line.title + std::string(title_width - screen_width(line.title), ' ');
    for (std::size_t c = first; c < end; ++c)
      text += std::string(2 + widths[c] - screen_width(line.cells[c]), ' ') + line.cells[c];
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + '\n';
  }
}

std::string outcome_sentence(const RunReport& report) {
  std::string subject = report.model.empty() ? "The run" : "The run of " + quote(report.model);
  const std::string begin = "t = " + to_text(report.t_begin);
  const std::string reached = "t = " + to_text(report.t_reached);
  const std::string early = reached + ", before t = " + to_text(report.t_requested);
  const std::string code =
      report.failure ? " (" + std::string(name(*report.failure)) + ")" : std::string();
  switch (report.outcome) {
    case Outcome::finished:
      return subject + " finished: from " + begin + " to " + reached;
    case Outcome::stopped:
      return subject + " was stopped on request at " + early;
    case Outcome::step_limit:
      return subject + " ended at " + early + ": as many steps as limits.max_steps allows";
    case Outcome::event_limit:
      return subject + " ended at " + early + ": as many events as limits.max_events allows";
    case Outcome::wall_time_limit:
      return subject + " ended at " + early + ": limits.max_wall_time_s has passed";
    case Outcome::failed:
      return subject + " failed at " + early + code;
    case Outcome::not_started:
      return subject + " did not start at " + begin + code;
    case Outcome::terminal_event:
      return subject + " was ended by an event at " + early;
    case Outcome::accumulation:
      return subject + " ended at " + early + ": events come without end";
    case Outcome::undecided:
      return subject + " was left at " + early + ", at a surface where a decision was asked for";
  }
  return subject;
}

std::string or_dash(const std::string& text) { return text.empty() ? "-" : text; }

std::vector<WorkLine> work_lines(const RunReport& report) {
  const WorkCounts total = report.total_work();
  const bool with_total = report.work.size() > 1;
  std::vector<WorkLine> lines;
  const auto per_mode = [&](const char* title, auto cell, const char* below_total = "") {
    WorkLine line{title, {}};
    for (const ModeWork& mode : report.work) line.cells.push_back(cell(mode));
    if (with_total) line.cells.emplace_back(below_total);
    lines.push_back(std::move(line));
  };
  const auto count = [&](const char* title, std::uint64_t WorkCounts::*member) {
    per_mode(title, [&](const ModeWork& mode) { return std::to_string(mode.work.*member); });
    if (with_total) lines.back().cells.back() = std::to_string(total.*member);
  };
  const auto rare_count = [&](const char* title, std::uint64_t WorkCounts::*member) {
    if (total.*member > 0) count(title, member);
  };

  per_mode(
      "mode", [](const ModeWork& m) { return or_dash(configuration_text(m.mode, m.sliding)); },
      "total");
  per_mode("engine", [](const ModeWork& m) { return or_dash(m.engine); });
  per_mode("linear solver", [](const ModeWork& m) { return or_dash(m.linear_solver); });
  per_mode("unknowns", [](const ModeWork& m) { return std::to_string(m.n_unknowns); });
  count("steps", &WorkCounts::n_steps);
  count("error-test failures", &WorkCounts::n_error_failures);
  count("convergence failures", &WorkCounts::n_convergence_failures);
  rare_count("refused points", &WorkCounts::n_refused_points);
  count("evaluations", &WorkCounts::n_evaluations);
  count("Jacobians", &WorkCounts::n_jacobians);
  count("factorisations", &WorkCounts::n_factorizations);
  count("Newton iterations", &WorkCounts::n_newton_iterations);
  count("starts", &WorkCounts::n_starts);
  rare_count("values set to zero", &WorkCounts::n_corrections);
  per_mode("last step", [](const ModeWork& m) { return rounded(m.work.last_step); });
  per_mode("next step", [](const ModeWork& m) { return rounded(m.work.next_step); });
  per_mode("last order", [](const ModeWork& m) { return std::to_string(m.work.last_order); });
  per_mode("next order", [](const ModeWork& m) { return std::to_string(m.work.next_order); });
  return lines;
}

void append_work(const RunReport& report, std::string& out) {
  const std::vector<WorkLine> lines = work_lines(report);
  const std::size_t n = lines.front().cells.size();
  for (std::size_t first = 0; first < n; first += modes_beside_each_other) {
    if (first > 0) out += '\n';
    append_lines(lines, first, std::min(n, first + modes_beside_each_other), out);
  }
}

}  // namespace

std::string_view name(Outcome outcome) noexcept {
  switch (outcome) {
    case Outcome::finished:
      return "finished";
    case Outcome::stopped:
      return "stopped";
    case Outcome::step_limit:
      return "step_limit";
    case Outcome::event_limit:
      return "event_limit";
    case Outcome::wall_time_limit:
      return "wall_time_limit";
    case Outcome::failed:
      return "failed";
    case Outcome::not_started:
      return "not_started";
    case Outcome::terminal_event:
      return "terminal_event";
    case Outcome::accumulation:
      return "accumulation";
    case Outcome::undecided:
      return "undecided";
  }
  return "unknown";
}

WorkCounts RunReport::total_work() const {
  WorkCounts total;
  for (const ModeWork& entry : work) total += entry.work;
  return total;
}

std::string to_text(const RunReport& report) {
  std::string out = outcome_sentence(report);
  out += report.message.empty() ? "." : ": " + report.message;
  if (out.back() != '.') out += '.';
  out += "\nWall time " + rounded(report.wall_time_s) + " s.\n";

  for (const std::string& warning : report.warnings) out += "Warning: " + warning + '\n';

  if (!report.choices.empty()) out += "\nChosen:\n";
  for (const DecisionRecord& choice : report.choices) {
    out += "  " + choice.name + ": " + choice.used;
    if (!choice.given.empty() && choice.given != choice.used)
      out += " (given " + choice.given + ")";
    if (!choice.reason.empty()) out += ", " + choice.reason;
    out += '\n';
  }
  if (!report.invariants.empty()) out += "\nInvariants:\n";
  for (const InvariantRecord& invariant : report.invariants) {
    const std::string unit = invariant.unit.empty() ? "" : " " + invariant.unit;
    out += "  " + invariant.name + ": " + to_text(invariant.initial) + unit +
           " at the beginning, largest deviation " + rounded(invariant.largest_deviation) + unit;
    if (invariant.largest_deviation != 0.0) out += " at t = " + rounded(invariant.t_largest);
    out += '\n';
  }
  detail::append_modes(report, out);
  detail::append_events(report, out);
  const auto changed = [](const OptionPair& option) { return option.changed; };
  if (std::any_of(report.options.begin(), report.options.end(), changed))
    out += "\nOptions that differ from their defaults:\n";
  for (const OptionPair& option : report.options) {
    if (!option.changed) continue;
    out += "  " + option.name + " = " + or_dash(option.given) + " (default " +
           or_dash(option.default_value) + ")\n";
  }
  if (!report.work.empty()) {
    out += "\nWork:\n";
    append_work(report, out);
  }
  return out;
}

}  // namespace saltus
