// DISODE45's contract: f, which decides by itself on which side it is, and several switching functions g. Nothing more is
// asked of a user, and the solution may slide on any of them.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <saltus/saltus.hpp>

#include "problems/disode_p1.hpp"
#include "problems/disode_p2_functions.hpp"
#include "problems/disode_p4.hpp"

namespace saltus {
namespace {

constexpr EngineKind engines_of_functions[] = {EngineKind::dopri5, EngineKind::dop853,
                                               EngineKind::radau, EngineKind::ida};

RunOptions functions_options(double t_end, EngineKind engine, double tolerance) {
  RunOptions o;
  o.t_end = t_end;
  o.engine = engine;
  o.rtol = o.atol = tolerance;
  o.limits.max_events = 1000;
  return o;
}

// x falls to 0 and slides there; h is far away, or triggers something of its own.
TEST(FunctionsThatSlide, MayHaveOtherFunctions) {
  for (const EngineKind engine : engines_of_functions) {
    for (const double far : {10.0, 1.2}) {
      const auto system =
          make_system({.unknowns = {{.name = "x", .start = 0.5}, {.name = "y", .start = 0.0}},
                       .derivative =
                           [](double, auto x, auto xdot) {
                             xdot[0] = x[0] > 0.0 ? -1.0 : 2.0;
                             xdot[1] = 1.0;
                           },
                       .switches = {{"g"}, {"h"}},
                       .switching =
                           [far](double, auto x, auto g) {
                             g[0] = x[0];
                             g[1] = x[1] - far;
                           }});
      const Solution s = simulate(system, functions_options(2.0, engine, 1e-8));
      ASSERT_TRUE(s.ok()) << name(engine) << " " << far << ": " << s.report.message;
      EXPECT_NEAR(s.final("x"), 0.0, 1e-8) << name(engine);
      EXPECT_NEAR(s.final("y"), 2.0, 1e-8) << name(engine);
      const auto n_entries =
          std::count_if(s.events().begin(), s.events().end(),
                        [](const Event& e) { return e.kind == EventKind::enter_sliding; });
      EXPECT_EQ(n_entries, 1) << name(engine) << " " << far << "\n" << to_text(s.event_log);
    }
  }
}

// Problem 2 starts with y' = 0, on the surface of its second function, which matters during contact only: damping, looked at
// beside the surface, leads back to it from both sides.
TEST(FunctionsThatSlide, DoProblem2OfDisode45) {
  for (const EngineKind engine : engines_of_functions) {
    SystemFunctions without = problems::disode_p2_functions();
    without.matters = {};
    const auto options = functions_options(3.0, engine, 1e-8);
    const Solution plain = simulate(make_system(without), options),
                   known = simulate(make_system(problems::disode_p2_functions()), options);
    ASSERT_TRUE(plain.ok()) << name(engine) << plain.report.message;
    ASSERT_TRUE(known.ok()) << name(engine) << known.report.message;
    const auto contacts = [](const Solution& s) {
      std::vector<double> times;
      for (const Event& e : s.events())
        if (e.name == "contact") times.push_back(e.t);
      return times;
    };
    EXPECT_FALSE(std::ranges::any_of(plain.events(), [](const Event& e) {
      return e.kind == EventKind::enter_sliding || e.kind == EventKind::exit_sliding;
    })) << name(engine);
    const auto one = contacts(plain), other = contacts(known);
    ASSERT_EQ(one.size(), other.size()) << name(engine);
    ASSERT_GE(one.size(), 12U);
    // Errors grow by a factor of thousands over the impacts of three seconds.
    for (std::size_t k = 0; k < one.size(); ++k) EXPECT_NEAR(one[k], other[k], 1e-4);
  }
}

// At coarse tolerances ida meets the curved surface from so far that a step along its gradient does not reach it.
TEST(FunctionsThatSlide, DoProblem1OfDisode45AtCoarseTolerances) {
  const problems::SlidingProblem p = problems::disode_p1("g");
  for (const EngineKind engine : engines_of_functions) {
    for (const double tolerance : {6e-5, 8e-5, 1e-4, 1.25e-4, 1.6e-4}) {
      const Solution s = simulate(make_system(problems::disode_p1_f_and_g()),
                                  functions_options(p.t_end, engine, tolerance));
      ASSERT_TRUE(s.ok()) << name(engine) << " " << tolerance << ": " << s.report.message;
      const auto c = problems::compare_sliding(s, p, 0.1 * tolerance);
      EXPECT_TRUE(c.complete) << name(engine) << " " << tolerance << ": " << c.first_difference;
      EXPECT_LE(c.largest_time_error, (engine == EngineKind::ida ? 5000 : 1000) * tolerance);
    }
  }
}

// Thirteen crossings, the first mass sticks, three crossings more, then both stick. At several tolerances: whether a step
// ends just before the last surface, beyond which f is another one, is chance.
TEST(FunctionsThatSlide, DoProblem4OfDisode45) {
  const problems::SlidingProblem p = problems::disode_p4();
  for (const EngineKind engine : engines_of_functions) {
    for (const double tolerance :
         {1e-8, 1.05e-8, 1.2e-8, 1.3e-8, 1.4e-8, 1.5e-8, 1.6e-8, 1.75e-8}) {
      RunOptions options = functions_options(p.t_end, engine, tolerance);
      options.limits.max_wall_time_s = 20.0;  // a run takes a hundredth of a second
      const Solution s = simulate(make_system(problems::disode_p4_f_and_g()), options);
      ASSERT_TRUE(s.ok()) << name(engine) << s.report.message;
      std::vector<const Event*> found;
      for (const Event& e : s.events()) {
        if (e.t > 0 && e.kind != EventKind::action) found.push_back(&e);
      }
      ASSERT_EQ(found.size(), p.events.size()) << name(engine) << to_text(s.event_log);
      // Models are within 300 tolerances; here slopes of the surfaces are differences.
      const double allowed = (engine == EngineKind::ida ? 5000 : 1000) * tolerance;
      for (std::size_t k = 0; k < found.size(); ++k) {
        EXPECT_EQ(found[k]->name, p.events[k].surface.substr(0, 2)) << name(engine) << " " << k;
        EXPECT_NEAR(found[k]->t, p.events[k].t, allowed) << name(engine) << " " << k;
      }
    }
  }
}

}  // namespace
}  // namespace saltus
