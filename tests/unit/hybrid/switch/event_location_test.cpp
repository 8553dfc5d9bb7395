// The time of an event and the state there; how far from a surface events are placed.
#include "hybrid/switch/event_location.hpp"

#include <limits>

#include <saltus/slide/sliding_system.hpp>
#include <saltus/system/function_system.hpp>

#include "fake_switches.hpp"

namespace saltus::hybrid_test {
namespace {

using detail::EventPoint;

constexpr double location_eps = std::numeric_limits<double>::epsilon();

/// One step along x = c0 + c1 s + c2 s^2 with s = t - begin, that can be made shorter.
class PathEngine final : public Engine {
 public:
  PathEngine(double begin, double end, std::array<double, 3> path)
      : begin_(begin), end_(end), path_(path) {
    end_at(end);
  }
  EngineKind kind() const override { return EngineKind::dopri5; }
  Result<void> start(const EnginePoint&, double, const StartHint&) override { return {}; }
  Result<void> step(double) override { return {}; }
  StepPolynomial last_step() override {
    const double h = t_ - begin_;
    coefficients_ = {path_[0], path_[1] * h, path_[2] * h * h};
    return {begin_, t_, 2, 1, coefficients_};
  }
  Result<void> shorten(double t) override {
    ++n_shortened;
    if (refuses || !((t - begin_) * (end_ - t) > 0)) return Failure{FailureCode::not_converged, ""};
    end_at(t);
    x_ += is_off;
    return {};
  }
  double t() const override { return t_; }
  std::span<const double> x() const override { return {&x_, 1}; }
  std::span<const double> xdot() const override { return {&xdot_, 1}; }
  const WorkCounts& work() const override { return work_; }
  void set_stage_check(StageCheck) override {}

  int n_shortened = 0;
  bool refuses = false;
  double is_off = 0.0;  // what it reaches itself, from its polynomial

 private:
  void end_at(double t) {
    t_ = t;
    const double s = t - begin_;
    x_ = path_[0] + path_[1] * s + path_[2] * s * s;
    xdot_ = path_[1] + 2 * path_[2] * s;
  }
  double begin_, end_, t_ = 0.0, x_ = 0.0, xdot_ = 0.0;
  std::array<double, 3> path_, coefficients_{};
  WorkCounts work_;
};

/// 'a' is x > 1/2. Tolerances allow an error of 1e-3 in each unknown.
FakeParts at_half() {
  return {.functions = {{.info = {.name = "a"}, .constant = -0.5, .by_x = {1.0}}}};
}
FakeParts sets_at_half() {
  FakeParts parts = at_half();
  parts.functions[0].info.sets_unknowns = true;
  return parts;
}

template <class Switches = FakeSwitches>
struct LocationScene {
  explicit LocationScene(FakeParts parts = at_half(), EventOptions wanted = {})
      : options(std::move(wanted)),
        fake(std::move(parts)),
        board(fake, options, true),
        system(make_system(unknowns(fake.parts.n_unknowns))),
        locator(board, *system, tolerances, options) {}
  /// The second one is solved for.
  static SystemFunctions unknowns(std::uint32_t n) {
    SystemFunctions f;
    f.unknowns = {{.name = "x", .nominal = 10.0}};
    if (n > 1) f.unknowns.push_back({.name = "y", .differential = false});
    f.residual = [](double, auto x, auto xdot, auto r) {
      r[0] = xdot[0] - 1.0;
      if (x.size() > 1) r[1] = x[1] - x[0];
    };
    return f;
  }
  static EventPoint point(double x, double xdot, double t = 1.0) {
    EventPoint at;
    at.t = t;
    at.x = {x};
    at.xdot = {xdot};
    return at;
  }
  EventPoint locate(PathEngine& engine, double t_after, double s_after = 0.5) {
    const StepPolynomial step = engine.last_step();
    const double left = step.t_left;
    locator.set_left(left, std::vector{step.value(0, left)}, std::vector{step.slope(0, left)});
    return locator.locate(engine,
                          {.which = 0,
                           .s_after = s_after,
                           .t_before = t_after,
                           .t_after = t_after,
                           .guarantee = Guarantee::heuristic},
                          make_consistent);
  }
  void begin(double x, double xdot, double step = 1.0) {
    locator.begin_stretch(1.0, std::vector{x}, std::vector{xdot}, step);
  }

  EventOptions options;
  EngineOptions tolerances{.rtol = 0.0, .atol = {1e-3, 1e-3}};
  Switches fake;
  detail::SwitchBoard board;
  std::shared_ptr<const System> system;
  detail::EventLocator locator;
  detail::EventLocator::MakeConsistent make_consistent;
};

// ---- (V.2) -----------------------------------------------------------------------------------------------

TEST(EventLocation, V2ErrorsComeFromGradientsAndTolerances) {
  FakeParts parts{.n_unknowns = 2,
                  .functions = {{.info = {.name = "g"}, .by_t = 5.0, .by_x = {3.0, -4.0}}}};
  LocationScene s(parts);
  s.tolerances = {.rtol = 1e-2, .atol = {1e-3, 2e-3}};
  const std::vector x{2.0, -1.0}, xdot{1.0, 1.0};
  // 3 (0.02 + 0.001) + 4 (0.01 + 0.002); g = 20 at t = 2, which changes by 4 a second.
  const double band = 3 * 0.021 + 4 * 0.012;
  EXPECT_NEAR(s.locator.band_at(2.0, x, xdot, 0), band, 1e-15);
  EXPECT_NEAR(s.locator.uncertainty_at(2.0, x, xdot, 0), band, 1e-15);
  EXPECT_EQ(s.locator.rate_of(0), 4.0);
  const double rounding = 8 * location_eps * (20.0 + 4.0 * 2.0 + 4 * (3 * 2.0 + 4 * 1.0));
  EXPECT_NEAR(s.locator.rounding_of(0), rounding, 1e-3 * rounding);
  // By nominal values: 10 and 1.
  EXPECT_NEAR(s.locator.uncertainties_at(x, 1e-2)[0], 3 * 0.12 + 4 * 0.02, 1e-15);
}

TEST(EventLocation, V2DistancesArePartsOfWhatTolerancesAllow) {
  FakeParts leaves = at_half(), exit = at_half();
  leaves.actions = {{fake_info("leave", ActionKind::transition)}};
  exit.functions[0].info.kind = SwitchKind::exit;
  const std::vector<std::pair<FakeParts, double>> cases{
      {at_half(), 1e-8}, {sets_at_half(), 1e-6}, {leaves, 1e-6}, {exit, 5e-5}};
  for (const auto& [parts, distance] : cases) {
    LocationScene s(parts);
    EXPECT_NEAR(s.locator.margins(s.point(0.5, 1.0), std::vector{0U})[0], 2 * distance, 1e-18);
    EXPECT_NEAR(s.locator.placement_of(0), distance, 1e-18);
    EXPECT_EQ(s.locator.margins(s.point(0.5, 1.0), {})[0], s.locator.rounding_of(0));
    EXPECT_LT(s.locator.rounding_of(0), 1e-13);
  }
  LocationScene s;
  s.tolerances.atol = {1e-12};
  s.locator.margins(s.point(0.5, 1.0), {});
  EXPECT_EQ(s.locator.placement_of(0), s.locator.rounding_of(0)) << "never below rounding";
}

TEST(EventLocation, WhatSetsUnknownsIsOnItsSurfaceIfItIsHardlyBeyond) {
  const auto margin = [](const FakeParts& parts, double beyond) {
    LocationScene s(parts);
    return s.locator.margins(s.point(0.5 + beyond, 1.0), {})[0];
  };
  EXPECT_NEAR(margin(sets_at_half(), 1e-3), 2e-3, 1e-12);
  EXPECT_LT(margin(sets_at_half(), 2.1e-3), 1e-12) << "more than twice the error";
  EXPECT_LT(margin(sets_at_half(), -1e-3), 1e-12) << "before it";
  EXPECT_LT(margin(at_half(), 1e-3), 1e-12);
}

TEST(EventLocation, DistancesAreFoundAnewWhereTruthsOrTheStretchChange) {
  FakeParts parts = at_half();
  parts.discrete = {0.0};
  LocationScene s(parts);
  const auto band = [&] {
    return s.locator.uncertainty_at(1.0, std::vector{0.5}, std::vector{1.0}, 0);
  };
  EXPECT_NEAR(band(), 1e-3, 1e-15);
  s.tolerances.atol = {1e-2};  // nobody tells it
  EXPECT_NEAR(band(), 1e-3, 1e-15);
  s.locator.enter_stretch(2.0);
  EXPECT_NEAR(band(), 1e-2, 1e-15);
  s.tolerances.atol = {1e-1};
  s.locator.enter_stretch(2.0);
  EXPECT_NEAR(band(), 1e-2, 1e-15) << "the same stretch";
  s.fake.parts.discrete[0] = 1.0;
  EXPECT_NEAR(band(), 1e-1, 1e-15);
}

TEST(EventLocation, AFunctionThatReadsNoStateIsSolvedFor) {
  FakeParts parts{.n_unknowns = 2,
                  .functions = {{.info = {.name = "state"}, .by_x = {1.0}},
                                {.info = {.name = "solved"}, .by_x = {0.0, 1.0}},
                                {.info = {.name = "both"}, .by_x = {1.0, 1.0}},
                                {.info = {.name = "none"}, .by_t = 1.0}}};
  LocationScene s(parts);
  for (std::uint32_t w = 0; w < 4; ++w) EXPECT_EQ(s.locator.is_solved_for(w), w != 0) << w;
}

// ---- where a stretch begins ------------------------------------------------------------------------------

TEST(EventLocation, WhatRestsOnItsSurfaceIsExcusedAndWhatIsNearIsTold) {
  const auto begins = [](double beside, double speed, double step = 1.0) {
    LocationScene s;
    s.begin(0.5 + beside, speed, step);
    EXPECT_NEAR(s.board.watch(1.0).uncertainty[0], 1e-3, 1e-15);
    return std::pair{s.locator.begins_near().size(), s.board.search_slack(0)};
  };
  EXPECT_EQ(begins(0.0, 0.0).first, 1U);
  EXPECT_NEAR(begins(0.9e-8, 0.0).second, 1e-8, 1e-20);
  EXPECT_EQ(begins(1.1e-8, 0.0), (std::pair<std::size_t, double>{1, 0.0}));
  EXPECT_EQ(begins(0.9e-3, 0.0), (std::pair<std::size_t, double>{1, 0.0}));
  EXPECT_EQ(begins(1.1e-3, 0.0), (std::pair<std::size_t, double>{0, 0.0}));
  // Within a thousandth of a step it is away.
  EXPECT_EQ(begins(0.0, 0.9).first, 1U);
  EXPECT_EQ(begins(0.0, 1.1).first, 0U);
  EXPECT_EQ(begins(0.0, 1.1, -0.5).first, 1U);
}

TEST(EventLocation, WhatWasThereAlreadyMustBeWithinTheDistance) {
  for (const double arriving : {0.5 + 1e-6, 0.9}) {
    LocationScene s;
    s.locator.margins(s.point(arriving, 1.0), {});
    s.begin(0.5 + 1e-6, 0.0);
    EXPECT_EQ(s.locator.begins_near().size(), arriving == 0.9 ? 1U : 0U)
        << "an action brings it from 0.9";
  }
}

TEST(EventLocation, WhatItsActionLeavesBeyondIsExcusedFromIt) {
  LocationScene s(sets_at_half());
  s.begin(0.5 + 4e-4, 1e3);
  EXPECT_NEAR(s.board.search_slack(0), 8e-4, 1e-12);
  s.begin(0.5 + 9e-4, 1e3);
  EXPECT_NEAR(s.board.search_slack(0), 1e-3, 1e-12) << "but not from more than the error";
}

TEST(EventLocation, WithoutOffsetsNothingIsExcused) {
  LocationScene s(at_half(), {.offset = false});
  s.begin(0.5, 0.0);
  EXPECT_TRUE(s.locator.begins_near().empty());
  EXPECT_EQ(s.board.search_slack(0), 0.0);
}

// ---- passed, and met next --------------------------------------------------------------------------------

TEST(EventLocation, WhatIsBeyondHasPassedAndWhatIsOnItsWayThere) {
  LocationScene s;
  const auto n_passed = [&](double x, double speed, double direction = 1.0) {
    return s.locator.passed(s.point(x, speed), direction, 1e-3).size();
  };
  EXPECT_EQ(n_passed(0.5 + 1e-9, -1.0), 1U);
  EXPECT_EQ(n_passed(0.5 - 1e-9, 1.0), 0U) << "it has not arrived";
  EXPECT_EQ(n_passed(0.5, 1.0), 1U);
  EXPECT_EQ(n_passed(0.5, -1.0), 0U);
  EXPECT_EQ(n_passed(0.5, -1.0, -1.0), 1U);
  EXPECT_EQ(n_passed(0.5, 1e-12), 0U) << "not within this time";
  s.board.excuse(0, 1e-3);
  EXPECT_EQ(n_passed(0.5, 1.0), 0U);
  EXPECT_EQ(n_passed(0.5 + 1e-2, 1.0), 1U) << "beyond what it is excused from";
  const EventPoint near = s.point(0.7, 2.0, 1.0);
  s.locator.margins(near, {});
  EXPECT_NEAR(s.locator.zero_near(near, 0), 0.9, 1e-15);
}

TEST(EventLocation, TheSurfaceThatIsMetFirstIsTheNext) {
  FakeParts parts = at_half();
  parts.functions.push_back({.info = {.name = "b"}, .constant = -0.75, .by_x = {1.0}});
  parts.functions.push_back({.info = {.name = "behind"}, .by_x = {1.0}});
  LocationScene s(parts);
  s.board.set_truth(2, true);
  const auto next = [&](double x, double speed, bool forward, std::vector<std::uint32_t> except) {
    const auto met =
        s.locator.next_meeting(0.0, std::vector{x}, std::vector{speed}, forward, except);
    return met ? std::pair<int, double>{met->which, met->duration} : std::pair{-1, 0.0};
  };
  EXPECT_EQ(next(0.25, 0.5, true, {}), (std::pair{0, 0.5}));
  EXPECT_EQ(next(0.25, 0.5, true, {0}), (std::pair{1, 1.0}));
  EXPECT_EQ(next(0.25, 0.5, true, {0, 1}).first, -1) << "it goes away from the third";
  EXPECT_EQ(next(0.25, 0.5, false, {}), (std::pair{2, 0.5}));
  EXPECT_EQ(next(0.625, 0.5, true, {}), (std::pair{1, 0.25})) << "the first is behind";
}

TEST(EventLocation, AMeetingIsRefinedAlongThePolynomial) {
  // x = t^2 up to t = 1; 9/4 is met at 3/2, and along the tangent at 13/8.
  FakeParts parts = at_half();
  parts.functions[0].constant = -2.25;
  LocationScene s(parts);
  PathEngine engine(0.0, 1.0, {0.0, 0.0, 1.0});
  const StepPolynomial step = engine.last_step();
  const auto tangent = s.locator.next_meeting(1.0, engine.x(), engine.xdot(), true);
  ASSERT_TRUE(tangent.has_value());
  EXPECT_EQ(tangent->duration, 0.625);
  EXPECT_NEAR(s.locator.refine_meeting(step, *tangent, 1.0), 0.5, 1e-6);
  EXPECT_EQ(s.locator.refine_meeting(step, {0, 1.1}, 1.0), 1.1) << "more than a step further";
  s.fake.parts.functions[0].constant = -4.41;
  EXPECT_EQ(s.locator.refine_meeting(step, {0, 0.9}, 1.0), 0.9) << "the zero is, at 2.1";
}

TEST(EventLocation, APointBeyondIsExtrapolatedAlongTheMotion) {
  LocationScene s;
  const auto beyond = s.locator.extrapolate(1.0, std::vector{0.4}, std::vector{2.0}, 0, 9.0);
  EXPECT_NEAR(beyond.x[0], 0.5 + 1e-8, 1e-15);
  EXPECT_NEAR(beyond.t, 1.05 + 0.5e-8, 1e-15);
  EXPECT_EQ(beyond.xdot[0], 2.0);
  const auto flat = s.locator.extrapolate(1.0, std::vector{0.4}, std::vector{0.0}, 0, 0.25);
  EXPECT_EQ(flat.t, 1.25) << "nothing else is known";
}

// ---- located ---------------------------------------------------------------------------------------------

TEST(EventLocation, V1LeftOutIsAHundredthOfTheTolerance) {
  LocationScene s;
  PathEngine engine(0.0, 1.0, {0.0, 0.0, 1.0});  // x'' = 2: dt^2 is left out
  const StepPolynomial step = engine.last_step();
  const auto is_negligible = [&](double dt) {
    return s.locator.is_negligible(step, 0.5, dt, std::vector{0.25});
  };
  EXPECT_TRUE(is_negligible(0.99 * std::sqrt(1e-5)));
  EXPECT_FALSE(is_negligible(1.01 * std::sqrt(1e-5)));
}

TEST(EventLocation, AnEventIsJustBeyondItsSurfaceOrBeforeItIfItSetsUnknowns) {
  for (const bool sets : {false, true}) {
    LocationScene s(sets ? sets_at_half() : at_half());
    PathEngine engine(0.0, 1.0, {0.0, 1.0, 0.0});
    const EventPoint at = s.locate(engine, 0.5 + 1e-4);
    const double beyond = at.x[0] - 0.5;
    EXPECT_NEAR(beyond, sets ? -1e-6 : 1e-8, 1e-12);
    EXPECT_NEAR(at.t - 0.5, beyond, 1e-15);
    EXPECT_EQ(at.xdot[0], 1.0);
    EXPECT_TRUE(at.after_step_begin);
    EXPECT_EQ(at.guarantee, Guarantee::heuristic);
    EXPECT_EQ(engine.n_shortened, 1) << "the rest is a correction along x'";
  }
}

TEST(EventLocation, WithAHysteresisTheSurfaceIsWhereItSwitches) {
  LocationScene s(at_half(), {.hysteresis = {{"a", 0.25}}});
  PathEngine engine(0.0, 1.0, {0.0, 1.0, 0.0});
  EXPECT_NEAR(s.locate(engine, 0.75 + 1e-4).x[0], 0.75 + 1e-8, 1e-12);
}

TEST(EventLocation, WithoutOffsetsAnEventIsAtTheZero) {
  LocationScene s(at_half(), {.offset = false});
  PathEngine engine(0.0, 1.0, {0.0, 1.0, 0.0});
  EXPECT_NEAR(s.locate(engine, 0.5 + 1e-4).x[0], 0.5, 1e-14);
}

TEST(EventLocation, WhereTheMotionBendsTheStepIsTakenAgain) {
  LocationScene s;
  PathEngine engine(0.0, 1.0, {0.0, 0.0, 1.0});
  const EventPoint at = s.locate(engine, 0.8);
  EXPECT_GE(engine.n_shortened, 3);
  EXPECT_NEAR(at.t, std::sqrt(0.5), 1e-7);
  EXPECT_GT(at.x[0], 0.5);
  EXPECT_LE(at.x[0], 0.5 + 1.5e-8);
}

TEST(EventLocation, AtTheEndsOfAStepTheStateIsTheirs) {
  LocationScene left, end, before;
  PathEngine from_surface(0.5, 1.5, {0.5, 1.0, 0.0}), to_surface(-0.5, 0.5, {-0.5, 1.0, 0.0});
  const EventPoint begin = left.locate(from_surface, 0.5);
  EXPECT_EQ(begin.t, 0.5);
  EXPECT_FALSE(begin.after_step_begin);
  EXPECT_EQ(from_surface.n_shortened, 0);
  // The last correction leads a little beyond the end of the step.
  const EventPoint last = end.locate(to_surface, 0.5, 1.0);
  EXPECT_NEAR(last.t, 0.5 + 1e-8, 1e-15);
  EXPECT_TRUE(last.after_step_begin);
  // A correction never leads to before the step, which begins twice as far beyond as events are placed.
  PathEngine beyond(0.5, 1.5, {0.5 + 2e-8, 1.0, 0.0});
  const EventPoint corrected = before.locate(beyond, 0.5 + 1e-10);
  EXPECT_EQ(corrected.t, 0.5);
  EXPECT_EQ(corrected.x[0], 0.5 + 2e-8);
  EXPECT_FALSE(corrected.after_step_begin);
}

TEST(EventLocation, ForComparisonAnEventIsAtTheEndOfItsStep) {
  LocationScene s(at_half(), {.location = LocationKind::step_end});
  PathEngine engine(0.0, 1.0, {0.0, 1.0, 0.0});
  const EventPoint at = s.locate(engine, 0.5 + 1e-4);
  EXPECT_EQ(at.t, 1.0);
  EXPECT_EQ(at.x[0], 1.0);
  EXPECT_TRUE(at.after_step_begin);
  EXPECT_EQ(engine.n_shortened, 0);
}

TEST(EventLocation, APlaceThatCannotBeImprovedIsMarginalAndBeyondTheSurface) {
  LocationScene s;
  s.make_consistent = [](double, auto&, auto&) { return false; };
  for (const double off : {0.0, -1e-3}) {
    PathEngine engine(0.0, 1.0, {0.0, 1.0, 0.0});
    engine.is_off = off;  // it stops before the surface itself
    const EventPoint at = s.locate(engine, 0.5 + 1e-4);
    EXPECT_EQ(at.guarantee, Guarantee::marginal);
    EXPECT_NEAR(at.x[0], 0.5 + 1e-4, 1e-15) << "what the search found";
  }
}

TEST(EventLocation, IfTheEngineRefusesThePolynomialTells) {
  LocationScene s;
  PathEngine engine(0.0, 1.0, {0.0, 1.0, 0.0});
  engine.refuses = true;
  const EventPoint at = s.locate(engine, 0.5 + 1e-4);
  EXPECT_NEAR(at.x[0], 0.5 + 1e-8, 1e-12);
  EXPECT_EQ(at.guarantee, Guarantee::heuristic);
}

/// It rises by a tenth of the distance at which events are placed, and falls through its surface at t = 1.
TEST(EventLocation, AnExcursionBelowTheDistanceEndsWhereItComesBack) {
  FakeParts parts = sets_at_half();
  parts.functions[0].constant = 0.0;
  LocationScene s(parts);
  s.board.set_truth(0, true);
  PathEngine engine(0.0, 2.0, {0.0, 4e-7, -4e-7});
  const EventPoint at = s.locate(engine, 1.01);
  EXPECT_EQ(at.t, 1.01) << "not at the begin of the step, where it goes away";
  EXPECT_TRUE(at.after_step_begin);
  EXPECT_EQ(at.guarantee, Guarantee::marginal);
  EXPECT_LT(at.xdot[0], 0.0);
}

// ---- exits from surfaces ---------------------------------------------------------------------------------

/// Tells slopes of its exit ('a') if they are wanted, and where its functions are along a step.
class SlidingSwitches final : public FakeSwitches, public Sliding, public StepEnclosure {
 public:
  explicit SlidingSwitches(FakeParts given) : FakeSwitches(std::move(given)) {
    offer<Sliding>(*this);
    offer<StepEnclosure>(*this);
  }
  double lowest = 1.0;  // along a step
  int n_gradients = 0;  // with slopes

  std::uint32_t n_surfaces() const override { return 1; }
  std::span<const double> multipliers(FakeValues, FakeValues) override { return {}; }
  Workspace& base() override { return *this; }
  std::uint64_t n_side_evaluations() const override { return 0; }
  void set_exit_slopes(bool wanted) override { wanted_ = wanted; }
  Evaluation rates(double t, FakeValues x, FakeValues xdot, std::span<double> g,
                   std::span<double> gdot) override {
    const Evaluation done = FakeSwitches::rates(t, x, xdot, g, gdot);
    if (!wanted_) gdot[0] = 0.0;
    return done;
  }
  Evaluation gradients(double t, FakeValues x, FakeValues xdot, std::span<double> dg) override {
    const Evaluation done = FakeSwitches::gradients(t, x, xdot, dg);
    if (!wanted_) dg[0] = 0.0;
    n_gradients += wanted_ ? 1 : 0;
    return done;
  }
  void hulls(const StepPolynomial& step, Interval, std::span<Interval> g) override {
    g[0] = step.degree == 0 ? Interval(0.0) : Interval(lowest, 2.0);
  }
  bool series(std::uint32_t, const StepPolynomial&, Interval, int, std::span<Interval>) override {
    return false;
  }

 private:
  bool wanted_ = true;
};

FakeParts exit_at_zero() {
  FakeParts parts = at_half();
  parts.functions[0].constant = 0.0;
  parts.functions[0].info.kind = SwitchKind::exit;
  return parts;
}

TEST(EventLocation, SlopesOfExitsAreAskedForWhereOneIsNear) {
  for (const double g : {0.26, 0.24}) {
    LocationScene<SlidingSwitches> s(exit_at_zero());
    s.begin(g, 3.0);
    const bool is_near = g < 0.25;
    EXPECT_EQ(s.fake.n_gradients, is_near ? 1 : 0);
    EXPECT_EQ(s.locator.rate_of(0), is_near ? 3.0 : 0.0);
    EXPECT_NEAR(s.board.watch(1.0).uncertainty[0], is_near ? 1e-3 : 0.25, 1e-15);
  }
}

TEST(EventLocation, AStepThatComesNearAnExitIsLookedAtOnce) {
  LocationScene<SlidingSwitches> s(exit_at_zero());
  s.begin(0.5, 0.0);
  s.locator.set_left(1.0, std::vector{0.5}, std::vector{0.0});
  PathEngine engine(1.0, 2.0, {0.5, -0.1, 0.0});
  s.fake.lowest = 0.26;
  s.locator.look_at_exits(engine.last_step());
  EXPECT_EQ(s.fake.n_gradients, 0);
  EXPECT_EQ(s.board.watch(1.0).uncertainty[0], 0.25);
  s.fake.lowest = 0.24;
  s.locator.look_at_exits(engine.last_step());
  s.fake.lowest = 3.9e-3;  // within four of the errors that are known now, but of the same step
  s.locator.look_at_exits(engine.last_step());
  EXPECT_EQ(s.fake.n_gradients, 1);
  EXPECT_NEAR(s.board.watch(1.0).uncertainty[0], 1e-3, 1e-15);
  s.locator.set_left(1.5, std::vector{0.5}, std::vector{0.0});
  s.fake.lowest = 4.1e-3;
  s.locator.look_at_exits(engine.last_step());
  EXPECT_EQ(s.fake.n_gradients, 1);
  s.fake.lowest = 3.9e-3;
  s.locator.look_at_exits(engine.last_step());
  EXPECT_EQ(s.fake.n_gradients, 2);
}

}  // namespace
}  // namespace saltus::hybrid_test
