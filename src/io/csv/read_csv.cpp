#include <optional>
#include <vector>

#include <saltus/core/text.hpp>
#include <saltus/io/result_file.hpp>

#include "io/csv/csv_records.hpp"
#include "io/result/segments.hpp"

namespace saltus {

namespace {

/// "x [m]" is x with the unit m.
ResultColumn column_of_header(const std::string& header) {
  ResultColumn column{header};
  if (header.ends_with(']')) {
    if (const std::size_t at = header.rfind(" ["); at != std::string::npos) {
      column.name = header.substr(0, at);
      column.unit = header.substr(at + 2, header.size() - at - 3);
    }
  }
  return column;
}

std::vector<std::string> list_of_relations(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const std::size_t at = text.find("; ");
    out.emplace_back(text.substr(0, at));
    text = at == text.npos ? std::string_view{} : text.substr(at + 2);
  }
  return out;
}

}  // namespace

ResultTable read_csv(std::string_view text, const std::string& path) {
  detail::CsvRecords records(text, path);
  std::vector<std::string> header, fields;
  if (!records.next(header)) throw FileError(path, "is empty");
  if (header.front() != "time" && header.front() != "Time" && header.front() != "t")
    records.refuse("the first column must be called time, not " + quote(header.front()));
  // The last columns may be texts.
  std::size_t n = header.size();
  const bool slides = n > 1 && header[n - 1] == "sliding";
  if (slides) --n;
  const bool several = n > 1 && header[n - 1] == "mode";
  if (several) --n;
  ResultTable table;
  for (std::size_t i = 1; i < n; ++i) table.columns.push_back(column_of_header(header[i]));
  detail::SegmentFinder segments(table);
  std::string mode, sliding;
  while (records.next(fields)) {
    if (fields.size() == 1 && fields[0].empty()) continue;
    if (fields.size() != header.size())
      records.refuse(std::to_string(fields.size()) + " fields, but the first line has " +
                     std::to_string(header.size()));
    const std::optional<double> t = read_double(fields[0]);
    if (!t) records.refuse("the time " + quote(fields[0]) + " is not a number");
    segments.row(*t, several ? fields[n] : mode, slides ? fields.back() : sliding);
    for (std::size_t i = 1; i < n; ++i) {
      const std::optional<double> value = read_double(fields[i]);
      if (!value && !fields[i].empty())
        records.refuse(quote(fields[i]) + " in column " + quote(header[i]) + " is not a number");
      segments.value(i - 1, value);
    }
  }
  for (ResultSegment& segment : table.segments)
    if (!segment.sliding.empty()) segment.sliding = list_of_relations(segment.sliding.front());
  return table;
}

}  // namespace saltus
