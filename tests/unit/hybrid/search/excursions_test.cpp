// Excursions that cannot be told from none.
#include "hybrid/search/excursions.hpp"

#include <cmath>

#include "../instant/source_scene.hpp"

namespace saltus::hybrid_test {
namespace {

constexpr double dip_length = 0.1, dip_bend = 1e-5;

/// x' = derivative of DipScene::dip(), and `other` more where x > 0 is false.
SystemFunctions dipping(double start, double other, bool chooses) {
  SystemFunctions f;
  f.unknowns = {{"x", start}};
  f.locked_derivative = [other](double t, auto, auto locks, auto xdot) {
    xdot[0] = 40 * dip_bend * (20 * t - 1) + (locks.empty() || locks[0] ? 0.0 : other);
  };
  add_relation(
      f, "x > 0", [](double, double x) { return x; }, chooses);
  if (!chooses)
    add_relation(
        f, "lock", [](double, double) { return 1.0; }, true);
  return f;
}

/// At t = 0; the steps that are looked at are given. The tolerance of x at its surface is 1e-6.
struct DipScene : SourceScene {
  explicit DipScene(double start = 0.5, double other = 0.0, bool chooses = true,
                    RunOptions options = Scene::in_one_second())
      : DipScene(std::make_unique<QuietFollower>(), dipping(start, other, chooses), options) {}
  DipScene(std::unique_ptr<QuietFollower> listener, SystemFunctions f, const RunOptions& options)
      : SourceScene(std::make_shared<SingleConfiguration>(make_system(std::move(f))), options,
                    listener.get()),
        follower(std::move(listener)) {
    board().set_truth(0, true);
  }
  StepPolynomial polynomial(std::vector<double> in_powers_of_s, double length = dip_length) {
    values = std::move(in_powers_of_s);
    return {0.0, length, static_cast<int>(values.size()) - 1, 1, values};
  }
  /// x(s) = bend (2 s - 1)^2 - depth
  StepPolynomial dip(double depth) {
    return polynomial({dip_bend - depth, -4 * dip_bend, 4 * dip_bend});
  }
  bool pardons(const StepPolynomial& step, double s_after) {
    group[0] = {0, 0.0, s_after, 0.0, s_after * dip_length};
    return this->step.excursions.pardon(step, 0.0, group);
  }
  bool pardons_dip(double depth) {
    return pardons(dip(depth), 0.5 - 0.49 * std::sqrt(depth / dip_bend));
  }
  std::span<const MarginalMark> marks() { return ground.ledger.report().marginal; }

  std::unique_ptr<QuietFollower> follower;
  std::vector<double> values;
  std::vector<Departure> group = std::vector<Departure>(1);
};

TEST(Excursions, ADipOfLessThanTheErrorIsPardoned) {
  DipScene s;
  ASSERT_TRUE(s.pardons_dip(0.9e-6));
  EXPECT_NEAR(s.board().search_slack(0), 1e-6, 1e-11);
  EXPECT_EQ(s.here()->n_pardoned[0], 1U);
  ASSERT_EQ(s.marks().size(), 1U);
  EXPECT_EQ(s.marks()[0].relation, "x > 0");
  EXPECT_EQ(s.marks()[0].t_from, 0.0);
  EXPECT_EQ(s.marks()[0].t_to, dip_length);
  EXPECT_EQ(s.marks()[0].t, s.group[0].t_after);
  EXPECT_EQ(s.marks()[0].distance, 0.0);
  EXPECT_NEAR(s.marks()[0].error, 1e-6, 1e-11);
  EXPECT_EQ(s.follower->missed, std::vector{s.group[0].t_after});
  // For this step only.
  s.board().forget_excursions();
  EXPECT_EQ(s.board().search_slack(0), 0.0);
}

TEST(Excursions, ADipOfMoreIsNone) {
  DipScene s;
  EXPECT_FALSE(s.pardons_dip(1.1e-6));
  EXPECT_EQ(s.here()->n_pardoned[0], 0U);
  EXPECT_TRUE(s.marks().empty());
  EXPECT_EQ(s.group[0].guarantee, Guarantee::proven);
}

TEST(Excursions, EventsAtTheirZeroAreNotPardoned) {
  RunOptions options = Scene::in_one_second();
  options.events.offset = false;
  DipScene s(0.5, 0.0, true, options);
  EXPECT_FALSE(s.pardons_dip(0.5e-6));
}

TEST(Excursions, WhereTheOtherSideLeadsElsewhereADipIsFollowed) {
  // 1e-5 in a step of 0.1 is a tolerance.
  EXPECT_TRUE(DipScene(0.5, 0.9e-5).pardons_dip(0.5e-6));
  EXPECT_TRUE(DipScene(0.5, 1.0, false).pardons_dip(0.5e-6));
  for (const double depth : {0.9e-6, 1.5e-6}) {
    DipScene s(0.5, 1.1e-5);
    EXPECT_FALSE(s.pardons_dip(depth));
    EXPECT_EQ(s.group[0].guarantee, depth < 1e-6 ? Guarantee::marginal : Guarantee::proven);
    EXPECT_TRUE(s.board().truth(0));
  }
  // Unless it is rounding: a hundredth of the error.
  DipScene rounding(0.5, 1.1e-5);
  EXPECT_TRUE(rounding.pardons_dip(0.9e-8));
  EXPECT_NEAR(rounding.board().search_slack(0), 1e-8, 1e-13);
}

/// A step that ends beyond by 0.4e-6, where the solution is.
bool rests(double natural_step, double from, double other = 0.0) {
  DipScene s(-0.4e-6, other);
  s.here()->natural_step = natural_step;
  const bool pardons = s.pardons(s.polynomial({from, -0.4e-6 - from}), 0.99);
  // Twice as far.
  EXPECT_NEAR(s.board().search_slack(0), pardons ? 0.8e-6 : 0.0, 1e-12);
  return pardons;
}

TEST(Excursions, WhatStaysWithinItsErrorRestsThere) {
  EXPECT_TRUE(rests(0.9, 0.9e-6));
  EXPECT_FALSE(rests(0.9, 1.1e-6));
  // A step of less than a tenth of a usual one says little: x must not move by ten errors in a usual one.
  EXPECT_FALSE(rests(1.1, 0.6e-6));  // 1e-5 / s
  EXPECT_TRUE(rests(1.1, 0.4e-6));   // 0.8e-5 / s
  // Where the sides differ by more than a tolerance in ten steps.
  EXPECT_TRUE(rests(0.5, 0.4e-6, 1.9e-7));
  EXPECT_FALSE(rests(0.5, 0.4e-6, 2.1e-7));
}

TEST(Excursions, ATouchThatGoesOnIsNoNewsForAFollower) {
  for (const double natural_step : {0.9e-2, 1.1e-2}) {
    DipScene s;
    s.board().set_truth(0, false);
    s.here()->natural_step = natural_step;
    // It rises by 1e-3 per second, so that it passes its error in a tenth of a hundredth.
    (void)s.here()->kit->locator.uncertainty_at(0.0, std::vector{0.0}, std::vector{1e-3}, 0);
    s.step.excursions.mark_touches(std::vector<detail::Crossing>{{0, 1}}, 0.25);
    EXPECT_EQ(s.here()->n_pardoned[0], 1U);
    ASSERT_EQ(s.marks().size(), 1U);
    EXPECT_EQ(s.marks()[0].t, 0.25);
    EXPECT_NEAR(s.marks()[0].error, 1e-6, 1e-12);
    EXPECT_EQ(s.follower->missed.size(), natural_step < 1e-2 ? 1U : 0U);
  }
}

TEST(Excursions, WhatAPolynomialLacksIsIntegratedFromTheNearerEnd) {
  SystemFunctions f = dipping(0.5, 0.0, true);
  f.locked_derivative = [](double t, auto, auto, auto xdot) {
    if (t > 2.0) throw std::domain_error("beyond");
    xdot[0] = 5 * t * t * t * t;
  };
  DipScene s(std::make_unique<QuietFollower>(), f, Scene::in_one_second());
  // A constant: all of x(s) is missing. Three points of Gauss are exact for x' = 5 t^4.
  const StepPolynomial step = s.polynomial({7.0}, 1.0);
  const auto n_before = s.ground.ledger.event_work().n_evaluations_iterate;
  const auto left = s.step.excursions.distance_beside(step, {0, 0.4});
  EXPECT_NEAR(left.value_or(0.0), 7.0 + std::pow(0.4, 5), 1e-14);
  EXPECT_EQ(s.ground.ledger.event_work().n_evaluations_iterate, n_before + 4);
  const auto right = s.step.excursions.distance_beside(step, {0, 0.6});
  EXPECT_NEAR(right.value_or(0.0), 7.0 - (1.0 - std::pow(0.6, 5)), 1e-14);
  s.board().set_truth(0, false);
  const auto below = s.step.excursions.distance_beside(step, {0, 0.4});
  EXPECT_NEAR(below.value_or(0.0), -7.0 - std::pow(0.4, 5), 1e-14);
  EXPECT_FALSE(s.step.excursions.distance_beside(s.polynomial({7.0}, 9.0), {0, 0.9}).has_value());
}

TEST(Excursions, ApproachesAreMarkedWhereTheyMayHaveMet) {
  struct Case {
    double lowest, off;  // of the polynomial, and by how much the solution is lower there
    bool is_marked;
    double distance, error;
  };
  for (const Case& c : {Case{0.5e-6, 0.0, true, 0.5e-6, 1e-6}, Case{5e-6, 0.0, false, 0, 0},
                        Case{5e-6, 6e-6, true, 0.0, 4e-6}, Case{5e-6, 2e-6, false, 0, 0},
                        Case{5e-6, 3.6e-6, true, 1.6e-6, 2.7e-6}}) {
    SystemFunctions f = dipping(0.5, 0.0, true);
    f.locked_derivative = [c](double t, auto, auto, auto xdot) {
      xdot[0] = 40 * dip_bend * (20 * t - 1) + (t < 0.05 ? -1 : 1) * c.off / 0.05;
    };
    DipScene s(std::make_unique<QuietFollower>(), f, Scene::in_one_second());
    s.board().set_uncertainty(0, 1e-6);
    const StepPolynomial step = s.dip(-c.lowest);
    ASSERT_TRUE(s.here()->kit->search.first(step, 0.0, s.board().watch(0.0)).empty());
    s.step.excursions.note_approaches(step);
    ASSERT_EQ(s.marks().size(), c.is_marked ? 1U : 0U) << c.lowest << " " << c.off;
    if (!c.is_marked) continue;
    // The place is known to a part of the step only.
    EXPECT_NEAR(s.marks()[0].t, 0.05, dip_length / 8);
    EXPECT_NEAR(s.marks()[0].distance, c.distance, c.off / 8 + 1e-11);
    EXPECT_GE(s.marks()[0].distance, 0.0);
    EXPECT_NEAR(s.marks()[0].error, c.error, c.off / 8 + 1e-11);
    EXPECT_EQ(s.here()->n_pardoned[0], c.off > 0 ? 1U : 0U);
  }
}

/// x'' = 2: whether a crossing with this speed, upwards or downwards, comes back at once.
bool is_flat_at(double v, bool comes_from_above, LocationKind location = LocationKind::exact) {
  SystemFunctions f;
  f.unknowns = {{"x", 0.5}, {"v", -0.01}};
  f.derivative = [](double, auto x, auto xdot) { xdot[0] = x[1], xdot[1] = 2.0; };
  add_relation(f, "x > 0", [](double, double x) { return x; });
  RunOptions options = Scene::in_one_second();
  options.events.location = location;
  Scene s(f, options);
  StartHint hint;
  hint.step = 0.1;
  EXPECT_TRUE(s.step.motion.set_in_motion(0.0, hint).has_value());
  s.step_only();
  s.board().set_truth(0, comes_from_above);
  const detail::EventPoint point{(v + 0.01) / 2.0, {0.0, v}, {v, 2.0}};
  (void)s.here()->kit->locator.uncertainty_at(point.t, point.x, point.xdot, 0);
  return s.step.excursions.is_flat(point, 0);
}

TEST(Excursions, ASlowCrossingThatTurnsBackIsFlat) {
  // v^2 / (2 x'') against four errors of 1e-6: v = 4e-3.
  EXPECT_TRUE(is_flat_at(-3.9e-3, true));
  EXPECT_FALSE(is_flat_at(-4.1e-3, true));
  EXPECT_FALSE(is_flat_at(3.9e-3, false));  // ever faster
  EXPECT_FALSE(is_flat_at(-3.9e-3, true, LocationKind::step_end));
}

}  // namespace
}  // namespace saltus::hybrid_test
