// A trajectory and a stream that are hard on writers.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <locale>
#include <string>
#include <vector>

#include <saltus/trajectory.hpp>

namespace saltus::test {

inline std::uint64_t bits_of(double value) { return std::bit_cast<std::uint64_t>(value); }

inline const std::vector<std::string>& difficult_names() {
  static const std::vector<std::string> names{
      "plain",  "a,b",         "say \"hi\"",           "two\nlines",
      "cr\rlf", "back\\slash", "\xc3\xa4\xe2\x82\xac", " "};
  return names;
}

/// Doubles whose shortest texts are of every kind.
inline std::vector<double> difficult_numbers() {
  using limits = std::numeric_limits<double>;
  return {0.1,
          -0.0,
          1.0 / 3.0,
          1e22,
          123456789012345680.0,
          limits::max(),
          limits::min(),
          limits::denorm_min(),
          -1e-7,
          5.0};
}

/// One variable per difficult name, unit "m/s"; every third row is at the time of an event, where
/// the second variable ceases to exist. Backward: the same rows at the negative times.
inline Trajectory difficult_trajectory(bool backward = false) {
  std::vector<VariableInfo> variables;
  for (const std::string& name : difficult_names())
    variables.push_back({name, variables.empty() ? "" : "m/s", "about \"" + name + "\""});
  const std::vector<double> numbers = difficult_numbers();
  TrajectoryRecorder recorder(variables);
  std::size_t next = 0;
  auto row = [&](double t) {
    std::vector<double> values;
    for (std::size_t i = 0; i < variables.size(); ++i)
      values.push_back(numbers[next++ % numbers.size()]);
    recorder.add_row(backward ? -t : t, values);
  };
  recorder.begin_segment("first", 0);
  row(0);
  row(0.1);
  row(0.3);
  std::vector<std::uint8_t> present(variables.size(), 1);
  present[1] = 0;
  recorder.begin_segment("second, \"other\"", backward ? -0.3 : 0.3, present);
  row(0.3);
  row(1.0 / 3.0);
  return recorder.take();
}

/// What German and Swiss habits make of 1234.5.
class ForeignNumbers : public std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '\''; }
  std::string do_grouping() const override { return "\3"; }
  std::string do_truename() const override { return "wahr"; }
};

/// Sets the global locale for the life of the object.
class ForeignLocale {
 public:
  ForeignLocale() : before_(std::locale::global(locale())) {}
  ~ForeignLocale() { std::locale::global(before_); }
  ForeignLocale(const ForeignLocale&) = delete;
  ForeignLocale& operator=(const ForeignLocale&) = delete;
  static std::locale locale() { return {std::locale::classic(), new ForeignNumbers}; }

 private:
  std::locale before_;
};

}  // namespace saltus::test
