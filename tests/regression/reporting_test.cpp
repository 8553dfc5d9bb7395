// Complaints: what other tools keep to themselves.
#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include <saltus/saltus.hpp>

#include "regression/naive.hpp"

namespace saltus {
namespace {

// ---- DifferentialEquations.jl#677: a misspelt option is ignored ---------------------------------------

TEST(ComplaintsDifferentialEquations677, AMisspeltOptionIsRefusedWithTheNearestOne) {
  RunOptions o;
  for (const auto& [wrong, right] :
       {std::pair("rtoll", "rtol"), std::pair("events.hystersis", "events.hysteresis"),
        std::pair("events.ofset", "events.offset")}) {
    try {
      set_option(o, wrong, "1e-3");
      ADD_FAILURE() << wrong << " was accepted";
    } catch (const OptionError& e) {
      EXPECT_NE(std::string(e.what()).find(right), std::string::npos) << e.what();
    }
  }
}

TEST(ComplaintsDifferentialEquations677, AMisspeltRelationIsRefusedWithTheNearestOne) {
  Model m("relay");
  Expr x = m.state("x", 1.0);
  m.equation(der(x) == where(x > 0.5, Expr(-1.0), Expr(-2.0)));
  RunOptions o;
  o.events.hysteresis = {{"x > 0.55", 0.1}};
  try {
    simulate(m, o);
    ADD_FAILURE() << "accepted";
  } catch (const OptionError& e) {
    EXPECT_NE(std::string(e.what()).find("'x > 0.5'"), std::string::npos) << e.what();
  }
}

TEST(ComplaintsDifferentialEquations677, NaiveKeywordsAreIgnored) {
  const std::map<std::string, double> given = {{"rtoll", 1e-3}};
  const auto found = given.find("rtol");
  EXPECT_EQ(found == given.end() ? 1e-6 : found->second, 1e-6);  // as if nothing had been asked for
}

// ---- DifferentialEquations.jl#764, scipy#10319: event points are lost when a grid is given ------------

void write_ball(Model& m) {
  Expr h = m.state("h", 1.0), v = m.state("v", 0.0);
  m.equation(der(h) == v);
  m.equation(der(v) == -9.81);
  m.when("bounce", h < 0.0, {{v, -0.8 * pre(v)}});
}

TEST(ComplaintsScipy10319, EventsAndBothTheirLimitsAreKeptBesideAGrid) {
  Model m("ball");
  write_ball(m);
  RunOptions o = {.t_end = 1.0, .rtol = 1e-9, .atol = 1e-9, .engine = EngineKind::dopri5};
  o.output.points = OutputPoints::grid;
  o.output.interval = 0.1;
  const Solution s = simulate(m, o);
  ASSERT_TRUE(s.ok()) << s.report.message;
  const double t = std::sqrt(2 / 9.81), v = 9.81 * t;
  ASSERT_EQ(s.instants().size(), 1u);
  const EventInstant& impact = s.instants()[0];
  EXPECT_NEAR(impact.t, t, 300 * 1e-9);
  const std::uint32_t column = s.trajectory.index_of("v");
  EXPECT_NEAR(impact.x_minus[column], -v, 3000 * 1e-9);
  EXPECT_NEAR(impact.x_plus[column], 0.8 * v, 3000 * 1e-9);
  EXPECT_NEAR(s.at("v", impact.t, Side::left), -v, 3000 * 1e-9);
  EXPECT_NEAR(s.at("v", impact.t, Side::right), 0.8 * v, 3000 * 1e-9);
}

TEST(ComplaintsScipy10319, NaiveGridRowsDoNotHaveTheImpact) {
  Model m("ball");
  write_ball(m);
  RunOptions o = {.t_end = 1.0, .rtol = 1e-9, .atol = 1e-9, .engine = EngineKind::dopri5};
  o.output.points = OutputPoints::grid;
  o.output.interval = 0.1;
  const Solution s = simulate(m, o);
  // The fastest moment among the rows of the grid is not the impact.
  const double v = std::sqrt(2 * 9.81);
  double fastest = 0.0;
  for (std::uint32_t r = 0; r < s.trajectory.n_rows(); ++r) {
    const double at = s.trajectory.times()[r];
    if (std::abs(at - std::round(at * 10) / 10) < 1e-12)
      fastest = std::max(fastest, std::abs(s.trajectory.row(r)[s.trajectory.index_of("v")]));
  }
  EXPECT_LT(fastest, 0.95 * v);
}

}  // namespace
}  // namespace saltus
