#include <cmath>
#include <ostream>
#include <string>

#include <saltus/core/text.hpp>
#include <saltus/io/run_table.hpp>

#include "io/csv/field.hpp"
#include "io/result/replace_file.hpp"

namespace saltus {

namespace {

/// Collects lines, so that the stream gets many at once.
class RunLines {
 public:
  explicit RunLines(std::ostream& out) : out_(out) {}

  void head(const RunTable& table) {
    text_ += "run";
    for (const RunColumn& column : table.columns) {
      text_ += ',';
      detail::append_csv_field(column.name, text_);
    }
    text_ += ",outcome";
    text_ += detail::csv_line_end;
  }
  void add(const RunRows& rows) {
    std::size_t next_reason = 0;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const RunEnding ending = rows.endings[r];
      if (ending == RunEnding::missing) continue;
      text_ += std::to_string(rows.first + r);
      for (const auto& column : rows.columns) {
        text_ += ',';
        if (!std::isnan(column[r])) text_ += to_text(column[r]);
      }
      text_ += ',';
      detail::append_csv_field(
          ending == RunEnding::complete ? "complete" : rows.reasons[next_reason++].text, text_);
      text_ += detail::csv_line_end;
      if (text_.size() > (1u << 20)) put();
      if (!out_) return;  // a disk that is full stays so
    }
  }
  bool finish() {
    put();
    return out_.flush().good();
  }

 private:
  void put() {
    out_.write(text_.data(), static_cast<std::streamsize>(text_.size()));
    text_.clear();
  }
  std::ostream& out_;
  std::string text_;
};

}  // namespace

void save_runs_csv(const RunTable& table, const std::string& path) {
  detail::write_stream_file(path, [&](std::ostream& out) {
    RunLines lines(out);
    lines.head(table);
    table.read([&](const RunRows& rows) {
      if (out) lines.add(rows);
    });
    return lines.finish();
  });
}

}  // namespace saltus
