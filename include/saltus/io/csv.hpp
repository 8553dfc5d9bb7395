// Comma-separated text.
#pragma once

#include <iosfwd>
#include <string>

#include <saltus/trajectory/trajectory.hpp>

namespace saltus {

/// The rows of a trajectory. The header names each column and its unit, "x [m]"; names that need it
/// are quoted (RFC 4180). Numbers are the shortest text that reads back to the same double; an absent
/// value is an empty field. Returns false if the stream failed.
bool write_csv(const Trajectory& trajectory, std::ostream& out);
std::string to_csv(const Trajectory& trajectory);

}  // namespace saltus
