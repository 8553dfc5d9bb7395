// Writes trajectories and events as comma-separated text (RFC 4180), and reads tables of numbers.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include <saltus/trajectory/solution.hpp>

namespace saltus {

/// Writes the rows of a trajectory in the order of the run. The first column is "time"; the header
/// names every other one and its unit, "x [m]". Names are quoted if necessary; lines end with CR
/// LF. Numbers are the shortest text that reads back to the same double. An absent value is an
/// empty field. An event is two rows of the same time if rows were requested there. If there is
/// more than one mode, a last column, "mode", names the mode of the row. If the solution slides
/// anywhere, "sliding" names the relations on whose surfaces it stays in that row ("v > 0; w > 0",
/// otherwise empty). Returns false if the stream failed. Locale and format flags of the stream have
/// no influence.
bool write_csv(const Trajectory& trajectory, std::ostream& out);
std::string to_csv(const Trajectory& trajectory);
inline std::string to_csv(const Solution& solution) { return to_csv(solution.trajectory); }

/// Writes the recorded events, one line each: time, instant (events of one were handled together),
/// micro step, kind, name, text, direction, guarantee, cause, modes, and changes in words. Then
/// come impulses, candidate modes, conserved quantities, surfaces the solution stays on before and
/// after, and the ways to continue from them. Last comes every recorded variable before and after
/// the instant (an empty field if it does not exist).
bool write_events_csv(const Solution& solution, std::ostream& out);
std::string events_to_csv(const Solution& solution);

/// Columns of finite numbers under their names. The reader throws FileError, with the line, if a
/// value is missing or not finite.
struct NumberTable {
  std::vector<std::string> names;
  std::vector<std::vector<double>> rows;
};
NumberTable read_numbers_csv(std::string_view text, const std::string& path);

}  // namespace saltus
