#include <optional>
#include <vector>

#include <saltus/core/text.hpp>
#include <saltus/io/result_file.hpp>

#include "io/result/segments.hpp"

namespace saltus {

namespace {

/// Records of RFC 4180, one after the other; lines may also end with LF alone.
class CsvRecords {
 public:
  CsvRecords(std::string_view text, const std::string& path) : text_(text), path_(path) {
    if (text_.starts_with("\xef\xbb\xbf")) at_ = 3;  // a mark that spreadsheets write
  }

  /// False at the end of the text.
  bool next(std::vector<std::string>& fields) {
    if (at_ >= text_.size()) return false;
    line_ = next_line_;
    std::size_t n = 0;
    for (bool more = true; more; ++n) {
      if (n == fields.size()) fields.emplace_back();
      fields[n].clear();
      more = field(fields[n]);
    }
    fields.resize(n);
    return true;
  }
  [[noreturn]] void refuse(const std::string& why) const {
    throw FileError(path_, "line " + std::to_string(line_) + ": " + why);
  }

 private:
  /// True if another one follows in this record.
  bool field(std::string& out) {
    if (at_ < text_.size() && text_[at_] == '"') {
      quoted(out);
    } else {
      const std::size_t end = std::min(text_.find_first_of(",\r\n", at_), text_.size());
      out = text_.substr(at_, end - at_);
      at_ = end;
    }
    if (at_ == text_.size()) return false;
    const char c = text_[at_++];
    if (c == ',') return true;
    if (c == '\r' && at_ < text_.size() && text_[at_] == '\n') ++at_;
    if (c != '\r' && c != '\n') refuse("text after a quoted field");
    ++next_line_;
    return false;
  }
  void quoted(std::string& out) {
    for (++at_;; ++at_) {
      if (at_ == text_.size()) refuse("a quoted field that does not end");
      if (text_[at_] == '"') {
        if (at_ + 1 == text_.size() || text_[at_ + 1] != '"') break;
        ++at_;
      }
      if (text_[at_] == '\n') ++next_line_;
      out += text_[at_];
    }
    ++at_;
  }

  std::string_view text_;
  const std::string& path_;
  std::size_t at_ = 0;
  std::size_t line_ = 1, next_line_ = 1;
};

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
  CsvRecords records(text, path);
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
    if (!t) records.refuse("the time " + quote(fields[0]) + " is no number");
    segments.row(*t, several ? fields[n] : mode, slides ? fields.back() : sliding);
    for (std::size_t i = 1; i < n; ++i) {
      const std::optional<double> value = read_double(fields[i]);
      if (!value && !fields[i].empty())
        records.refuse(quote(fields[i]) + " in column " + quote(header[i]) + " is no number");
      segments.value(i - 1, value);
    }
  }
  for (ResultSegment& segment : table.segments)
    if (!segment.sliding.empty()) segment.sliding = list_of_relations(segment.sliding.front());
  return table;
}

}  // namespace saltus
