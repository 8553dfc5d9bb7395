// Contacts whose forces are known in closed form.
#include <gtest/gtest.h>

#include <limits>

#include "contact_cases.hpp"

namespace saltus {
namespace {

constexpr double ulp = std::numeric_limits<double>::epsilon();
constexpr double gravity = 9.81;

/// A point mass on a plane that falls at an angle: normal upwards from the plane, tangent down the slope.
ContactCase incline(double angle, double mu_kinetic, double mu_static, double slip = 0.0) {
  ContactCase c = mechanics({rough_contact("block", mu_kinetic, mu_static)}, {{0, 1}, {1, 0}},
                            {2.0, 2.0}, {gravity * std::sin(angle), -gravity * std::cos(angle)});
  c.slip_velocity = {slip};
  return c;
}

TEST(ContactIncline, SticksUpToTheStaticAngleAndSlipsBeyondWithTheKineticForce) {
  const double mu_k = 0.3, mu_s = 0.5, limit = std::atan(mu_s);
  for (const double angle : {0.0, 0.2, limit - 1e-9, limit + 1e-9, 0.7}) {
    const auto s = contact_accelerations(incline(angle, mu_k, mu_s).problem());
    ASSERT_TRUE(s) << s.failure().message;
    const ContactState& c = s->contacts[0];
    const double normal = 2.0 * gravity * std::cos(angle);
    EXPECT_NEAR(c.normal_force, normal, 8 * ulp * normal);
    if (angle < limit) {
      EXPECT_EQ(c.status, ContactStatus::stick);
      EXPECT_NEAR(c.tangential_force, -2.0 * gravity * std::sin(angle), 8 * ulp * normal);
      EXPECT_EQ(c.tangential_acceleration, 0.0);
    } else {
      EXPECT_EQ(c.status, ContactStatus::slip_positive);
      EXPECT_NEAR(c.tangential_force, -mu_k * normal, 8 * ulp * normal);
      EXPECT_NEAR(c.tangential_acceleration, gravity * (std::sin(angle) - mu_k * std::cos(angle)),
                  8 * ulp * gravity);
    }
    EXPECT_EQ(s->uniqueness, MotionVerdict::proven);
    EXPECT_TRUE(s->forces_unique());
  }
}

TEST(ContactIncline, WhatSlidesKeepsItsDirectionOfForce) {
  const auto s = contact_accelerations(incline(0.1, 0.3, 0.5, -2.0).problem());
  ASSERT_TRUE(s) << s.failure().message;
  EXPECT_EQ(s->contacts[0].status, ContactStatus::slip_negative);
  const double normal = 2.0 * gravity * std::cos(0.1);
  EXPECT_NEAR(s->contacts[0].tangential_force, 0.3 * normal, 8 * ulp * normal);
}

TEST(ContactIncline, ALiftedBlockIsOpen) {
  ContactCase c = incline(0.2, 0.3, 0.5);
  c.free[0] = 0.125;
  const auto s = contact_accelerations(c.problem());
  ASSERT_TRUE(s);
  EXPECT_EQ(s->contacts[0].status, ContactStatus::open);
  EXPECT_EQ(s->contacts[0].normal_force, 0.0);
  EXPECT_EQ(s->contacts[0].normal_acceleration, 0.125);
  EXPECT_EQ(s->contacts[0].tangential_acceleration, c.free[1]);
}

/// A block of mass 1 on one of mass 3 that is pulled along the floor with a force; x and y of each, upper one last.
ContactCase two_blocks(double force, double mu_floor_k, double mu_floor_s, double mu_k,
                       double mu_s) {
  return mechanics(
      {rough_contact("floor", mu_floor_k, mu_floor_s), rough_contact("between", mu_k, mu_s)},
      {{0, 1, 0, 0}, {0, -1, 0, 1}, {1, 0, 0, 0}, {-1, 0, 1, 0}}, {3.0, 3.0, 1.0, 1.0},
      {force / 3.0, -gravity, 0.0, -gravity});
}

TEST(ContactChoice, OfWhichContactsBeginToSlipIsTold) {
  // Once the floor gives way both move on with a = F / 4 - mu_floor_k g as long as mu_s g can carry the upper block.
  // If mu_k g cannot, it could slip as well: both motions obey the laws, and the one that sticks is taken.
  const double mu_floor_k = 0.1, mu_floor_s = 0.2, mu_k = 0.3, mu_s = 0.6;
  for (int k = 0; k < 100; ++k) {
    const double a = (0.005 + 0.01 * k) * gravity;  // never on a limit
    const double force = 4.0 * (a + mu_floor_k * gravity);
    const auto s =
        contact_accelerations(two_blocks(force, mu_floor_k, mu_floor_s, mu_k, mu_s).problem());
    ASSERT_TRUE(s) << s.failure().message;
    const bool begins = force > 4.0 * mu_floor_s * gravity;
    const bool carries = a<mu_s * gravity, could_slip = a> mu_k * gravity;
    EXPECT_EQ(slips(s->contacts[0].status), begins) << a;
    EXPECT_EQ(s->contacts[1].status == ContactStatus::stick, !begins || carries) << a;
    EXPECT_EQ(s->uniqueness,
              begins && carries && could_slip ? MotionVerdict::chosen : MotionVerdict::proven)
        << a / gravity;
  }
}

/// A beam of mass 1 on supports at x: height and angle.
ContactCase beam(const std::vector<double>& at, double load_at) {
  std::vector<ContactLaw> laws;
  std::vector<std::vector<double>> h;
  for (const double x : at) {
    laws.push_back(contact_named("support " + std::to_string(laws.size() + 1)));
    h.push_back({1.0, x});
  }
  for (std::size_t i = 0; i < at.size(); ++i) h.push_back({0.0, 0.0});
  return mechanics(laws, h, {1.0, 1.0 / 3.0}, {-12.0, -12.0 * load_at * 3.0});
}

TEST(ContactBeam, ThreeSupportsShareTheLoadByLeastNorm) {
  const auto s = contact_accelerations(beam({-1.0, 0.0, 1.0}, 0.0).problem());
  ASSERT_TRUE(s) << s.failure().message;
  EXPECT_EQ(s->uniqueness, MotionVerdict::proven);
  ASSERT_EQ(s->redundant.size(), 1U);
  for (const ContactState& c : s->contacts) {
    EXPECT_EQ(c.status, ContactStatus::closed);
    EXPECT_NEAR(c.normal_force, 4.0, 64 * ulp * 12.0);
  }
  // n . p = 0 with n along (1, -2, 1)
  const auto& n = s->redundant[0].coefficients;
  EXPECT_NEAR(n[0] / n[1], -0.5, 64 * ulp);
  EXPECT_NEAR(n[2] / n[1], -0.5, 64 * ulp);
}

TEST(ContactBeam, LeastNormGivesWayWhereItWouldPull) {
  // Without signs the load at 0.9 asks for forces (4 - 5.4, 4, 4 + 5.4).
  const auto s = contact_accelerations(beam({-1.0, 0.0, 1.0}, 0.9).problem());
  ASSERT_TRUE(s) << s.failure().message;
  const double expected[] = {0.0, 1.2, 10.8};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(s->contacts[i].status, ContactStatus::closed);
    EXPECT_NEAR(s->contacts[i].normal_force, expected[i], 64 * ulp * 12.0);
  }
  // in place of a row: the first force is 0
  ASSERT_EQ(s->redundant.size(), 1U);
  const auto& n = s->redundant[0].coefficients;
  EXPECT_EQ(std::abs(n[0]), 1.0);
  EXPECT_NEAR(n[1], 0.0, 64 * ulp);
  EXPECT_NEAR(n[2], 0.0, 64 * ulp);
}

TEST(ContactBeam, TipsOverItsLastSupport) {
  const auto s = contact_accelerations(beam({-1.0, 0.0, 1.0}, 1.25).problem());
  ASSERT_TRUE(s) << s.failure().message;
  EXPECT_EQ(s->contacts[0].status, ContactStatus::open);
  EXPECT_EQ(s->contacts[1].status, ContactStatus::open);
  EXPECT_EQ(s->contacts[2].status, ContactStatus::closed);
  // a = (-12 + p, -45 + 3 p), a_1 + a_2 = 0: p = 57 / 4
  EXPECT_NEAR(s->contacts[2].normal_force, 14.25, 64 * ulp * 45.0);
  EXPECT_TRUE(s->forces_unique());
}

/// Two blocks on each other, the upper one pulled sideways: the friction between them drags the lower one.
ContactCase stack(double pull, double mu_floor, double mu_between, double lower = 3.0,
                  double upper = 1.0) {
  return mechanics({rough_contact("floor", mu_floor), rough_contact("between", mu_between)},
                   {{0, 1, 0, 0}, {0, -1, 0, 1}, {1, 0, 0, 0}, {-1, 0, 1, 0}},
                   {lower, lower, upper, upper}, {0.0, -gravity, pull / upper, -gravity});
}

TEST(ContactStack, MovesTogetherOrApart) {
  const double load = 4.0 * gravity;
  auto s = contact_accelerations(stack(0.1 * load, 0.2, 0.9).problem());  // holds
  ASSERT_TRUE(s) << s.failure().message;
  EXPECT_EQ(s->contacts[0].status, ContactStatus::stick);
  EXPECT_EQ(s->contacts[1].status, ContactStatus::stick);
  EXPECT_NEAR(s->contacts[0].tangential_force, -0.1 * load, 32 * ulp * load);
  s = contact_accelerations(stack(0.22 * load, 0.2, 0.9).problem());  // both slide on the floor
  ASSERT_TRUE(s) << s.failure().message;
  EXPECT_EQ(s->contacts[0].status, ContactStatus::slip_positive);
  EXPECT_EQ(s->contacts[1].status, ContactStatus::stick);
  EXPECT_NEAR(s->contacts[0].tangential_acceleration, 0.02 * load / 4.0, 32 * ulp * load);
  s = contact_accelerations(stack(0.3 * load, 0.2, 0.5).problem());  // the upper one alone
  ASSERT_TRUE(s) << s.failure().message;
  EXPECT_EQ(s->contacts[0].status, ContactStatus::stick);
  EXPECT_EQ(s->contacts[1].status, ContactStatus::slip_positive);
  EXPECT_NEAR(s->contacts[1].tangential_acceleration, 0.3 * load - 0.5 * gravity, 32 * ulp * load);
  EXPECT_EQ(s->uniqueness, MotionVerdict::proven);
}

TEST(ContactStack, MassesOfManySizes) {
  for (const double lower : {1e-3, 1e6}) {
    for (const double upper : {1e-3, 1e6}) {
      const auto s = contact_accelerations(stack(0.0, 0.5, 0.5, lower, upper).problem());
      ASSERT_TRUE(s) << s.failure().message;
      const double load = (lower + upper) * gravity;
      // W holds 1 / lower + 1 / upper: what a heavy block on a light one weighs is lost when this is rounded
      const double allowed = 64 * ulp * load * (1.0 + upper / lower);
      EXPECT_NEAR(s->contacts[0].normal_force, load, allowed);
      EXPECT_NEAR(s->contacts[1].normal_force, upper * gravity, allowed);
      EXPECT_LE(s->residual, 1e-10);
    }
  }
}

TEST(ContactJoint, CarriesForcesOfBothSigns) {
  // A bead of mass 2 in a horizontal guide (joint) against a wall, pushed by (3, -5).
  ContactCase c = mechanics({joint_named("guide"), contact_named("wall")},
                            {{0, 1}, {-1, 0}, {0, 0}, {0, 0}}, {2.0, 2.0}, {1.5, 2.5});
  const auto s = contact_accelerations(c.problem());
  ASSERT_TRUE(s) << s.failure().message;
  EXPECT_EQ(s->contacts[0].normal_force, -5.0);
  EXPECT_NEAR(s->contacts[1].normal_force, 3.0, 8 * ulp);
  EXPECT_EQ(s->uniqueness, MotionVerdict::proven);
}

TEST(ContactJoint, TwoThatSayTheSameShareTheForce) {
  ContactCase c =
      mechanics({joint_named("one"), joint_named("two"), rough_contact("floor", 0.3)},
                {{1, 0}, {1, 0}, {0, 1}, {0, 0}, {0, 0}, {1, 0}}, {1.0, 1.0}, {-6.0, -2.0});
  auto s = contact_accelerations(c.problem());
  ASSERT_TRUE(s) << s.failure().message;
  // the floor's friction helps: of |F| minimal with j1 + j2 + t = 6, |t| <= 0.6 -> t = 0.6, j = 2.7
  EXPECT_NEAR(s->contacts[0].normal_force, 2.7, 64 * ulp * 6);
  EXPECT_NEAR(s->contacts[1].normal_force, 2.7, 64 * ulp * 6);
  EXPECT_NEAR(s->contacts[2].tangential_force, 0.6, 64 * ulp * 6);
  EXPECT_EQ(s->redundant.size(), 2U);
  c.free[1] += 1.0;  // they cannot both hold
  s = contact_accelerations(c.problem());
  ASSERT_FALSE(s);
  EXPECT_NE(s.failure().message.find("'one' and 'two' contradict"), std::string::npos)
      << s.failure().message;
}

}  // namespace
}  // namespace saltus
