#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <ostream>

#include <saltus/io/result_file.hpp>

#include "io/mat4/mat4.hpp"

namespace saltus {

namespace {

using detail::mat_double;
using detail::mat_int32;
using detail::mat_text;

// Elements are written as they lie in memory.
static_assert(std::endian::native == std::endian::little);

void put_matrix_header(std::ostream& out, std::string_view name, std::uint32_t type,
                       std::size_t rows, std::size_t columns) {
  constexpr std::size_t most = std::numeric_limits<std::int32_t>::max();
  if (rows > most || columns > most)
    throw FileError(std::string(name), "too many elements for MAT version 4");
  const std::array<std::uint32_t, 5> header{type, static_cast<std::uint32_t>(rows),
                                            static_cast<std::uint32_t>(columns), 0,
                                            static_cast<std::uint32_t>(name.size() + 1)};
  out.write(reinterpret_cast<const char*>(header.data()), sizeof header);
  out.write(name.data(), static_cast<std::streamsize>(name.size()));
  out.put('\0');
}

/// One text per column, filled up with spaces: readers cut those, not all of them zeros.
void put_mat_texts(std::ostream& out, std::string_view name,
                   const std::vector<std::string>& texts) {
  std::size_t longest = 1;
  for (const std::string& text : texts) longest = std::max(longest, text.size());
  put_matrix_header(out, name, mat_text, longest, texts.size());
  for (std::string text : texts) {
    std::replace(text.begin(), text.end(), '\0', ' ');
    text.resize(longest, ' ');
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
  }
}

std::string description_with_unit(const std::string& description, const std::string& unit) {
  if (unit.empty()) return description;
  return description.empty() ? "[" + unit + "]" : description + " [" + unit + "]";
}

/// Numbers of the modes and surfaces of all segments, and what they mean.
struct MatModes {
  std::vector<std::string> names;
  std::vector<double> of_segment;

  explicit MatModes(const ResultTable& table) {
    for (const ResultSegment& segment : table.segments) {
      const std::string name = configuration_text(segment.mode, segment.sliding);
      const auto at = std::find(names.begin(), names.end(), name);
      of_segment.push_back(static_cast<double>(at - names.begin() + 1));
      if (at == names.end()) names.push_back(name);
    }
  }
  std::string description() const {
    std::string text = "mode";
    for (std::size_t k = 0; k < names.size(); ++k)
      text += (k == 0 ? ": " : "; ") + std::to_string(k + 1) + " = " + names[k];
    return text;
  }
};

void put_mat_row(std::ostream& out, const std::vector<double>& row) {
  out.write(reinterpret_cast<const char*>(row.data()),
            static_cast<std::streamsize>(row.size() * sizeof(double)));
}

}  // namespace

bool write_mat(const ResultFile& result, std::ostream& out) {
  const ResultTable table = with_derivatives(result);
  const MatModes modes(table);
  const bool has_modes = modes.names.size() > 1;

  // Four rows of eleven letters, column by column.
  constexpr std::array<std::string_view, 4> kind{"Atrajectory", "1.1        ", "           ",
                                                 "binTrans   "};
  put_matrix_header(out, "Aclass", mat_text, kind.size(), kind[0].size());
  for (std::size_t c = 0; c < kind[0].size(); ++c)
    for (const std::string_view row : kind) out.put(row[c]);

  std::vector<std::string> names{"time"}, descriptions{"Time in [s]"};
  // Of every name: in which matrix, at which row; linear between points; nothing outside.
  std::vector<std::int32_t> where{0, 1, 0, -1};
  const auto add = [&](const std::string& name, const std::string& description,
                       const std::string& unit, std::int32_t matrix, std::size_t row) {
    names.push_back(name);
    descriptions.push_back(description_with_unit(description, unit));
    where.insert(where.end(), {matrix, static_cast<std::int32_t>(row), 0, matrix == 1 ? 0 : -1});
  };
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    add(table.columns[i].name, table.columns[i].description, table.columns[i].unit, 2, i + 2);
  if (has_modes)
    add(std::string(detail::mat_mode_name), modes.description(), "", 2, table.columns.size() + 2);
  for (std::size_t i = 0; i < result.parameters.size(); ++i)
    add(result.parameters[i].name, result.parameters[i].description, result.parameters[i].unit, 1,
        i + 2);
  put_mat_texts(out, "name", names);
  put_mat_texts(out, "description", descriptions);
  put_matrix_header(out, "dataInfo", mat_int32, 4, names.size());
  out.write(reinterpret_cast<const char*>(where.data()),
            static_cast<std::streamsize>(where.size() * sizeof(std::int32_t)));

  // What is constant, at both ends.
  put_matrix_header(out, "data_1", mat_double, result.parameters.size() + 1, 2);
  for (const bool end : {false, true}) {
    std::vector<double> row{table.times.empty() ? 0.0
                            : end               ? table.times.back()
                                                : table.times.front()};
    for (const ResultParameter& parameter : result.parameters) row.push_back(parameter.value);
    put_mat_row(out, row);
  }
  put_matrix_header(out, "data_2", mat_double, table.columns.size() + (has_modes ? 2 : 1),
                    table.times.size());
  std::vector<double> row;
  for (std::size_t s = 0; s < table.segments.size(); ++s) {
    const ResultSegment& segment = table.segments[s];
    for (std::size_t r = segment.first_row; r < segment.first_row + segment.n_rows; ++r) {
      row.assign(1, table.times[r]);
      // The format knows no absent values but this.
      for (const ResultColumn& column : table.columns)
        row.push_back(column.exists(r) ? column.values[r]
                                       : std::numeric_limits<double>::quiet_NaN());
      if (has_modes) row.push_back(modes.of_segment[s]);
      put_mat_row(out, row);
    }
    if (!out) return false;
  }
  out.flush();
  return out.good();
}

}  // namespace saltus
