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

std::string impulses_field(const EventInstant& instant) {
  std::vector<std::string> parts;
  for (const ImpulseRecord& impulse : instant.impulses)
    parts.push_back(impulse.variable + ": " + to_text(impulse.strength) + " (order " +
                    std::to_string(impulse.order) + ")");
  return join(parts, "; ");
}

std::string candidates_field(const EventInstant& instant) {
  std::vector<std::string> parts;
  for (const CandidateRecord& candidate : instant.candidates) {
    const std::string what = candidate.taken ? "taken" : candidate.passed ? "passed" : "rejected";
    parts.push_back(candidate.mode + ": " + what +
                    (candidate.verdict.empty() ? "" : ", " + candidate.verdict));
  }
  return join(parts, "; ");
}

std::string conserved_field(const EventInstant& instant) {
  std::vector<std::string> parts;
  for (const ConservedRecord& quantity : instant.conserved)
    parts.push_back(quantity.name + ": " + to_text(quantity.before) + " -> " +
                    to_text(quantity.after) + (quantity.kept ? "" : " (not kept)"));
  return join(parts, "; ");
}

std::string locks_field(const EventInstant& instant) {
  std::vector<std::string> parts;
  for (const LockChange& lock : instant.locks)
    parts.push_back(lock.relation + ": " + to_text(lock.before) + " -> " + to_text(lock.after));
  return join(parts, "; ");
}

}  // namespace

bool write_events_csv(const Solution& solution, std::ostream& out) {
  std::vector<std::string> fields{
      "time",      "instant",        "micro step",    "kind",         "name",       "text",
      "direction", "guarantee",      "cause",         "mode before",  "mode after", "restarted",
      "terminal",  "locks",          "what changed",  "note",         "impulses",   "modes tried",
      "conserved", "sliding before", "sliding after", "ways to go on"};
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
              guarantee_word(event),
              event.cause,
              instant.mode_before,
              instant.mode_after,
              to_text(instant.restarted),
              to_text(event.terminal),
              locks_field(instant),
              changes_text(solution.event_log, event),
              event.note,
              impulses_field(instant),
              candidates_field(instant),
              conserved_field(instant),
              join(instant.sliding_before, "; "),
              join(instant.sliding_after, "; "),
              ways_text(instant.surface_candidates, instant.surface_candidates.size())};
    for (std::size_t v = 0; v < variables.size(); ++v) {
      fields.push_back(instant.exists_before(v) ? to_text(instant.x_minus[v]) : "");
      fields.push_back(instant.exists_after(v) ? to_text(instant.x_plus[v]) : "");
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
