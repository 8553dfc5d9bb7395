#include <cmath>
#include <ostream>
#include <sstream>
#include <vector>

#include <saltus/core/text.hpp>
#include <saltus/io/csv.hpp>

#include "io/csv/field.hpp"

namespace saltus {

namespace {

void put_record(const std::vector<std::string>& fields, std::ostream& out) {
  std::string line;
  for (std::size_t k = 0; k < fields.size(); ++k) {
    if (k > 0) line += ',';
    detail::append_csv_field(fields[k], line);
  }
  line += detail::csv_line_end;
  out.write(line.data(), static_cast<std::streamsize>(line.size()));
}

std::string limit_field(const std::vector<double>& values, std::size_t variable) {
  if (variable >= values.size() || std::isnan(values[variable])) return "";
  return to_text(values[variable]);
}

std::string locks_field(const EventInstant& instant) {
  std::vector<std::string> parts;
  for (const LockChange& lock : instant.locks)
    parts.push_back(lock.relation + ": " + to_text(lock.before) + " -> " + to_text(lock.after));
  return join(parts, "; ");
}

}  // namespace

bool write_events_csv(const Solution& solution, std::ostream& out) {
  std::vector<std::string> fields{"time",     "instant",     "micro step",   "kind",
                                  "name",     "text",        "direction",    "guarantee",
                                  "cause",    "mode before", "mode after",   "restarted",
                                  "terminal", "locks",       "what changed", "note"};
  const auto variables = solution.trajectory.variables();
  for (const VariableInfo& variable : variables) {
    const std::string unit = variable.unit.empty() ? "" : " [" + variable.unit + "]";
    fields.push_back(variable.name + " before" + unit);
    fields.push_back(variable.name + " after" + unit);
  }
  put_record(fields, out);
  for (const Event& event : solution.events()) {
    const EventInstant& instant = solution.event_log.instant_of(event);
    fields = {to_text(event.t),
              std::to_string(event.instant),
              std::to_string(event.micro_step),
              std::string(name(event.kind)),
              event.name,
              event.text,
              std::to_string(event.direction),
              std::string(name(event.guarantee)),
              event.cause,
              instant.mode_before,
              instant.mode_after,
              to_text(instant.restarted),
              to_text(event.terminal),
              locks_field(instant),
              changes_text(solution.event_log, event),
              event.note};
    for (std::size_t v = 0; v < variables.size(); ++v) {
      fields.push_back(limit_field(instant.x_minus, v));
      fields.push_back(limit_field(instant.x_plus, v));
    }
    put_record(fields, out);
  }
  out.flush();
  return out.good();
}

std::string events_to_csv(const Solution& solution) {
  std::ostringstream out;
  write_events_csv(solution, out);
  return std::move(out).str();
}

}  // namespace saltus
