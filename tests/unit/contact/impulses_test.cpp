// Impacts whose outcome is known in closed form, and those that have none or several.
#include <gtest/gtest.h>

#include <limits>

#include "contact_cases.hpp"

namespace saltus {
namespace {

constexpr double impact_ulp = std::numeric_limits<double>::epsilon();

ContactCase bouncing(double restitution, double mu) {
  ContactCase c = mechanics({rough_contact("ball", mu)}, {{0, 1}, {1, 0}}, {2.0, 2.0}, {0, 0});
  c.laws[0].restitution = restitution;
  return c;
}

TEST(ContactImpulse, OfABallThatSticksOrSlips) {
  const double e = 0.5, mu = 0.25;
  // P_N = 2 (1 + e) 4; it sticks if 2 |v_T| <= mu P_N, that is |v_T| <= 1.5
  for (const double slip : {1.0, -1.499, 1.501, 7.0}) {
    const double before[] = {-4.0, slip};
    const auto s = contact_impulses(bouncing(e, mu).problem(), before);
    ASSERT_TRUE(s) << s.failure().message;
    const ContactState& c = s->contacts[0];
    EXPECT_EQ(c.normal_force, 12.0);
    EXPECT_EQ(c.normal_acceleration, 2.0);
    if (std::abs(slip) < 1.5) {
      EXPECT_EQ(c.status, ContactStatus::stick);
      EXPECT_NEAR(c.tangential_force, -2.0 * slip, 8 * impact_ulp);
      EXPECT_EQ(c.tangential_acceleration, 0.0);
    } else {
      EXPECT_EQ(c.status, ContactStatus::slip_positive);
      EXPECT_EQ(c.tangential_force, -3.0);
      EXPECT_NEAR(c.tangential_acceleration, slip - 1.5, 8 * impact_ulp * slip);
    }
  }
}

TEST(ContactImpulse, RestitutionActsOnlyOnWhatApproaches) {
  const double before[] = {0.5, 1.0};
  const auto s = contact_impulses(bouncing(0.5, 0.25).problem(), before);
  ASSERT_TRUE(s);
  EXPECT_EQ(s->contacts[0].status, ContactStatus::open);
  EXPECT_EQ(s->contacts[0].normal_acceleration, 0.5);
  EXPECT_EQ(s->contacts[0].normal_force, 0.0);
}

/// n balls in a row that touch; contact i is between ball i and ball i + 1.
ContactCase cradle(const std::vector<double>& mass, double restitution) {
  const std::size_t n = mass.size() - 1;
  std::vector<ContactLaw> laws;
  std::vector<std::vector<double>> h(2 * n, std::vector<double>(mass.size(), 0.0));
  for (std::size_t i = 0; i < n; ++i) {
    laws.push_back(contact_named("gap " + std::to_string(i + 1)));
    laws.back().restitution = restitution;
    h[i][i] = -1.0;
    h[i][i + 1] = 1.0;
  }
  return mechanics(laws, h, mass, std::vector<double>(mass.size(), 0.0));
}

TEST(ContactImpulse, TouchingBallsAreNamed) {
  const ContactCase c = cradle({1, 1, 1, 1, 1}, 1.0);
  const double before[8] = {-1, 0, 0, 0};
  const auto s = contact_impulses(c.problem(), before);
  ASSERT_FALSE(s);
  EXPECT_EQ(s.failure().code, FailureCode::not_certified);
  EXPECT_NE(
      s.failure().message.find("'gap 1', 'gap 2', 'gap 3' and 'gap 4' have no unique outcome"),
      std::string::npos)
      << s.failure().message;
}

TEST(ContactImpulse, TheUserMayChooseHowTouchingBallsGoOn) {
  const ContactCase c = cradle({1, 1, 1}, 1.0);
  const double before[4] = {-1, 0};
  // one by one: the last ball flies off with the velocity of the first
  auto s = contact_impulses(c.problem(), before, ImpactLaw::one_by_one);
  ASSERT_TRUE(s) << s.failure().message;
  EXPECT_NEAR(s->contacts[0].normal_acceleration, 0.0, 8 * impact_ulp);
  EXPECT_NEAR(s->contacts[1].normal_acceleration, 1.0, 8 * impact_ulp);
  // all at once: v+ = (-1/3, 2/3, 2/3)
  s = contact_impulses(c.problem(), before, ImpactLaw::all_at_once);
  ASSERT_TRUE(s) << s.failure().message;
  EXPECT_NEAR(s->contacts[0].normal_acceleration, 1.0, 8 * impact_ulp);
  EXPECT_NEAR(s->contacts[1].normal_acceleration, 0.0, 8 * impact_ulp);
  EXPECT_NEAR(s->contacts[0].normal_force, 4.0 / 3.0, 8 * impact_ulp);
  EXPECT_NEAR(s->contacts[1].normal_force, 2.0 / 3.0, 8 * impact_ulp);
}

TEST(ContactImpulse, PlasticImpactsOfTouchingBallsAreUnique) {
  const ContactCase c = cradle({1, 2, 3}, 0.0);
  const double before[4] = {-1, 0};
  const auto s = contact_impulses(c.problem(), before);
  ASSERT_TRUE(s) << s.failure().message;
  EXPECT_EQ(s->uniqueness, MotionVerdict::proven);
  // all go on with 1/6
  EXPECT_NEAR(s->contacts[0].normal_force, 5.0 / 6.0, 8 * impact_ulp);
  EXPECT_NEAR(s->contacts[1].normal_force, 0.5, 8 * impact_ulp);
}

/// A rod of mass 2 and moment of inertia 1/2 that lies on two rough feet below its centre, at -1 and at 1.
ContactCase rod_on_feet(double mu, double restitution) {
  ContactCase c =
      mechanics({rough_contact("left", mu), rough_contact("right", mu)},
                {{0, 1, -1}, {0, 1, 1}, {1, 0, 0.5}, {1, 0, 0.5}}, {2.0, 2.0, 0.5}, {0, 0, 0});
  c.laws[0].restitution = c.laws[1].restitution = restitution;
  return c;
}

// Whatever the order of the impacts: v+ = v- + W P, the cone of friction, and no foot approaches.
TEST(ContactImpulse, OneByOneTheSumOfAllImpulsesMovesTheBody) {
  const double mu = 0.2;
  const ContactCase c = rod_on_feet(mu, 0.25);
  for (const double turn : {-0.3, 0.1, 0.6}) {
    const double before[4] = {-1.0 - turn, -1.0 + turn, 3.0 + 0.5 * turn, 3.0 + 0.5 * turn};
    const auto s = contact_impulses(c.problem(), before, ImpactLaw::one_by_one);
    ASSERT_TRUE(s) << s.failure().message;
    double impulse[4], after[4], size = 0.0;
    for (std::size_t i = 0; i < 2; ++i) {
      impulse[i] = s->contacts[i].normal_force;
      impulse[2 + i] = s->contacts[i].tangential_force;
      after[i] = s->contacts[i].normal_acceleration;
      after[2 + i] = s->contacts[i].tangential_acceleration;
      EXPECT_GT(impulse[i], 0.0);
      EXPECT_GE(after[i], -1e-12) << "impacts end at 1e-13 of the velocities before";
      // The rod slips to the right all the time.
      EXPECT_EQ(s->contacts[i].status, ContactStatus::slip_positive);
      EXPECT_NEAR(impulse[2 + i], -mu * impulse[i], 1e-10 * impulse[i]) << "that of every impact";
      size += impulse[i];
    }
    for (std::size_t i = 0; i < 4; ++i) {
      double expected = before[i];
      for (std::size_t j = 0; j < 4; ++j) expected += c.response(i, j) * impulse[j];
      // Every impact obeys its law to 1e-10, and their impulses fall geometrically.
      EXPECT_NEAR(after[i], expected, 1e-9 * size) << "row " << i << ", turn " << turn;
    }
  }
}

TEST(ContactImpulse, ImpactsThatDoNotMeetAreNotInDoubt) {
  // two balls, each on its own floor
  ContactCase c = mechanics({contact_named("a"), contact_named("b")},
                            {{1, 0}, {0, 1}, {0, 0}, {0, 0}}, {1.0, 3.0}, {0, 0});
  c.laws[0].restitution = c.laws[1].restitution = 0.5;
  const double before[4] = {-1, -2};
  const auto s = contact_impulses(c.problem(), before);
  ASSERT_TRUE(s) << s.failure().message;
  EXPECT_EQ(s->contacts[0].normal_acceleration, 0.5);
  EXPECT_EQ(s->contacts[1].normal_acceleration, 1.0);
}

TEST(ContactImpulse, WhatDoesNotApproachStaysAsItIs) {
  // The wedge of painleve_test, sliding down: impulses that balance each other could stop it, but nothing strikes.
  const ContactCase c =
      mechanics({rough_contact("left", 0.8), rough_contact("right", 0.8)},
                {{1, 0, 0}, {-1, 0, 0}, {0, 1, -1}, {0, 1, 1}}, {1, 1, 1}, {0, 0, 0});
  const double before[] = {0.0, 0.0, -2.0, -2.0};
  const auto s = contact_impulses(c.problem(), before);
  ASSERT_TRUE(s) << s.failure().message;
  EXPECT_EQ(s->contacts[0].status, ContactStatus::slip_negative);
  EXPECT_EQ(s->contacts[0].normal_force, 0.0);
  EXPECT_EQ(s->contacts[0].tangential_acceleration, -2.0);
  // nor does rounding; a real approach does, and then it is not clear what happens
  const double rounding[] = {-1e-16, 1e-16, -2.0, -2.0};
  EXPECT_TRUE(contact_impulses(c.problem(), rounding));
  const double strikes[] = {-1e-3, 1e-3, -2.0, -2.0};
  EXPECT_FALSE(contact_impulses(c.problem(), strikes));
}

TEST(ContactImpulse, EnergyThatWouldGrowIsNamed) {
  // A rod strikes with its tip; friction turns its slip round. Without restitution energy falls.
  int n_grows = 0;
  for (double angle = 0.3; angle < 1.5; angle += 0.1) {
    for (const double slip : {-2.0, 0.5, 1.0, 2.0}) {
      const double c = std::cos(angle), s = std::sin(angle);
      ContactCase rod = mechanics({rough_contact("rod tip", 0.3)}, {{0, 1, -c}, {1, 0, s}},
                                  {1.0, 1.0, 1.0 / 3.0}, {0, 0, 0});
      const double before[] = {-1.0, slip};
      const auto plastic = contact_impulses(rod.problem(), before);
      ASSERT_TRUE(plastic) << plastic.failure().message;
      rod.laws[0].restitution = 0.95;
      const auto elastic = contact_impulses(rod.problem(), before);
      if (elastic) {
        const ContactState& after = elastic->contacts[0];
        EXPECT_LE(after.normal_force * (after.normal_acceleration + before[0]) +
                      after.tangential_force * (after.tangential_acceleration + before[1]),
                  1e-10 * after.normal_force * 8);
      } else {
        ++n_grows;
        EXPECT_NE(elastic.failure().message.find("'rod tip' would create energy"),
                  std::string::npos)
            << elastic.failure().message;
      }
    }
  }
  EXPECT_GT(n_grows, 0);
}

TEST(ContactImpulse, OfAJointIsShared) {
  // A rod hinged at its end, struck at the other: the joint takes -1/2 of the impulse (3/2 l is the centre of
  // percussion at 4/3 l; at 2 l the joint answers with the opposite sign).
  const ContactCase c = mechanics({joint_named("hinge"), contact_named("stop")},
                                  {{1, -1}, {1, 1}, {0, 0}, {0, 0}}, {1.0, 1.0 / 3.0}, {0, 0});
  const double before[] = {0.0, -2.0, 0.0, 0.0};
  const auto s = contact_impulses(c.problem(), before);
  ASSERT_TRUE(s) << s.failure().message;
  EXPECT_NEAR(s->contacts[1].normal_force, 2.0 / 3.0, 8 * impact_ulp);
  EXPECT_NEAR(s->contacts[0].normal_force, 1.0 / 3.0, 8 * impact_ulp);
}

}  // namespace
}  // namespace saltus
