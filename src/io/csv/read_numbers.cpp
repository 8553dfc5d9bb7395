#include <saltus/io/csv.hpp>

#include <cmath>

#include <saltus/core/text.hpp>

#include "io/csv/csv_records.hpp"

namespace saltus {

NumberTable read_numbers_csv(std::string_view text, const std::string& path) {
  detail::CsvRecords records(text, path);
  NumberTable table;
  if (!records.next(table.names)) throw FileError(path, "is empty");
  std::vector<std::string> fields;
  while (records.next(fields)) {
    if (fields.size() == 1 && fields[0].empty()) continue;
    if (fields.size() != table.names.size())
      records.refuse(std::to_string(fields.size()) + " fields, but the first line has " +
                     std::to_string(table.names.size()));
    std::vector<double>& row = table.rows.emplace_back();
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const auto value = read_double(fields[i]);
      if (!value || !std::isfinite(*value))
        records.refuse(quote(fields[i]) + " in column " + quote(table.names[i]) +
                       " is not a number");
      row.push_back(*value);
    }
  }
  return table;
}

}  // namespace saltus
