// A mode that has begun, and no run around it.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "../dressed_system.hpp"
#include "hybrid/mode/mode_search.hpp"

namespace saltus::hybrid_test {

struct Begun {
  explicit Begun(std::shared_ptr<const System> system, RunOptions of_run = {})
      : options(std::move(of_run)), source({std::move(system)}) {
    EXPECT_TRUE(mode.load().has_value());
    const auto done = mode.begin(options.t_begin, mode.original, nullptr);
    EXPECT_TRUE(done.has_value()) << done.failure().message;
  }
  explicit Begun(SystemFunctions functions, RunOptions of_run = {})
      : Begun(make_system(std::move(functions)), std::move(of_run)) {}

  RunOptions options;
  SeveralModes source;
  detail::ModeSet modes{source, options};
  detail::ModeRun& mode = modes.at(0);
};

/// What the unknown x does, and from where; the mode requires that x >= 0.
struct GuardedWay {
  double (*rate)(double t);
  double begin = 0.0;
  bool is_required = true;
  double other = 0.0;  // an unknown beside it
};

inline std::shared_ptr<const System> guarded(const GuardedWay& way) {
  SystemFunctions f;
  f.unknowns = {{.name = "x", .start = way.begin}, {.name = "other", .start = way.other}};
  f.derivative = [rate = way.rate](double t, auto, auto xdot) { xdot[0] = rate(t), xdot[1] = 0.0; };
  f.switches = {{"x < 0", false}};
  f.switching = [](double, auto x, auto g) { g[0] = -x[0]; };
  Dress dress;
  dress.add_action(
      ActionKind::requirement, "x >= 0",
      [required = way.is_required](auto truths, auto) { return required && truths[0] != 0; });
  return dressed(std::move(f), std::move(dress));
}

/// A stretch that ends at a time, and pieces that were entered.
struct OneBreak final : ScheduledTimes {
  explicit OneBreak(double t) : at(t) {}
  double next(double t, double t_end) const override {
    return t < at ? std::min(at, t_end) : t_end;
  }
  void enter_stretch(double t_from, double) override { entered.push_back(t_from); }
  double at;
  std::vector<double> entered;
};

}  // namespace saltus::hybrid_test
