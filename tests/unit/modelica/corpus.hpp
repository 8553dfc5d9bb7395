// Texts with what is expected of them, in comments at their beginning:
//
//   // value x(1.5) = 2.25 +- 1e-6       at a time of the run (right limit); left(x, 1.5) is the left one
//   // events "when h <= 0" 7            that many events of that name
//   // event "h <= 0" 1.25 +- 1e-9       one of them is there
//   // instant 1.25 +- 1e-9             something happens there
//   // instants 12                       that many of them in the run
//   // outcome terminal_event            how the run ends; finished if nothing is said
//   // says message                      the report of the run contains it
//   // parameter k = 3                   given from outside
//   // stop 2.5                          instead of the experiment
//   // error 4:12 message                a diagnostic, with all of its text
//   // warning 4:12 message
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <saltus/saltus.hpp>

namespace saltus::test {

struct Expectations {
  struct Value {
    std::string variable;
    double t = 0.0, value = 0.0, tolerance = 0.0;
    Side side = Side::right;
  };
  struct Happening {
    std::string name;
    double t = 0.0, tolerance = 0.0;
  };
  std::vector<Value> values;
  std::vector<Happening> happenings;
  std::vector<std::pair<std::string, std::size_t>> counts;
  std::vector<Happening> instants;
  std::optional<std::size_t> n_instants;
  std::vector<std::string> diagnostics;
  std::vector<std::string> says;
  std::string outcome = "finished";
  std::optional<double> stop;
  ReadOptions options;
  bool any = false;
};

Expectations expectations_of(const std::string& text);

/// What is not as expected; empty: all is well.
std::vector<std::string> complaints_about(const std::string& text, const std::string& file_name);

}  // namespace saltus::test
