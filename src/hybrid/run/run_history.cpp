#include "hybrid/run/run_history.hpp"

#include <bit>
#include <charconv>

#include <saltus/core/error.hpp>
#include <saltus/core/text.hpp>
#include <saltus/core/version.hpp>

namespace saltus::detail {

namespace {

constexpr std::string_view first_line = "saltus snapshot 1";

/// As 16 digits.
std::string bits_text(std::uint64_t bits) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text(16, '0');
  for (std::size_t k = 16; k-- > 0; bits >>= 4U) text[k] = digits[bits & 15U];
  return text;
}

/// FNV-1a.
std::string checksum_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return bits_text(hash);
}

/// All bits of a number.
std::string bits_of(double value) { return bits_text(std::bit_cast<std::uint64_t>(value)); }

/// On one line: names may contain line ends.
std::string escaped(std::string_view text) {
  std::string line;
  for (const char c : text) line += c == '\n' ? "\\n" : c == '\\' ? "\\\\" : std::string(1, c);
  return line;
}

std::string unescaped(std::string_view line) {
  std::string text;
  for (std::size_t k = 0; k < line.size(); ++k) {
    const bool escapes = line[k] == '\\' && k + 1 < line.size();
    if (escapes) ++k;
    text += escapes && line[k] == 'n' ? '\n' : line[k];
  }
  return text;
}

[[noreturn]] void refuse(const std::string& why) { throw Error("this snapshot " + why); }

/// Takes words off the front of a line.
class Line {
 public:
  explicit Line(std::string_view text) : rest_(text) {}
  std::string_view word() {
    const std::size_t end = rest_.find(' ');
    const std::string_view found = rest_.substr(0, end);
    rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end + 1);
    return found;
  }
  std::uint64_t number(int base = 10) {
    const std::string_view text = word();
    std::uint64_t value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size())
      refuse("has a line that cannot be read");
    return value;
  }
  double bits() { return std::bit_cast<double>(number(16)); }
  std::string rest() const { return unescaped(rest_); }

 private:
  std::string_view rest_;
};

std::string text_of(const RunCall& call) {
  switch (call.kind) {
    case RunCall::Kind::advance:
      return "advance " + std::to_string(call.number);
    case RunCall::Kind::advance_to:
      return "to " + bits_of(call.values.front());
    case RunCall::Kind::choose:
      return "choose " + std::to_string(call.number);
    case RunCall::Kind::set_input:
      break;
  }
  std::string line = "input " + std::to_string(call.values.size());
  for (const double value : call.values) line += " " + bits_of(value);
  return line + " " + escaped(call.input);
}

RunCall call_of(std::string_view what, Line& line) {
  RunCall call;
  if (what == "advance") {
    call.number = line.number();
  } else if (what == "choose") {
    call.kind = RunCall::Kind::choose;
    call.number = line.number();
  } else if (what == "to") {
    call.kind = RunCall::Kind::advance_to;
    call.values = {line.bits()};
  } else if (what == "input") {
    call.kind = RunCall::Kind::set_input;
    for (std::uint64_t n = line.number(); n > 0 && !line.rest().empty(); --n)
      call.values.push_back(line.bits());
    call.input = line.rest();
  } else {
    refuse("has a line that cannot be read");
  }
  return call;
}

void read_line(std::string_view text, RunHistory& history) {
  Line line(text);
  const std::string_view what = line.word();
  if (what == "model") {
    history.model = line.rest();
  } else if (what == "state") {
    history.state = line.rest();
  } else if (what == "option") {
    const std::string name(line.word());
    history.options.push_back({name, line.rest(), "", true});
  } else {
    history.calls.push_back(call_of(what, line));
  }
}

}  // namespace

std::string hash_of(std::span<const double> numbers) {
  std::string text;
  for (const double number : numbers) text += bits_of(number);
  return checksum_of(text);
}

void RunHistory::add_advance() {
  if (calls.empty() || calls.back().kind != RunCall::Kind::advance) calls.emplace_back();
  ++calls.back().number;
}

void RunHistory::add_advance_to(double t) {
  if (calls.empty() || calls.back().kind != RunCall::Kind::advance_to)
    calls.push_back({.kind = RunCall::Kind::advance_to});
  calls.back().values = {t};
}

std::string RunHistory::to_text() const {
  std::string text = std::string(first_line) + "\nlibrary " + std::string(library_version()) +
                     "\nmodel " + escaped(model) + "\n";
  for (const OptionPair& option : options)
    text += "option " + option.name + " " + escaped(option.given) + "\n";
  for (const RunCall& call : calls) text += text_of(call) + "\n";
  text += "state " + state + "\n";
  return text + "checksum " + checksum_of(text) + "\n";
}

RunHistory RunHistory::from_text(std::string_view text) {
  if (!text.starts_with(first_line))
    refuse("cannot be read: it is not a saved run, or one of another version");
  const std::size_t end = text.rfind("checksum ");
  if (end == std::string_view::npos ||
      text.substr(end) != "checksum " + checksum_of(text.substr(0, end)) + "\n")
    refuse("was changed or cut off: its checksum is wrong");
  RunHistory history;
  std::string_view rest = text.substr(first_line.size() + 1, end - first_line.size() - 1);
  const std::string library = "library " + std::string(library_version());
  if (!rest.starts_with(library + "\n"))
    refuse("is of another version of Saltus (" + std::string(rest.substr(0, rest.find('\n'))) +
           "): its run would not be the same");
  rest.remove_prefix(library.size() + 1);
  while (!rest.empty()) {
    const std::size_t line_end = rest.find('\n');
    read_line(rest.substr(0, line_end), history);
    rest.remove_prefix(line_end + 1);
  }
  return history;
}

}  // namespace saltus::detail
