// Restarts from the left limit of a mode that was left: what has a history jumps by impulses or not at all.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "unit/initialize/started_models.hpp"

namespace saltus {
namespace {

using namespace testing_support;

constexpr double none = std::numeric_limits<double>::infinity();
// As in the tests of the impulse map.
constexpr double exact_jump = 1e-12;

/// The unknowns named may move by `most`, the others have no history.
std::vector<double> history_of(const Started& s, const std::vector<std::string>& names,
                               double most = 1e-6) {
  std::vector<double> h(s.system->size(), none);
  for (const std::string& name : names) h[s.index_of(name)] = most;
  return h;
}

bool tells(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(RestartHistory, CapacitorsThatMustJumpKeepTheirCharge) {
  Model m("capacitors");
  write_parallel_capacitors(m);
  Started s(m);
  RestartOptions o;
  o.history = history_of(s, {"v1", "v2"});
  const auto r = s.restart_with(o);
  ASSERT_TRUE(r.has_value()) << r.failure().message;
  EXPECT_EQ(r->used, RestartPolicy::impulse);
  EXPECT_NEAR(s.value(*r, "v1"), 4.0, 4 * exact_jump);
  EXPECT_NEAR(strength_of(*r, "i"), -6.0, 6 * exact_jump);
  // The twin: guesses of a user have no history and conserve nothing.
  const auto guessed = s.restart_by(RestartPolicy::keep);
  ASSERT_TRUE(guessed.has_value()) << guessed.failure().message;
  EXPECT_EQ(guessed->used, RestartPolicy::keep);
  EXPECT_TRUE(guessed->impulses.empty());
}

TEST(RestartHistory, WhatIsConsistentStaysWithoutImpulses) {
  Model m("capacitors");
  write_parallel_capacitors(m);
  Started s(m);
  for (const RestartPolicy policy :
       {RestartPolicy::keep, RestartPolicy::impulse, RestartPolicy::check}) {
    for (const double off : {0.0, 1e-8}) {
      s.set({{"v1", 3.0 + off}, {"v2", 3.0}, {"i", 7.0}});
      RestartOptions o;
      o.policy = policy;
      o.history = history_of(s, {"v1", "v2"});
      const auto r = s.restart_with(o);
      ASSERT_TRUE(r.has_value()) << r.failure().message;
      EXPECT_TRUE(r->impulses.empty());
      EXPECT_NE(r->used, RestartPolicy::impulse);
      EXPECT_NEAR(s.value(*r, "v1"), 3.0, 2 * off);
    }
  }
  // Smaller errors than this were promised: then it is a jump.
  RestartOptions o;
  o.history = history_of(s, {"v1", "v2"}, 1e-9);
  const auto r = s.restart_with(o);
  ASSERT_TRUE(r.has_value()) << r.failure().message;
  EXPECT_EQ(r->used, RestartPolicy::impulse);
}

TEST(RestartHistory, CheckRefusesAJumpByName) {
  Model m("capacitors");
  write_parallel_capacitors(m);
  Started s(m);
  RestartOptions o;
  o.policy = RestartPolicy::check;
  o.history = history_of(s, {"v1", "v2"});
  const auto r = s.restart_with(o);
  ASSERT_FALSE(r.has_value());
  const std::string& why = r.failure().message;
  EXPECT_TRUE(tells(why, "equation 'parallel' is left at 8")) << why;
  EXPECT_TRUE(tells(why, "'v1' is 10") || tells(why, "'v2' is 2")) << why;
  EXPECT_TRUE(tells(why, "policy keep")) << why;
  // Unknowns without a history may be anything, stated or not.
  o.history = history_of(s, {});
  EXPECT_TRUE(s.restart_with(o).has_value());
}

TEST(RestartHistory, MappedValuesMayMoveWithoutImpulses) {
  Model m("impact");
  write_plastic_impact(m, false);
  Started s(m);
  RestartOptions o;
  o.policy = RestartPolicy::map;
  o.mapped = {{s.index_of("vx"), 0.25}, {s.index_of("vy"), -0.25}};
  o.history = history_of(s, {"x", "y", "vx", "vy"});
  const auto r = s.restart_with(o);
  ASSERT_TRUE(r.has_value()) << r.failure().message;
  EXPECT_EQ(r->used, RestartPolicy::map);
  EXPECT_TRUE(r->impulses.empty());
  EXPECT_NEAR(s.value(*r, "vx"), 0.25, exact_jump);
  // One of them alone: the other one has a history, and the impulse starts from the mapped value.
  o.mapped = {{s.index_of("vx"), 2.0}};
  const auto half = s.restart_with(o);
  ASSERT_TRUE(half.has_value()) << half.failure().message;
  EXPECT_EQ(half->used, RestartPolicy::impulse);
  const double c = 1.0 / std::sqrt(2.0), nv = c * 2.5, nmn = 0.55;
  EXPECT_NEAR(s.value(*half, "vx"), 2.0 - c * nv / nmn, exact_jump);
}

// Index 1: C1 v1' + C2 v2' = -v1, v1 = v2. Both jump, charge is kept, nothing is impulsive.
TEST(RestartHistory, IndexOneHasNoImpulses) {
  Model m("joined");
  Expr v1 = m.state("v1", 10.0), v2 = m.state("v2", 2.0);
  m.equation("charge", der(v1) + 3.0 * der(v2) == -v1);
  m.equation("joined", v1 == v2);
  Started s(m);
  RestartOptions o;
  o.history = history_of(s, {"v1", "v2"});
  const auto r = s.restart_with(o);
  ASSERT_TRUE(r.has_value()) << r.failure().message;
  EXPECT_EQ(r->used, RestartPolicy::keep);
  EXPECT_NEAR(s.value(*r, "v1"), 4.0, 64 * eps * 10);
  EXPECT_TRUE(r->impulses.empty());
}

// Differential before, algebraic now: y jumps to what the equations say, and nothing conserves it.
TEST(RestartHistory, WhatBecomesAlgebraicJumpsWithoutImpulses) {
  Model m("algebraic");
  Expr x = m.state("x", 2.0), y = m.algebraic("y"), z = m.state("z", 2.0), f = m.algebraic("f");
  m.equation("decay", der(x) == -y);
  m.equation("y", y == 3.0 * x);
  m.equation("pulled", der(z) == f);
  m.equation("along", z == x);  // index 2, but consistent
  Started s(m);
  s.set({{"y", 1.0}});
  RestartOptions o;
  o.history = history_of(s, {"x", "y", "z"});
  const auto r = s.restart_with(o);
  ASSERT_TRUE(r.has_value()) << r.failure().message;
  EXPECT_EQ(r->used, RestartPolicy::keep);
  EXPECT_TRUE(r->impulses.empty());
  EXPECT_NEAR(s.value(*r, "y"), 6.0, 64 * eps * 6);
  EXPECT_NEAR(s.value(*r, "x"), 2.0, 64 * eps * 2);
}

// A capacitor that did not exist before has no charge to share: it takes the voltage of the other.
TEST(RestartHistory, UnknownsWithoutAHistoryGiveWay) {
  Model m("capacitors");
  write_parallel_capacitors(m);
  Started s(m);
  s.start.x_given[s.index_of("v2")] = 0;
  RestartOptions o;
  o.history = history_of(s, {"v1"});
  const auto r = s.restart_with(o);
  ASSERT_TRUE(r.has_value()) << r.failure().message;
  EXPECT_NE(r->used, RestartPolicy::impulse);
  EXPECT_TRUE(r->impulses.empty());
  EXPECT_NEAR(s.value(*r, "v1"), 10.0, 64 * eps * 10);
  EXPECT_NEAR(s.value(*r, "v2"), 10.0, 64 * eps * 10);
}

// A voltage that had a value but no derivative before: under policy impulse its charge counts.
TEST(RestartHistory, PolicyImpulseCountsTheWholeLeftLimit) {
  Model m("capacitors");
  write_parallel_capacitors(m);
  Started s(m);
  RestartOptions o;
  o.policy = RestartPolicy::impulse;
  for (const auto& names : {std::vector<std::string>{"v1"}, {"v2"}, {}}) {
    o.history = history_of(s, names);
    const auto r = s.restart_with(o);
    ASSERT_TRUE(r.has_value()) << r.failure().message;
    EXPECT_EQ(r->used, RestartPolicy::impulse);
    EXPECT_NEAR(s.value(*r, "v1"), 4.0, 4 * exact_jump);
    EXPECT_NEAR(strength_of(*r, "i"), -6.0, 6 * exact_jump);
  }
}

TEST(RestartHistory, TheWorkIsCounted) {
  Model m("capacitors");
  write_parallel_capacitors(m);
  Started s(m);
  RestartOptions o;
  o.history = history_of(s, {"v1", "v2"});
  const auto first = s.restart_with(o);
  ASSERT_TRUE(first.has_value()) << first.failure().message;
  o.known = &*first->analysis;
  const auto known = s.restart_with(o);
  ASSERT_TRUE(known.has_value()) << known.failure().message;
  EXPECT_GT(known->n_evaluations, 0u);
  EXPECT_LE(known->n_evaluations + first->analysis->n_evaluations, first->n_evaluations);
  // A jump: two Newton steps, coefficients inside the instant, and consistency once more.
  s.set({{"v1", 2.0}});
  const auto quiet = s.restart_with(o);
  ASSERT_TRUE(quiet.has_value()) << quiet.failure().message;
  EXPECT_LE(quiet->n_evaluations + 2 * 2 + 1, known->n_evaluations);
  // Linear modes take: the wish (2 residuals, 2 Jacobians), one step (2), content, one level more (3); and a
  // jump 5 and consistency (6). Some are rounding errors that are corrected.
  EXPECT_LE(quiet->n_evaluations, 4u + 2u + 1u + 3u + 2u);
  EXPECT_LE(known->n_evaluations, 12u + 5u + 6u + 2u);
  Model ode("ode");
  Expr x = ode.state("x", 1.0);
  ode.equation(der(x) == -x);
  Started simple(ode);
  const auto plain = simple.restart_by(RestartPolicy::keep);
  ASSERT_TRUE(plain.has_value());
  EXPECT_EQ(plain->n_evaluations, 1u);
}

// The impulses of small errors are found by evaluations of their own, which count.
TEST(RestartHistory, TheWorkForErrorsBesideAJumpIsCounted) {
  Model m("both");
  write_parallel_capacitors(m);
  write_plastic_impact(m, true);
  Started s(m);
  s.set({{"vx", 0.3}, {"vy", -0.3}});
  RestartOptions o;
  o.history = history_of(s, {"v1", "v2", "x", "y", "vx", "vy"});
  const auto first = s.restart_with(o);
  ASSERT_TRUE(first.has_value()) << first.failure().message;
  o.known = &*first->analysis;
  const auto without = s.restart_with(o);
  ASSERT_TRUE(without.has_value()) << without.failure().message;
  s.set({{"vx", 0.3 + 1e-8}});
  const auto with = s.restart_with(o);
  ASSERT_TRUE(with.has_value()) << with.failure().message;
  EXPECT_GT(with->n_evaluations, without->n_evaluations);
}

// A real jump beside an offset of integration errors: the one is reported, the other is not.
TEST(RestartHistory, ErrorsBesideAJumpAreNoImpulses) {
  Model m("both");
  write_parallel_capacitors(m);
  write_plastic_impact(m, true, 1e-8);
  Started s(m);
  s.set({{"vx", 0.3}, {"vy", -0.3}});
  RestartOptions o;
  o.history = history_of(s, {"v1", "v2", "x", "y", "vx", "vy"});
  const auto r = s.restart_with(o);
  ASSERT_TRUE(r.has_value()) << r.failure().message;
  ASSERT_EQ(r->impulses.size(), 1u);
  EXPECT_EQ(r->impulses[0].name, "i");
  EXPECT_NEAR(r->impulses[0].strength, -6.0, 6 * exact_jump);
  // The twin: without a history all of it counts.
  const auto all = s.restart_by(RestartPolicy::impulse);
  ASSERT_TRUE(all.has_value()) << all.failure().message;
  EXPECT_GT(all->impulses.size(), 1u);
}

}  // namespace
}  // namespace saltus
