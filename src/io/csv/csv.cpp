#include <saltus/io/csv.hpp>

#include <ostream>
#include <sstream>
#include <string_view>

#include <saltus/core/text.hpp>

namespace saltus {

namespace {

/// A field of RFC 4180: quoted only if it must be, quotes inside doubled.
void append_field(std::string_view text, std::string& line) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    line += text;
    return;
  }
  line += '"';
  for (const char c : text) {
    if (c == '"') line += '"';
    line += c;
  }
  line += '"';
}

constexpr std::string_view csv_line_end = "\r\n";  // RFC 4180, section 2

}  // namespace

bool write_csv(const Trajectory& trajectory, std::ostream& out) {
  // Whole lines by write(): what a stream would do with numbers and widths is the caller's setting.
  std::string line = "time";
  for (const VariableInfo& variable : trajectory.variables()) {
    line += ',';
    append_field(variable.unit.empty() ? variable.name : variable.name + " [" + variable.unit + "]",
                 line);
  }
  line += csv_line_end;
  out.write(line.data(), static_cast<std::streamsize>(line.size()));

  for (const Segment& segment : trajectory.segments()) {
    for (std::uint32_t r = segment.first_row; r < segment.first_row + segment.n_rows; ++r) {
      const std::span<const double> values = trajectory.row(r);
      line = to_text(trajectory.times()[r]);
      for (std::size_t i = 0; i < values.size(); ++i) {
        line += ',';
        if (segment.present[i]) line += to_text(values[i]);
      }
      line += csv_line_end;
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
