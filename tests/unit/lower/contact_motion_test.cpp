// The contacts of a model at one point, with numbers that are set by hand.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <saltus/lower.hpp>
#include <saltus/model.hpp>

#include "lower/compiled/compiled_system.hpp"
#include "lower/compiled/contact_motion.hpp"

namespace saltus::detail {
namespace {

/// A floor with friction (0), a wall without (1), and a joint (2).
struct ThreeContacts {
  static constexpr std::uint32_t floor = 0, wall = 1, hinge = 2;

  ThreeContacts() {
    Model m("three contacts");
    const Expr h = m.state("h", 1.0), u = m.state("u", 0.0), v = m.state("v", 0.0);
    const Expr s = m.state("s", 1.0), r = m.state("r", 0.0);
    const Expr q = m.state("q", 0.0), w = m.state("w", 0.0);
    const Expr n = m.unilateral("floor", h, {.rest_velocity = 0.25});
    const Expr f = m.friction("rubs", v, n, {.mu_kinetic = 0.3});
    const Expr push = m.unilateral("wall", s), hold = m.joint("hinge", q);
    m.equation(der(h) == u);
    m.equation(der(u) == -10.0 + n);
    m.equation(der(v) == f);
    m.equation(der(s) == r);
    m.equation(der(r) == push);
    m.equation(der(q) == w);
    m.equation(der(w) == hold);
    system = *compile_model(m.build())->system({});
    plan = dynamic_cast<const CompiledSystem&>(*system).contacts();
    motion.emplace(*plan);
    const std::uint32_t n_rows = plan->rows().n;
    motion->values.assign(3 * ContactPlan::n_values, 0.0);
    motion->scales.assign(3 * ContactPlan::n_kept, 1.0);
    motion->free.assign(n_rows, 0.0);
    motion->effect.assign(n_rows, std::vector<double>(system->size(), 0.0));
    motion->response = Matrix(n_rows, n_rows);
  }
  std::uint32_t row(std::uint32_t contact) const { return plan->contacts()[contact].row; }
  std::uint32_t rubs() const { return plan->contacts()[floor].friction_row; }
  void set(std::uint32_t contact, ContactPlan::Value which, double value) {
    motion->values[contact * ContactPlan::n_values + which] = value;
  }
  /// Contacts feel each other, both ways.
  void connect(std::uint32_t one, std::uint32_t other) {
    motion->response(one, other) = motion->response(other, one) = -1.0;
  }

  std::shared_ptr<const System> system;
  const ContactPlan* plan = nullptr;
  std::optional<ContactMotion> motion;
};

using Contacts = std::vector<std::uint32_t>;

TEST(ContactMotion, AGroupHasItsNormalRowsFirstThenThoseOfFriction) {
  ThreeContacts c;
  ASSERT_EQ(c.plan->rows().n, 4u);
  const Contacts group{c.wall, c.floor};
  EXPECT_EQ(c.motion->row_of(group, 0), c.row(c.wall));
  EXPECT_EQ(c.motion->row_of(group, 1), c.row(c.floor));
  EXPECT_EQ(c.motion->row_of(group, 2), none);  // the wall does not rub
  EXPECT_EQ(c.motion->row_of(group, 3), c.rubs());
}

TEST(ContactMotion, TheProblemOfAGroupIsPartOfThatOfAll) {
  ThreeContacts c;
  for (std::uint32_t i = 0; i < 4; ++i) {
    c.motion->free[i] = 1.0 + i;
    for (std::uint32_t j = 0; j < 4; ++j) c.motion->response(i, j) = 10.0 * (1 + i) + j;
  }
  const Contacts group{c.wall, c.floor};
  const auto of = [](std::uint32_t i, std::uint32_t j) { return 10.0 * (1 + i) + j; };
  const std::uint32_t w = c.row(c.wall), f = c.row(c.floor), t = c.rubs();
  EXPECT_EQ(c.motion->free_of(group), (std::vector<double>{1.0 + w, 1.0 + f, 0.0, 1.0 + t}));
  const Matrix response = c.motion->response_of(group);
  EXPECT_EQ(response.values, (std::vector<double>{of(w, w), of(w, f), 0, of(w, t),  //
                                                  of(f, w), of(f, f), 0, of(f, t),  //
                                                  0, 0, 0, 0,                       //
                                                  of(t, w), of(t, f), 0, of(t, t)}));
}

TEST(ContactMotion, LawsAreThoseOfThePoint) {
  ThreeContacts c;
  c.set(c.floor, ContactPlan::mu_kinetic, 0.3);
  c.set(c.floor, ContactPlan::mu_static, 0.2);  // less than kinetic: the kinetic one counts
  const auto laws = c.motion->laws_of(Contacts{c.floor, c.hinge}, {});
  ASSERT_EQ(laws.size(), 2u);
  EXPECT_EQ(laws[0].name, "floor");
  EXPECT_EQ(laws[1].name, "hinge");
  EXPECT_TRUE(laws[0].frictional && !laws[1].frictional);
  EXPECT_TRUE(laws[1].bilateral && !laws[0].bilateral);
  EXPECT_EQ(laws[0].mu_kinetic, 0.3);
  EXPECT_EQ(laws[0].mu_static, 0.3);
  c.set(c.floor, ContactPlan::mu_static, 0.5);
  EXPECT_EQ(c.motion->laws_of(Contacts{c.floor}, {})[0].mu_static, 0.5);
}

TEST(ContactMotion, SlowImpactsAndThoseThatAccumulatedArePlastic) {
  ThreeContacts c;
  for (const std::uint32_t i : {c.floor, c.wall}) {
    c.set(i, ContactPlan::restitution, 0.8);
    c.set(i, ContactPlan::rate, -0.25);
  }
  const auto restitution = [&](std::uint32_t i, const ContactEvent& event) {
    return c.motion->laws_of(Contacts{i}, event)[0].restitution;
  };
  EXPECT_EQ(restitution(c.floor, {}), 0.8);  // just as fast as rest_velocity
  EXPECT_EQ(restitution(c.wall, {}), 0.8);   // has no rest_velocity
  c.set(c.floor, ContactPlan::rate, -0.2499);
  EXPECT_EQ(restitution(c.floor, {}), 0.0);
  c.set(c.floor, ContactPlan::rate, 0.2499);
  EXPECT_EQ(restitution(c.floor, {}), 0.0);
  ContactEvent rests;
  rests.rest_of = c.wall;
  EXPECT_EQ(restitution(c.wall, rests), 0.0);
  rests.rest_of = c.hinge;
  EXPECT_EQ(restitution(c.wall, rests), 0.8);
}

TEST(ContactMotion, ImpulsesMoveWhatHasADerivative) {
  ThreeContacts c;
  std::vector<double>& effect = c.motion->effect[c.row(c.wall)];
  for (std::size_t i = 0; i < effect.size(); ++i) effect[i] = static_cast<double>(i + 1);
  std::vector<double> x(c.system->size(), 100.0);
  c.motion->apply(c.row(c.wall), 2.0, x);
  const auto carries = c.system->carries_derivative();
  std::size_t n_still = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_EQ(x[i], carries[i] ? 100.0 + 2.0 * static_cast<double>(i + 1) : 100.0) << i;
    n_still += carries[i] ? 0 : 1;
  }
  EXPECT_EQ(n_still, 4u);  // the forces
  const std::vector<double> before = x;
  effect.assign(x.size(), std::numeric_limits<double>::infinity());
  c.motion->apply(c.row(c.wall), 0.0, x);
  EXPECT_EQ(x, before);
}

TEST(ContactMotion, AStrikeIsThatOfAllNormalsAndOfFriction) {
  ThreeContacts c;
  const std::uint32_t h = 0;  // what all of them move here
  ASSERT_EQ(c.system->unknown_name(h), "h");
  c.motion->effect[c.row(c.floor)][h] = 1.0;
  c.motion->effect[c.row(c.wall)][h] = 10.0;
  c.motion->effect[c.rubs()][h] = 100.0;
  ContactSolution impulses;
  impulses.contacts = {{.normal_force = 2.0, .tangential_force = 7.0},
                       {.normal_force = 3.0, .tangential_force = 5.0}};
  std::vector<double> x(c.system->size(), 0.0);
  c.motion->strike(Contacts{c.wall, c.floor}, impulses, x);
  EXPECT_EQ(x[h], 10.0 * 2.0 + 1.0 * 3.0 + 100.0 * 5.0);
}

TEST(ContactMotion, WhatIsHeldTakesAwayItsVelocity) {
  ThreeContacts c;
  const std::uint32_t f = c.row(c.floor), w = c.row(c.wall), j = c.row(c.hinge);
  for (const std::uint32_t row : {f, w, j, c.rubs()}) c.motion->response(row, row) = 2.0;
  c.connect(f, w);
  std::vector<double> on(c.plan->rows().first_on + 4, 0.0), velocity(4, 9.0);
  velocity[f] = 1.0;
  velocity[w] = -2.0;
  const auto nothing = c.motion->held_back(on, {}, velocity);
  ASSERT_TRUE(nothing.has_value());
  EXPECT_EQ(*nothing, std::vector<double>(4, 0.0));
  // 2 p - q = -1 and -p + 2 q = 2: p = 0, q = 1.
  on[c.plan->rows().first_on + f] = 1.0;
  const auto held = c.motion->held_back(on, Contacts{w}, velocity);
  ASSERT_TRUE(held.has_value());
  EXPECT_NEAR((*held)[f], 0.0, 1e-15);
  EXPECT_NEAR((*held)[w], 1.0, 1e-15);
  EXPECT_EQ((*held)[j], 0.0);
  EXPECT_EQ((*held)[c.rubs()], 0.0);
  // By itself, it feels nothing of the other.
  EXPECT_NEAR((*c.motion->held_back(on, {}, velocity))[f], -0.5, 1e-15);
}

TEST(ContactMotion, RowsThatDependOnEachOtherHaveNoImpulses) {
  ThreeContacts c;
  const std::uint32_t f = c.row(c.floor), w = c.row(c.wall);
  const std::vector<double> on(c.plan->rows().first_on + 4, 0.0), velocity(4, 1.0);
  // [1 -1; -1 1 + small] has a condition of about 4 / small.
  for (const double small : {0.0, 1e-13, 1e-9}) {
    c.connect(f, w);
    c.motion->response(f, f) = 1.0;
    c.motion->response(w, w) = 1.0 + small;
    EXPECT_EQ(c.motion->held_back(on, Contacts{f, w}, velocity).has_value(), small == 1e-9);
  }
}

TEST(ContactMotion, AHopBeginsAndEndsAtTheSurface) {
  ThreeContacts c;
  c.motion->free[c.row(c.floor)] = -10.0;
  c.set(c.floor, ContactPlan::gap, 5.0);
  EXPECT_NEAR(c.motion->hop_time(c.floor), 2.0, 1e-15);  // 5 = 10/2 (t/2)^2
  c.set(c.floor, ContactPlan::rate, -10.0);              // sqrt(10^2 + 2 10 5) = 10 sqrt 2
  EXPECT_NEAR(c.motion->hop_time(c.floor), 2.0 * std::sqrt(2.0), 1e-15);
  c.set(c.floor, ContactPlan::gap, -5.0);
  EXPECT_NEAR(c.motion->hop_time(c.floor), 2.0, 1e-15);  // 2 v / g
  EXPECT_EQ(c.motion->hop_time(c.wall), 0.0);            // neither moves nor falls
}

TEST(ContactMotion, WhatLiesOnItsSurfaceUpToRoundingDoesNotHop) {
  ThreeContacts c;
  c.motion->scales[c.floor * ContactPlan::n_kept + ContactPlan::kept_gap] = 2.0;
  c.motion->scales[c.floor * ContactPlan::n_kept + ContactPlan::kept_rate] = 1e6;
  EXPECT_DOUBLE_EQ(c.motion->small(c.floor, ContactPlan::kept_gap), 2e-9);
  EXPECT_DOUBLE_EQ(c.motion->least_slack(c.floor, ContactPlan::kept_gap), 2e-12);
  c.motion->free[c.row(c.floor)] = 10.0;
  c.set(c.floor, ContactPlan::gap, 2e-9);
  EXPECT_EQ(c.motion->hop_time(c.floor), 0.0);
  c.set(c.floor, ContactPlan::gap, 2.5e-9);
  EXPECT_GT(c.motion->hop_time(c.floor), 0.0);
}

TEST(ContactMotion, ForcesReachFurtherThroughWhatPushes) {
  using Flags = std::vector<std::uint8_t>;
  ThreeContacts c;
  EXPECT_EQ(c.motion->coupled_with(c.wall, Flags{1, 1, 1}), (Flags{0, 1, 0}));
  c.connect(c.row(c.wall), c.rubs());  // by the friction of the floor
  c.connect(c.row(c.floor), c.row(c.hinge));
  EXPECT_EQ(c.motion->coupled_with(c.wall, Flags{1, 0, 1}), (Flags{1, 1, 1}));
  EXPECT_EQ(c.motion->coupled_with(c.wall, Flags{0, 0, 1}), (Flags{1, 1, 0}));
  EXPECT_EQ(c.motion->coupled_with(c.floor, Flags{0, 0, 0}), (Flags{1, 1, 1}));
}

}  // namespace
}  // namespace saltus::detail
