// JSON (RFC 8259).
#pragma once

#include <iosfwd>
#include <string>

#include <saltus/trajectory/report.hpp>
#include <saltus/trajectory/trajectory.hpp>

namespace saltus {

/// One object: "report" and "trajectory" with variables (name, unit, description), segments, times
/// and one array per variable; an absent value is null. docs/reference/json.md describes the fields.
bool write_json(const Trajectory& trajectory, const RunReport& report, std::ostream& out);
std::string to_json(const Trajectory& trajectory, const RunReport& report);
std::string to_json(const RunReport& report);

}  // namespace saltus
