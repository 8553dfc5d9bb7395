// Readers for what the writers write: small, strict, and sharing no code with them.
#pragma once

#include <cstdlib>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <saltus/core/text.hpp>

namespace saltus::test {

/// Records of RFC 4180; every line must end with CR LF.
inline std::vector<std::vector<std::string>> read_csv(std::string_view text) {
  std::vector<std::vector<std::string>> records;
  std::size_t at = 0;
  auto next = [&] {
    if (at >= text.size()) throw std::runtime_error("the text ends inside a record");
    return text[at++];
  };
  while (at < text.size()) {
    std::vector<std::string> record(1);
    for (bool more = true; more;) {
      char c = next();
      if (c == '"') {
        if (!record.back().empty()) throw std::runtime_error("a quote inside a field");
        for (;;) {
          c = next();
          if (c == '"') {
            c = next();
            if (c != '"') break;
          }
          record.back() += c;
        }
        if (c != ',' && c != '\r') throw std::runtime_error("text after a quoted field");
      }
      if (c == ',') {
        record.emplace_back();
      } else if (c == '\r') {
        if (next() != '\n') throw std::runtime_error("CR without LF");
        more = false;
      } else if (c == '\n') {
        throw std::runtime_error("LF without CR");
      } else {
        record.back() += c;
      }
    }
    records.push_back(std::move(record));
  }
  return records;
}

struct Json {
  enum class Kind { null, boolean, number, text, array, object } kind = Kind::null;
  bool truth = false;
  double number = 0;
  std::string text;
  std::vector<Json> elements;
  std::map<std::string, Json> members;

  const Json& operator[](const std::string& name) const { return members.at(name); }
  const Json& operator[](std::size_t i) const { return elements.at(i); }
};

/// RFC 8259, for texts whose escapes are below U+0080 or U+FFFD. Throws at anything else.
class JsonReader {
 public:
  static Json read(std::string_view text) {
    JsonReader reader(text);
    Json value = reader.value();
    reader.space();
    if (reader.at_ != text.size()) fail("text after the value");
    return value;
  }

 private:
  explicit JsonReader(std::string_view text) : text_(text) {}
  [[noreturn]] static void fail(const char* what) { throw std::runtime_error(what); }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void space() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != text_.npos) ++at_;
  }
  void expect(char c) {
    space();
    if (peek() != c) fail("an unexpected character");
    ++at_;
  }
  bool word(std::string_view w) {
    if (text_.substr(at_, w.size()) != w) return false;
    at_ += w.size();
    return true;
  }
  std::size_t digits() {
    const std::size_t begin = at_;
    while (peek() >= '0' && peek() <= '9') ++at_;
    if (at_ == begin) fail("a digit is missing");
    return at_ - begin;
  }
  Json value() {
    space();
    Json v;
    const char c = peek();
    if (c == '{') return object();
    if (c == '[') return array();
    if (c == '"') {
      v.kind = Json::Kind::text;
      v.text = text();
    } else if (word("true") || word("false")) {
      v.kind = Json::Kind::boolean;
      v.truth = text_[at_ - 2] == 'u';
    } else if (!word("null")) {
      v.kind = Json::Kind::number;
      v.number = number();
    }
    return v;
  }
  double number() {
    const std::size_t begin = at_;
    if (peek() == '-') ++at_;
    const bool zero = peek() == '0';
    if (digits() > 1 && zero) fail("a number that begins with 0");
    if (peek() == '.') ++at_, digits();
    if (peek() == 'e' || peek() == 'E') {
      ++at_;
      if (peek() == '+' || peek() == '-') ++at_;
      digits();
    }
    return std::strtod(std::string(text_.substr(begin, at_ - begin)).c_str(), nullptr);
  }
  std::string text() {
    expect('"');
    std::string out;
    while (peek() != '"') {
      if (static_cast<unsigned char>(peek()) < 0x20) fail("a control character or the end");
      if (peek() != '\\') {
        out += text_[at_++];
        continue;
      }
      ++at_;
      if (word("n")) {
        out += '\n';
      } else if (word("\"")) {
        out += '"';
      } else if (word("\\")) {
        out += '\\';
      } else if (word("ufffd")) {
        out += "\xef\xbf\xbd";
      } else if (word("u00")) {
        out += static_cast<char>(std::stoi(std::string(text_.substr(at_, 2)), nullptr, 16));
        at_ += 2;
      } else {
        fail("an unknown escape");
      }
    }
    ++at_;
    return out;
  }
  Json array() {
    Json v;
    v.kind = Json::Kind::array;
    expect('[');
    space();
    if (word("]")) return v;
    do {
      v.elements.push_back(value());
      space();
    } while (word(","));
    expect(']');
    return v;
  }
  Json object() {
    Json v;
    v.kind = Json::Kind::object;
    expect('{');
    space();
    if (word("}")) return v;
    do {
      space();
      const std::string name = text();
      expect(':');
      if (!v.members.emplace(name, value()).second) fail("a name that occurs twice");
      space();
    } while (word(","));
    expect('}');
    return v;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace saltus::test
