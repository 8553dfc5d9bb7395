#include <saltus/io/csv.hpp>

#include <algorithm>
#include <ostream>
#include <sstream>

#include <saltus/core/text.hpp>

#include "io/csv/field.hpp"

namespace saltus {

bool write_csv(const Trajectory& trajectory, std::ostream& out) {
  // Whole lines by write(): what a stream would do with numbers and widths is the caller's setting.
  std::string line = "time";
  for (const VariableInfo& variable : trajectory.variables()) {
    line += ',';
    detail::append_csv_field(
        variable.unit.empty() ? variable.name : variable.name + " [" + variable.unit + "]", line);
  }
  // Where there are several modes, each row says which one it belongs to.
  const auto segments = trajectory.segments();
  const bool several = std::any_of(segments.begin(), segments.end(), [&](const Segment& s) {
    return s.mode != segments.front().mode;
  });
  // A column of its own: a mode is called the same whether it slides or not.
  const bool slides = std::any_of(segments.begin(), segments.end(),
                                  [](const Segment& s) { return !s.sliding.empty(); });
  if (several) line += ",mode";
  if (slides) line += ",sliding";
  line += detail::csv_line_end;
  out.write(line.data(), static_cast<std::streamsize>(line.size()));

  for (const Segment& segment : trajectory.segments()) {
    for (std::uint32_t r = segment.first_row; r < segment.first_row + segment.n_rows; ++r) {
      const std::span<const double> values = trajectory.row(r);
      line = to_text(trajectory.times()[r]);
      for (std::size_t i = 0; i < values.size(); ++i) {
        line += ',';
        if (segment.present[i]) line += to_text(values[i]);
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
  }
  out.flush();
  return out.good();
}

std::string to_csv(const Trajectory& trajectory) {
  std::ostringstream out;
  write_csv(trajectory, out);
  return std::move(out).str();
}

}  // namespace saltus
