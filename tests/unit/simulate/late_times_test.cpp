// Runs at times that have too few digits for their tolerance say so.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <saltus/simulate.hpp>

namespace saltus {
namespace {

constexpr EngineKind engines_of_late_times[] = {EngineKind::dopri5, EngineKind::dop853,
                                                EngineKind::radau, EngineKind::ida};

bool warns_of_resolution(const Solution& s) {
  return std::any_of(s.report.warnings.begin(), s.report.warnings.end(), [](const std::string& w) {
    return w.find("time has a resolution of") != std::string::npos &&
           w.find("'x'") != std::string::npos;
  });
}

double ulp_at(double t) { return std::nextafter(t, std::numeric_limits<double>::infinity()) - t; }

/// A sawtooth of slope `rate` and height 1.
Solution late_sawtooth(double t_begin, double rate, bool with_event, EngineKind engine,
                       double tolerance) {
  Model m("sawtooth");
  const Expr x = m.state("x", 0.0);
  m.equation(der(x) == rate);
  if (with_event) m.when("back", x >= 1.0, {{x, 0.0}});
  RunOptions o;
  o.t_begin = t_begin;
  o.t_end = t_begin + (with_event ? 2.5 : 1.0) / rate;
  o.rtol = o.atol = tolerance;
  o.engine = engine;
  return simulate(m, o);
}

TEST(LateTimes, AreToldOfWhereTheyAreTooCoarse) {
  constexpr std::uint32_t seed = 20260119;
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> exponents(0.0, 12.0), rates(-1.0, 1.0);
  int n_told = 0, n_not = 0;
  for (int k = 0; k < 200; ++k) {
    const double t = std::pow(10.0, exponents(random)), rate = std::pow(10.0, rates(random));
    const bool with_event = k % 2 == 0;
    const double tolerance = k % 3 == 0 ? 1e-4 : 1e-8;
    const EngineKind engine = engines_of_late_times[k % 4];
    // x goes to 1, so its tolerance is twice this one; events are located to 16 ulp.
    const double lost = (with_event ? 16 : 1) * ulp_at(t) * rate / (2 * tolerance);
    // t may pass a power of two, where the resolution changes by 2.
    if (lost > 0.4 && lost < 2.5) continue;
    // A run of less than a thousand different times is another matter.
    if (ulp_at(t) * 1000 > 1 / rate) continue;
    const Solution s = late_sawtooth(t, rate, with_event, engine, tolerance);
    // An implicit engine may find no step at all.
    EXPECT_EQ(warns_of_resolution(s) || !s.ok(), lost > 1)
        << name(engine) << ", seed " << seed << ", case " << k << ": t = " << t << ", rate " << rate
        << ", tolerance " << tolerance << ", lost " << lost << "; " << s.report.message;
    ++(lost > 1 ? n_told : n_not);
  }
  EXPECT_GT(n_told, 20);
  EXPECT_GT(n_not, 20);
}

}  // namespace
}  // namespace saltus
