#include <saltus/io/csv.hpp>

#include <algorithm>
#include <ostream>
#include <sstream>

#include <saltus/core/text.hpp>
#include <saltus/io/result_file.hpp>

#include "io/csv/field.hpp"

namespace saltus {

bool write_csv(const ResultTable& table, std::ostream& out) {
  // Whole lines by write(): what a stream would do with numbers and widths is the caller's setting.
  std::string line = "time";
  for (const ResultColumn& column : table.columns) {
    line += ',';
    detail::append_csv_field(
        column.unit.empty() ? column.name : column.name + " [" + column.unit + "]", line);
  }
  // Where there are several modes, each row says which one it belongs to.
  const auto& segments = table.segments;
  const bool several = std::any_of(segments.begin(), segments.end(), [&](const ResultSegment& s) {
    return s.mode != segments.front().mode;
  });
  // A column of its own: a mode is called the same whether it slides or not.
  const bool slides = std::any_of(segments.begin(), segments.end(),
                                  [](const ResultSegment& s) { return !s.sliding.empty(); });
  if (several) line += ",mode";
  if (slides) line += ",sliding";
  line += detail::csv_line_end;
  out.write(line.data(), static_cast<std::streamsize>(line.size()));

  for (const ResultSegment& segment : segments) {
    for (std::size_t r = segment.first_row; r < segment.first_row + segment.n_rows; ++r) {
      line = to_text(table.times[r]);
      for (const ResultColumn& column : table.columns) {
        line += ',';
        if (column.exists(r)) line += to_text(column.values[r]);
      }
      if (several) {
        line += ',';
        detail::append_csv_field(segment.mode, line);
      }
      if (slides) {
        line += ',';
        detail::append_csv_field(join(segment.sliding, "; "), line);
      }
      line += detail::csv_line_end;
      out.write(line.data(), static_cast<std::streamsize>(line.size()));
    }
    if (!out) return false;
  }
  out.flush();
  return out.good();
}

bool write_csv(const Trajectory& trajectory, std::ostream& out) {
  return write_csv(table_of(trajectory), out);
}

std::string to_csv(const Trajectory& trajectory) {
  std::ostringstream out;
  write_csv(trajectory, out);
  return std::move(out).str();
}

}  // namespace saltus
