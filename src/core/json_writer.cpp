#include <saltus/core/json_writer.hpp>

#include <cmath>
#include <ostream>

#include <saltus/core/error.hpp>
#include <saltus/core/text.hpp>

namespace saltus {

namespace {

constexpr std::size_t json_piece = 1U << 16;

/// Length of the well-formed UTF-8 character at the beginning of `text` (Unicode standard, table
/// 3-7); 0 if there is none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const auto continues = [&](std::size_t i) { return (byte(i) & 0xc0U) == 0x80U; };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return continues(1) ? 2 : 0;
  if (lead >= 0xe0 && lead <= 0xef) {
    if (!continues(1) || !continues(2)) return 0;
    if (lead == 0xe0 && byte(1) < 0xa0) return 0;  // longer than needed
    if (lead == 0xed && byte(1) > 0x9f) return 0;  // surrogates
    return 3;
  }
  if (lead >= 0xf0 && lead <= 0xf4) {
    if (!continues(1) || !continues(2) || !continues(3)) return 0;
    if (lead == 0xf0 && byte(1) < 0x90) return 0;  // longer than needed
    if (lead == 0xf4 && byte(1) > 0x8f) return 0;  // above U+10FFFF
    return 4;
  }
  return 0;
}

void append_escaped(std::string_view text, std::string& out) {
  static constexpr std::string_view digits = "0123456789abcdef";
  out += '"';
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const auto code = static_cast<unsigned char>(text[0]);
    if (length == 0) {
      out += "\\ufffd";
    } else if (text[0] == '"' || text[0] == '\\') {
      out += '\\';
      out += text[0];
    } else if (text[0] == '\n') {
      out += "\\n";
    } else if (code < 0x20) {
      out += "\\u00";
      out += digits[code >> 4];
      out += digits[code & 0xf];
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  out += '"';
}

}  // namespace

void JsonWriter::separate(bool own_line) {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (open_.empty()) return;
  if (!first_) text_ += ',';
  if (own_line) {
    text_ += '\n';
    text_.append(open_.size(), ' ');
  } else if (!first_) {
    text_ += ' ';
  }
  first_ = false;
}

void JsonWriter::open(char bracket) {
  separate(bracket == '{');
  text_ += bracket;
  open_ += bracket;
  first_ = true;
  own_lines_ = false;
}

void JsonWriter::close(char bracket) {
  SALTUS_ASSERT(!open_.empty() && !after_key_ && open_.back() == (bracket == '}' ? '{' : '['));
  open_.pop_back();
  if (!first_ && (bracket == '}' || own_lines_)) {
    text_ += '\n';
    text_.append(open_.size(), ' ');
  }
  text_ += bracket;
  first_ = false;
  own_lines_ = bracket == '}';
}

void JsonWriter::key(std::string_view name) {
  SALTUS_ASSERT(!open_.empty() && open_.back() == '{' && !after_key_);
  separate(true);
  append_escaped(name, text_);
  text_ += ": ";
  after_key_ = true;
}

void JsonWriter::raw(std::string_view text) {
  separate(false);
  text_ += text;
  own_lines_ = false;
  if (text_.size() < json_piece) return;
  out_.write(text_.data(), static_cast<std::streamsize>(text_.size()));
  text_.clear();
}

void JsonWriter::value(std::string_view text) {
  std::string escaped;
  append_escaped(text, escaped);
  raw(escaped);
}

void JsonWriter::value(double number) {
  if (!std::isfinite(number)) return value(std::string_view(to_text(number)));
  // "-0" is a valid number, but readers that have integers make 0 of it.
  raw(number == 0.0 && std::signbit(number) ? "-0.0" : to_text(number));
}

void JsonWriter::value(std::uint64_t number) { raw(std::to_string(number)); }

void JsonWriter::value(bool truth) { raw(truth ? "true" : "false"); }

void JsonWriter::null() { raw("null"); }

bool JsonWriter::finish() {
  SALTUS_ASSERT(open_.empty());
  text_ += '\n';
  out_.write(text_.data(), static_cast<std::streamsize>(text_.size()));
  text_.clear();
  out_.flush();
  return out_.good();
}

}  // namespace saltus
