// An instant on surfaces: what is found there, what is decided, and how it goes on.
#include "hybrid/instant/surface_passage.hpp"

#include "../scene.hpp"

namespace saltus::hybrid_test {
namespace {

using detail::GoOn;
using detail::InstantRequest;
using detail::SurfaceInstant;
using detail::Verdict;
using Relations = std::vector<std::uint32_t>;

/// x' = above where x > 0, below elsewhere; y' = 1. Where y passes 1/2 it is set to -1.
SystemFunctions passed_relay(double start, double below, double above) {
  SystemFunctions f;
  f.unknowns = {{"x", start}, {"y", 0.0}};
  f.locked_derivative = [below, above](double, auto, auto locks, auto xdot) {
    xdot[0] = locks[0] ? above : below;
    xdot[1] = 1.0;
  };
  f.switches = {{"x > 0"}, {"y > 1/2", false}};
  f.switching = [](double, auto x, auto g) { g[0] = x[0], g[1] = x[1] - 0.5; };
  f.actions.push_back({.name = "back", .trigger = "y > 1/2", .targets = {"y"}});
  f.actions.back().set = [](double, auto, auto after) { after[1] = -1.0; };
  return f;
}

/// On x = 0, where both sides lead.
struct PassageOnSurface : Scene {
  explicit PassageOnSurface(RunOptions options = Scene::in_one_second())
      : Scene(passed_relay(0.0, 1.0, -1.0), options), base(*here()) {
    EXPECT_TRUE(step.sliders.slide_from_start(0.0).has_value());
    EXPECT_TRUE(step.motion.start_stay(0.0, {}).has_value());
    request.point = here().point();
    request.point.t = 0.5;
    request.point.x[1] = 0.5;
  }
  Verdict pass() { return at.on_surfaces.pass(request); }
  detail::ModeRun& base;
  InstantRequest request;
};

TEST(SurfacePassage, AnExitThatIsMetLeavesItsSurface) {
  for (const bool to_above : {true, false}) {
    PassageOnSurface s;
    const std::uint32_t exit = to_above ? 2 : 3;  // after the two relations
    s.request.crossings = {{exit, -1}};
    Verdict verdict = s.pass();
    auto* instant = std::get_if<SurfaceInstant>(&verdict);
    ASSERT_NE(instant, nullptr);
    EXPECT_EQ(instant->mode, &s.base);
    EXPECT_EQ(instant->settled.x, (std::vector{0.0, 0.5}));
    EXPECT_EQ(instant->left, Relations{0});
    ASSERT_EQ(instant->beside.size(), 1U);
    EXPECT_NEAR(instant->beside[0], 1e-8, 1e-13);  // a hundredth of the tolerance
    EXPECT_EQ(instant->met, Relations{});          // it is decided
    EXPECT_EQ(s.base.kit->board.truth(0), to_above);
    EXPECT_EQ(s.here()->n_crossings[exit], 1U);
    EXPECT_FALSE(instant->way.has_value());
    // On that side, a little beside the surface.
    const Verdict decided = s.at.on_surfaces.decide(*instant);
    ASSERT_NE(std::get_if<GoOn>(&decided), nullptr);
    EXPECT_TRUE(s.here().is_in(s.base));
    EXPECT_NEAR(s.here().x()[0], to_above ? 1e-8 : -1e-8, 1e-13);
    EXPECT_TRUE(std::get<GoOn>(decided).series->crossings.empty());  // exits have no series
  }
}

TEST(SurfacePassage, AnActionIsCarriedOutOnTheSurface) {
  PassageOnSurface s;
  s.here()->natural_step = 0.03125;
  s.request.crossings = {{1, 1}};
  Verdict verdict = s.pass();
  auto* instant = std::get_if<SurfaceInstant>(&verdict);
  ASSERT_NE(instant, nullptr);
  ASSERT_EQ(instant->result.fired.size(), 1U);
  EXPECT_EQ(instant->settled.x, (std::vector{0.0, -1.0}));
  EXPECT_EQ(instant->point.x[1], 0.5);
  EXPECT_EQ(instant->met, Relations{0});
  EXPECT_TRUE(instant->left.empty());
  const Verdict decided = s.at.on_surfaces.decide(*instant);
  const auto* on = std::get_if<GoOn>(&decided);
  ASSERT_NE(on, nullptr);
  EXPECT_TRUE(on->is_event);
  ASSERT_EQ(on->series->crossings.size(), 1U);
  EXPECT_EQ(on->series->crossings[0].which, 1U);
  EXPECT_TRUE(s.here()->on_surfaces.has_value());
  EXPECT_EQ(s.here().t(), 0.5);
  EXPECT_EQ(s.here().x()[0], 0.0);
  EXPECT_EQ(s.here().x()[1], -1.0);
  EXPECT_EQ(s.here()->natural_step, 0.03125);
}

TEST(SurfacePassage, AnActionMayBeAskedForBesides) {
  PassageOnSurface s;
  s.request.action = 0;
  const Verdict verdict = s.pass();
  const auto* instant = std::get_if<SurfaceInstant>(&verdict);
  ASSERT_NE(instant, nullptr);
  EXPECT_EQ(instant->settled.x[1], -1.0);
}

TEST(SurfacePassage, InputsGetTheirValuesOfTheRightSide) {
  struct Set final : OutsideInput {
    mutable double since = -1.0;
    mutable std::vector<double> values;
    std::vector<double> at(double) const override { return values; }
    void set(double t, std::span<const double> to) const override {
      since = t;
      values.assign(to.begin(), to.end());
    }
    std::size_t most_derivatives() const override { return 0; }
  } input;
  PassageOnSurface s;
  s.request.inputs = {{&input, {3.0}}};
  (void)s.pass();
  EXPECT_EQ(input.since, 0.5);
  EXPECT_EQ(input.values, std::vector{3.0});
}

/// Comes to x = 0 from below at t = 1/2, with so many velocities there.
struct PassageOntoSurface : Scene {
  PassageOntoSurface(double below, double above, RunOptions options = Scene::in_one_second())
      : Scene(passed_relay(-0.5, below, above), options) {
    here()->natural_step = 0.03125;
    instant.mode = &*here();
    instant.point = here().point();
    instant.point.t = 0.5;
    instant.point.x = {0.0, 0.25};
    instant.settled = instant.point;
    instant.crossings = {{0, 1}};
    instant.met = {0};
    (void)here()->kit->locator.margins(instant.point, instant.met);
    EXPECT_TRUE(at.left.note(instant.point).has_value());
  }
  Verdict decide() { return at.on_surfaces.decide(instant); }
  std::string refusal() {
    const Verdict verdict = decide();
    const auto* failure = std::get_if<Failure>(&verdict);
    return failure != nullptr ? failure->message : "none";
  }
  SurfaceInstant instant;
};

TEST(SurfacePassage, WhereBothSidesLeadToItTheSolutionStays) {
  PassageOntoSurface s(1.0, -1.0);
  const Verdict verdict = s.decide();
  const auto* on = std::get_if<GoOn>(&verdict);
  ASSERT_NE(on, nullptr);
  EXPECT_TRUE(on->is_event);
  EXPECT_EQ(on->series->t, 0.5);
  EXPECT_TRUE(on->series->crossings.empty());  // what begins a stay is no event of a series
  EXPECT_TRUE(s.here()->on_surfaces.has_value());
  EXPECT_EQ(s.here()->natural_step, 0.03125);
  EXPECT_EQ(s.ground.ledger.counts().of(EventKind::enter_sliding), 1U);
}

TEST(SurfacePassage, WhereOneSideLeadsAcrossItCrosses) {
  PassageOntoSurface s(1.0, 2.0);
  const Verdict verdict = s.decide();
  const auto* on = std::get_if<GoOn>(&verdict);
  ASSERT_NE(on, nullptr);
  ASSERT_EQ(on->series->crossings.size(), 1U);
  EXPECT_FALSE(s.here()->on_surfaces.has_value());
  EXPECT_EQ(s.here().xdot()[0], 2.0);
  EXPECT_EQ(s.ground.ledger.counts().of(EventKind::state), 1U);
}

TEST(SurfacePassage, WhereBothLeadAwayItIsRefused) {
  PassageOntoSurface s(-1.0, 1.0);
  const std::string said = s.refusal();
  EXPECT_NE(said.find("t = 0.5"), std::string::npos) << said;
  EXPECT_NE(said.find("more than one way"), std::string::npos) << said;
}

TEST(SurfacePassage, TheCallerMayBeAsked) {
  RunOptions options = Scene::in_one_second();
  options.events.surface = SurfacePolicy::stop;
  PassageOntoSurface s(1.0, -1.0, options);
  Verdict verdict = s.decide();
  auto* question = std::get_if<detail::Question>(&verdict);
  ASSERT_NE(question, nullptr);
  EXPECT_EQ(question->instant.met, Relations{0});
  EXPECT_EQ(s.ground.ledger.counts().n_instants, 0U);  // nothing has happened yet
  const auto slides = std::ranges::find(question->candidates, true,
                                        [](const auto& c) { return c.text == "sliding on x > 0"; });
  ASSERT_NE(slides, question->candidates.end());
  question->instant.choice = static_cast<std::size_t>(slides - question->candidates.begin());
  const Verdict chosen = s.at.on_surfaces.decide(question->instant);
  EXPECT_NE(std::get_if<GoOn>(&chosen), nullptr);
  EXPECT_TRUE(s.here()->on_surfaces.has_value());
}

TEST(SurfacePassage, TheEndOfTheRunIsAPoint) {
  RunOptions options = Scene::in_one_second();
  options.t_end = 0.5;
  PassageOntoSurface s(1.0, -1.0, options);
  const Verdict verdict = s.decide();
  const auto* on = std::get_if<GoOn>(&verdict);
  ASSERT_NE(on, nullptr);
  EXPECT_FALSE(on->is_event);
  EXPECT_FALSE(s.here().in_motion());
  EXPECT_EQ(s.here()->visit.n_stays, 1U);
  EXPECT_EQ(s.ground.ledger.counts().n_instants, 1U);
}

TEST(SurfacePassage, ATerminalActionEndsTheRunBeforeTheStay) {
  PassageOntoSurface s(1.0, -1.0);
  s.instant.result.terminal = 0;
  const Verdict verdict = s.decide();
  const auto* ending = std::get_if<detail::Ending>(&verdict);
  ASSERT_NE(ending, nullptr);
  EXPECT_EQ(ending->outcome, Outcome::terminal_event);
  EXPECT_FALSE(s.here()->on_surfaces.has_value());
  EXPECT_EQ(s.ground.ledger.counts().n_instants, 1U);
}

TEST(SurfacePassage, SidesWithoutACommonStateAreBlendedOnRequestOnly) {
  struct Case {
    bool crosses;
    SlidingField field;
    EngineKind engine;
    const char* said;
  };
  for (const Case& c :
       {Case{true, SlidingField::blended, EngineKind::radau, "no state"},
        Case{false, SlidingField::filippov, EngineKind::radau, "no state"},
        Case{false, SlidingField::blended, EngineKind::dopri5, "it takes engine radau or ida"},
        Case{false, SlidingField::blended, EngineKind::radau, "no state"}}) {
    RunOptions options = Scene::in_one_second();
    options.engine = c.engine;
    options.events.sliding_field = c.field;
    if (c.crosses) options.events.surface_of = {{"x > 0", SurfacePolicy::cross}};
    PassageOntoSurface s(1.0, -1.0, options);
    s.instant.result.apart = Failure{FailureCode::singular, "no state"};
    s.instant.result.undecided = {0};
    const std::string said = s.refusal();
    EXPECT_NE(said.find(c.said), std::string::npos) << said;
    EXPECT_FALSE(s.instant.way.has_value());
  }
}

}  // namespace
}  // namespace saltus::hybrid_test
