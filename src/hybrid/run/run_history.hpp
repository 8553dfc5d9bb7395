// What the caller of a run has done with it: enough to do it again.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <saltus/trajectory/report.hpp>

namespace saltus::detail {

struct RunCall {
  enum class Kind : std::uint8_t { advance, advance_to, set_input, choose };
  Kind kind = Kind::advance;
  std::uint64_t number = 0;  // of calls of advance(), one after the other; of a candidate
  std::string input = {};
  std::vector<double> values = {};  // a time, or of an input
};

/// Of all bits of some numbers.
std::string hash_of(std::span<const double> numbers);

/// A run as a text: its calls, its options, and a hash of where they led.
struct RunHistory {
  std::string model;
  std::vector<OptionPair> options;  // those that were changed
  std::vector<RunCall> calls;
  std::string state;  // a hash

  void add_advance();
  /// Of several looks one after the other the last one leads where all of them do.
  void add_advance_to(double t);

  /// Lines with a version at the beginning and a checksum at the end.
  std::string to_text() const;
  /// Throws Error for a text that is not one, or was changed.
  static RunHistory from_text(std::string_view text);
};

}  // namespace saltus::detail
