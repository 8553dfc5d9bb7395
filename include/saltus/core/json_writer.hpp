// Writes JSON text, one value after the other.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>

namespace saltus {

/// Puts commas and line ends; the caller closes what it opens. Texts must not be needed before
/// finish(): they are collected and handed to the stream in large pieces.
class JsonWriter {
 public:
  explicit JsonWriter(std::ostream& out) : out_(out) {}

  /// Members of an object are on lines of their own; elements of an array on one line, unless they
  /// are objects.
  void open_object() { open('{'); }
  void close_object() { close('}'); }
  void open_array() { open('['); }
  void close_array() { close(']'); }
  void key(std::string_view name);

  void value(std::string_view text);
  /// JSON has no infinity and no NaN: they become the texts "inf", "-inf" and "nan".
  void value(double number);
  void value(std::uint64_t number);
  void value(bool truth);
  void null();
  // A literal would become a bool.
  void value(const char* text) { value(std::string_view(text)); }

  template <class T>
  void member(std::string_view name, const T& content) {
    key(name);
    value(content);
  }

  /// Hands over the rest; false if the stream failed.
  bool finish();

 private:
  void open(char bracket);
  void close(char bracket);
  void separate(bool own_line);
  void raw(std::string_view text);

  std::ostream& out_;
  std::string text_;
  std::string open_;   // brackets that are open, the innermost last
  bool first_ = true;  // nothing stands yet in the innermost one
  bool after_key_ = false;
  bool own_lines_ = false;  // the last closed value was an object
};

}  // namespace saltus
