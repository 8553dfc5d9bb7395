// Comma-separated text (RFC 4180).
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include <saltus/trajectory/solution.hpp>

namespace saltus {

/// The rows of a trajectory in the order of the run. The first column is "time"; the header names
/// every other one and its unit, "x [m]". Names that need it are quoted; lines end with CR LF. Numbers
/// are the shortest text that reads back to the same double; an absent value is an empty field. An
/// event is two rows of the same time if rows were asked for there. If there is more than one mode, a
/// last column, "mode", names the one of the row; if the solution slides anywhere, "sliding" names the relations on
/// whose surfaces it stays in that row ("v > 0; w > 0", empty elsewhere). Returns false if the stream
/// failed. The locale and the format flags of the stream have no influence.
bool write_csv(const Trajectory& trajectory, std::ostream& out);
std::string to_csv(const Trajectory& trajectory);
inline std::string to_csv(const Solution& solution) { return to_csv(solution.trajectory); }

/// The events that were kept, one line each: time, instant (events of one were handled together), micro
/// step, kind, name, text, direction, guarantee, cause, modes, what changed in words, impulses, candidate
/// modes, conserved quantities, surfaces the solution stays on before and after, the ways to go on from them, and every recorded variable before and after the instant (an empty field
/// where it does not exist).
bool write_events_csv(const Solution& solution, std::ostream& out);
std::string events_to_csv(const Solution& solution);

/// Columns of numbers under their names, all of them there and finite. Throws FileError, with the line.
struct NumberTable {
  std::vector<std::string> names;
  std::vector<std::vector<double>> rows;
};
NumberTable read_numbers_csv(std::string_view text, const std::string& path);

}  // namespace saltus
