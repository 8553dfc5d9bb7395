// For examples that write one problem twice, with blocks and with modes by hand: runs a form, says how far both are
// apart, writes the result for a picture.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <saltus/saltus.hpp>

namespace two_forms {

/// What both forms compute, by its name in each.
struct Column {
  std::string with_blocks;
  std::string by_hand = with_blocks;
};

inline saltus::Solution run(const char* name, const std::function<void(saltus::Model&)>& write,
                            double t_end, double tolerance = 1e-8) {
  saltus::Model m(name);
  write(m);
  // Steps that are short enough to be drawn.
  saltus::Solution s = saltus::simulate(
      m, {.t_end = t_end, .rtol = tolerance, .atol = tolerance, .max_step = t_end / 200});
  if (!s.ok()) std::printf("%s: %s\n", name, s.report.message.c_str());
  return s;
}

/// The largest difference of the columns at 1000 times, in tolerances. What jumps at an event is not compared within
/// 1e-5 of the run beside it: the times of events differ by tolerances, too.
inline double apart(const saltus::Solution& blocks, const saltus::Solution& hand,
                    const std::vector<Column>& columns, double t_end, double tolerance = 1e-8) {
  if (!blocks.ok() || !hand.ok()) return std::numeric_limits<double>::infinity();
  const auto near_event = [&](double t) {
    const auto is_near = [&](const saltus::EventInstant& e) {
      return std::abs(e.t - t) < 1e-5 * t_end;
    };
    return std::any_of(blocks.instants().begin(), blocks.instants().end(), is_near) ||
           std::any_of(hand.instants().begin(), hand.instants().end(), is_near);
  };
  double worst = 0.0;
  for (int k = 0; k <= 1000; ++k) {
    const double t = t_end * k / 1000;
    if (near_event(t)) continue;
    for (const Column& c : columns) {
      const double a = blocks.at(c.with_blocks, t), b = hand.at(c.by_hand, t);
      worst = std::max(worst, std::abs(a - b) / (tolerance * (1.0 + std::abs(a))));
    }
  }
  return worst;
}

/// Prints it, rounded up to one digit and to 1 at least; whether it is at most 300.
inline bool agree(const char* what, double tolerances_apart) {
  const double shown = std::max(tolerances_apart, 1.0);
  const double digit = std::pow(10.0, std::floor(std::log10(shown)));
  std::printf("%s: with blocks and by hand at most %g tolerances apart\n", what,
              digit * std::ceil(shown / digit));
  return tolerances_apart <= 300.0;
}

/// Into the files that the program was given, if any.
inline bool write_files(int argc, char** argv,
                        const std::vector<const saltus::Solution*>& solutions) {
  for (std::size_t k = 0; k < solutions.size() && static_cast<int>(k) + 1 < argc; ++k) {
    std::ofstream file(argv[k + 1]);
    if (!saltus::write_csv(solutions[k]->trajectory, file)) return false;
  }
  return true;
}

}  // namespace two_forms
