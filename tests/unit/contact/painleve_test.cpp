// A rod that slides on its tip: where rigid bodies with friction have no motion, or two.
#include <gtest/gtest.h>

#include "contact_cases.hpp"

namespace saltus {
namespace {

/// A uniform rod of mass 1 and half length 1 at `angle` above the floor, its lower tip to the left of its centre,
/// sliding with the sign of `slip`; f_N = -g + omega^2 sin(angle). With p_T = -mu sign(slip) p_N
///   a_N = (1 + 3 cos^2 + 3 mu sign(slip) sin cos) p_N + f_N.
ContactCase rod(double angle, double mu, double slip, double normal_free) {
  const double c = std::cos(angle), s = std::sin(angle);
  ContactCase rod = mechanics({rough_contact("rod tip", mu)}, {{0, 1, -c}, {1, 0, s}},
                              {1.0, 1.0, 1.0 / 3.0}, {0.0, 0.0, 0.0});
  rod.free[0] = normal_free;
  rod.slip_velocity = {slip};
  return rod;
}
double normal_response(double angle, double mu, double slip) {
  const double c = std::cos(angle), s = std::sin(angle);
  return 1.0 + 3.0 * c * c + std::copysign(3.0 * mu, slip) * s * c;
}

TEST(ContactPainleve, IsNamedExactlyWhereTheClosedFormSaysSo) {
  int n_named = 0, n_solved = 0;
  for (const double mu : {0.5, 1.3, 1.4, 2.0, 3.0}) {
    for (double angle = 0.05; angle < 1.57; angle += 0.1) {
      for (const double slip : {-1.0, 1.0}) {
        for (const double free : {-2.0, 3.0}) {
          const double response = normal_response(angle, mu, slip);
          const auto s = contact_accelerations(rod(angle, mu, slip, free).problem());
          if (response < 0.0) {
            ++n_named;
            ASSERT_FALSE(s) << "mu " << mu << " angle " << angle;
            EXPECT_NE(s.failure().message.find("'rod tip'"), std::string::npos);
            // inconsistent: none; indeterminate: it lifts off, or it is pressed on
            EXPECT_NE(s.failure().message.find(free < 0.0 ? "Painleve" : "not unique: 2"),
                      std::string::npos)
                << s.failure().message;
          } else {
            ++n_solved;
            ASSERT_TRUE(s) << s.failure().message;
            EXPECT_EQ(s->uniqueness, MotionVerdict::proven);
            // 16: sums of four terms, of size 1 + 3 + 3 mu at most
            const double expected = std::max(0.0, -free / response);
            EXPECT_NEAR(s->contacts[0].normal_force, expected,
                        16 * 1e-15 * (4 + 3 * mu) / response * (1 + expected));
          }
        }
      }
    }
  }
  // the least mu is 4/3, at the angle whose tangent is 2; only where the tip is pushed
  EXPECT_GT(n_named, 20);
  EXPECT_GT(n_solved, 200);
}

TEST(ContactPainleve, BothMotionsAreListed) {
  const auto s = contact_accelerations(rod(1.1, 2.0, -1.0, 3.0).problem());
  ASSERT_FALSE(s);
  const std::string& text = s.failure().message;
  EXPECT_EQ(s.failure().code, FailureCode::not_certified);
  EXPECT_NE(text.find("'rod tip' open (acceleration 3,"), std::string::npos) << text;
  EXPECT_NE(text.find("'rod tip' slips backwards (acceleration 0,"), std::string::npos) << text;
}

/// v+ = 0 of a tip that slipped with velocity -1: W P = (0, 1), of which W_NT = -3 sin cos.
struct TipImpulse {
  double normal, tangential;
};
TipImpulse stopping_impulse(double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  const double nn = 1.0 + 3.0 * c * c, nt = -3.0 * s * c, tt = 1.0 + 3.0 * s * s;
  const double det = nn * tt - nt * nt;
  return {-nt / det, nn / det};
}

TEST(ContactPainleve, WhatIsJammedStopsByAnImpulseWithoutCollision) {
  int n_jammed = 0;
  for (const double mu : {0.5, 1.4, 2.0, 3.0}) {
    for (double angle = 0.05; angle < 1.57; angle += 0.1) {
      for (const double slip : {-1.0, 1.0}) {
        for (const double free : {-2.0, 3.0}) {
          const auto jam = contact_jam(rod(angle, mu, slip, free).problem());
          if (!(normal_response(angle, mu, slip) < 0.0 && free < 0.0)) {
            EXPECT_FALSE(jam) << "mu " << mu << " angle "
                              << angle;  // there are forces, or two motions
            continue;
          }
          ++n_jammed;
          ASSERT_TRUE(jam) << jam.failure().message;
          const ContactState& tip = jam->contacts[0];
          const TipImpulse expected = stopping_impulse(angle);
          EXPECT_EQ(tip.status, ContactStatus::stick);
          // a 2 by 2 system of condition below 100
          EXPECT_NEAR(tip.normal_force, expected.normal, 1e-13 * expected.normal);
          EXPECT_NEAR(tip.tangential_force, expected.tangential, 1e-13 * expected.tangential);
          EXPECT_LE(tip.tangential_force, mu * tip.normal_force);
          EXPECT_EQ(tip.tangential_acceleration, 0.0);
        }
      }
    }
  }
  EXPECT_GT(n_jammed, 10);
}

TEST(ContactPainleve, NothingHappensToBodiesThatAreNotJammed) {
  // Two rods, of which one slides the other way: its friction pulls and does not push.
  ContactCase two = rod(1.1, 2.0, -1.0, -2.0);
  const ContactCase other = rod(1.1, 2.0, 1.0, -2.0);
  two.laws.push_back(other.laws[0]);
  two.laws[1].name = "other tip";
  Matrix w(4, 4);
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t j = 0; j < 2; ++j)
      w(2 * i, 2 * j) = w(2 * i + 1, 2 * j + 1) = two.response(i, j);
  }
  two.response = w;
  two.free = {-2.0, -2.0, two.free[1], other.free[1]};
  two.slip_velocity = {-1.0, 1.0};
  const auto jam = contact_jam(two.problem());
  ASSERT_TRUE(jam) << jam.failure().message;
  EXPECT_NEAR(jam->contacts[0].normal_force, stopping_impulse(1.1).normal, 1e-13);
  EXPECT_EQ(jam->contacts[1].normal_force, 0.0);
  EXPECT_EQ(jam->contacts[1].tangential_acceleration, 1.0);
}

TEST(ContactPainleve, ARodAtRestHasAMotionWhateverItsFriction) {
  for (double angle = 0.05; angle < 1.57; angle += 0.1) {
    ContactCase c = rod(angle, 3.0, 0.0, -9.81);
    const auto s = contact_accelerations(c.problem());
    ASSERT_TRUE(s) << angle << ": " << s.failure().message;
    EXPECT_EQ(s->contacts[0].normal_acceleration, 0.0);
  }
}

TEST(ContactWedge, OneThatCanJamOrFallIsNamed) {
  // A block between two walls that face each other, steep friction, gravity: it falls, or it is jammed.
  const ContactCase c =
      mechanics({rough_contact("left", 0.8), rough_contact("right", 0.8)},
                {{1, 0, 0}, {-1, 0, 0}, {0, 1, -1}, {0, 1, 1}}, {1, 1, 1}, {0, -9.81, 0});
  const auto s = contact_accelerations(c.problem());
  ASSERT_FALSE(s);
  EXPECT_NE(s.failure().message.find("'left' and 'right' is not unique"), std::string::npos)
      << s.failure().message;
}

TEST(ContactNumbers, AreCheckedByName) {
  ContactCase c = rod(1.0, 0.3, 0.0, -1.0);
  c.free[1] = std::nan("");
  const auto s = contact_accelerations(c.problem());
  ASSERT_FALSE(s);
  EXPECT_EQ(s.failure().code, FailureCode::not_finite);
  EXPECT_NE(s.failure().message.find("'rod tip'"), std::string::npos);
  ContactLaw law = rough_contact("tip", 0.5, 0.4);
  EXPECT_THROW(validate(law), ModelError);
  law = joint_named("pin");
  law.frictional = true;
  EXPECT_THROW(validate(law), ModelError);
  law = contact_named("ball");
  law.restitution = 1.5;
  EXPECT_THROW(validate(law), ModelError);
}

}  // namespace
}  // namespace saltus
