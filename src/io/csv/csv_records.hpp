// Comma-separated text, record by record. Private to io.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <saltus/io/result_file.hpp>

namespace saltus::detail {

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

}  // namespace saltus::detail
