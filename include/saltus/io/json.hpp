// Writes solutions and reports as JSON (RFC 8259).
#pragma once

#include <iosfwd>
#include <string>

#include <saltus/trajectory/solution.hpp>

namespace saltus {

/// Writes one object: "report", "trajectory" with variables (name, unit, description), segments,
/// times and one array per variable (an absent value is null), "events" and "instants" with both
/// limits of every variable. docs/reference/json.md describes the fields. Returns false if the
/// stream failed. Locale and format flags of the stream have no influence. Bytes of texts that are
/// not UTF-8 become U+FFFD.
bool write_json(const Solution& solution, std::ostream& out);
std::string to_json(const Solution& solution);
/// The same, with events null.
bool write_json(const Trajectory& trajectory, const RunReport& report, std::ostream& out);
std::string to_json(const Trajectory& trajectory, const RunReport& report);
/// Returns only the content of "report" above.
std::string to_json(const RunReport& report);

}  // namespace saltus
