// What a run tells derivatives while they follow it.
#include <saltus/sensitivity/forward.hpp>

#include <gtest/gtest.h>

#include <saltus/lower/compile_model.hpp>
#include <saltus/model/model.hpp>

namespace saltus {
namespace {

/// x' = 1 with a change of w' at x = 1, from x = 0 to x = 1/2. Then the run may say that it hardly missed the relation.
Sensitivities after_half_the_way(bool hardly_misses) {
  Model m("ramp");
  const Expr x = m.state("x", 0.0), w = m.state("w", 0.0);
  m.equation(der(x) == 1.0);
  m.equation(der(w) == where(x > 1.0, Expr(1.0), Expr(0.0)));
  const auto system = compile_model(m.build())->system({}).value();
  const auto workspace = system->workspace();
  const std::vector<double> at = {0.0, 0.0}, rate = {1.0, 0.0};
  EXPECT_TRUE(static_cast<bool>(workspace->ability<Locks>()->decide(0.0, at, rate)));
  const FollowedPoint begin{*system, *workspace, 0.0, at, rate};
  ForwardSensitivities follower({"x"}, {});
  FoundStart start;
  start.is_as_stated = true;
  follower.begins(begin, start);
  follower.goes_on(begin, "ramp");
  // x = t and w = 0 on [0, 1/2], by powers of the position in the step
  const std::vector<double> coefficients = {0.0, 0.0, 0.5, 0.0};
  follower.piece(*system, *workspace, {0.0, 0.5, 1, 2, coefficients});
  if (hardly_misses) follower.hardly_misses(0, 0.375);
  follower.catch_up();
  return follower.take();
}

TEST(ForwardSensitivities, EndWhereTheRunHardlyMissesARelation) {
  const Sensitivities s = after_half_the_way(true);
  ASSERT_TRUE(s.ends().has_value());
  EXPECT_EQ(s.ends()->t, 0.375);
  EXPECT_NE(s.ends()->why.find("'x > 1' is touched, or missed by less"), std::string::npos)
      << s.ends()->why;
  EXPECT_FALSE(after_half_the_way(false).ends().has_value());
}

}  // namespace
}  // namespace saltus
