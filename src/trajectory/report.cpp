#include <saltus/trajectory/report.hpp>

#include <algorithm>
#include <array>
#include <charconv>

#include <saltus/core/text.hpp>

namespace saltus {

namespace {

/// Three digits: for a glance, not for reading back.
std::string rounded(double value) {
  std::array<char, 32> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                          std::chars_format::general, 3);
  return error == std::errc{} ? std::string(buffer.data(), end) : to_text(value);
}

/// Characters on the screen: bytes that continue a character of UTF-8 are none.
std::size_t screen_width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

struct TextColumn {
  std::string title;
  std::vector<std::string> cells;
  bool left_aligned = false;
};

void append_table(const std::vector<TextColumn>& columns, std::string& out) {
  std::vector<std::size_t> widths;
  for (const TextColumn& column : columns) {
    std::size_t width = screen_width(column.title);
    for (const std::string& cell : column.cells) width = std::max(width, screen_width(cell));
    widths.push_back(width);
  }
  const std::size_t n_lines = columns.front().cells.size() + 1;
  for (std::size_t line = 0; line < n_lines; ++line) {
    std::string text;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const std::string& cell = line == 0 ? columns[c].title : columns[c].cells[line - 1];
      const std::string space(widths[c] - screen_width(cell), ' ');
      text += "  ";
      text += columns[c].left_aligned ? cell + space : space + cell;
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + '\n';
  }
}

std::string outcome_sentence(const RunReport& report) {
  const std::string subject =
      report.model.empty() ? "The run" : "The run of " + quote(report.model);
  const std::string begin = "t = " + to_text(report.t_begin);
  const std::string reached = "t = " + to_text(report.t_reached);
  const std::string early = reached + ", before t = " + to_text(report.t_requested);
  const std::string code =
      report.failure ? " (" + std::string(name(*report.failure)) + ")" : std::string();
  switch (report.outcome) {
    case Outcome::finished:
      return subject + " finished: from " + begin + " to " + reached;
    case Outcome::stopped:
      return subject + " was stopped by its observer at " + early;
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
  }
  return subject;
}

std::string or_dash(const std::string& text) { return text.empty() ? "-" : text; }

void append_work(const RunReport& report, std::string& out) {
  std::vector<ModeWork> lines = report.work;
  if (lines.size() > 1) {
    lines.push_back({.mode = "total",
                     .engine = "",
                     .linear_solver = "",
                     .n_unknowns = 0,
                     .work = report.total_work()});
  }
  std::vector<TextColumn> columns;
  const auto words = [&](const char* title, std::string ModeWork::*member) {
    TextColumn column{title, {}, true};
    for (const ModeWork& line : lines) column.cells.push_back(or_dash(line.*member));
    columns.push_back(std::move(column));
  };
  const auto counts = [&](const char* title, std::uint64_t WorkCounts::*member,
                          bool only_if_any = false) {
    if (only_if_any && report.total_work().*member == 0) return;
    TextColumn column{title, {}};
    for (const ModeWork& line : lines) column.cells.push_back(std::to_string(line.work.*member));
    columns.push_back(std::move(column));
  };
  const auto other = [&](const char* title, auto cell) {
    TextColumn column{title, {}};
    for (std::size_t i = 0; i < lines.size(); ++i)
      column.cells.push_back(i < report.work.size() ? cell(lines[i]) : "");
    columns.push_back(std::move(column));
  };

  words("mode", &ModeWork::mode);
  words("engine", &ModeWork::engine);
  words("linear solver", &ModeWork::linear_solver);
  other("unknowns", [](const ModeWork& m) { return std::to_string(m.n_unknowns); });
  counts("steps", &WorkCounts::n_steps);
  counts("error failures", &WorkCounts::n_error_failures);
  counts("convergence failures", &WorkCounts::n_convergence_failures);
  counts("refused points", &WorkCounts::n_refused_points, true);
  counts("evaluations", &WorkCounts::n_evaluations);
  counts("Jacobians", &WorkCounts::n_jacobians);
  counts("factorisations", &WorkCounts::n_factorizations);
  counts("Newton iterations", &WorkCounts::n_newton_iterations);
  counts("starts", &WorkCounts::n_starts);
  counts("set to zero", &WorkCounts::n_corrections, true);
  other("last step", [](const ModeWork& m) { return rounded(m.work.last_step); });
  other("next step", [](const ModeWork& m) { return rounded(m.work.next_step); });
  other("last order", [](const ModeWork& m) { return std::to_string(m.work.last_order); });
  other("next order", [](const ModeWork& m) { return std::to_string(m.work.next_order); });
  append_table(columns, out);
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
