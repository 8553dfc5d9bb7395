// One mode: how it is taken from its source, begun, begun again, and forgotten.
#include "hybrid/mode/mode_run.hpp"

#include "../scene.hpp"
#include "connected_capacitors.hpp"

namespace saltus::hybrid_test {
namespace {

using detail::Arrival;
using detail::ModeRun;

/// A mode of a source, loaded.
struct OneMode {
  explicit OneMode(ConfigurationSource& source, RunOptions with = {}, const char* name = nullptr)
      : options(std::move(with)) {
    if (name != nullptr) options.mode_engine = {{name, EngineKind::dop853}};
    mode.emplace(source, options, Configuration{});
    EXPECT_TRUE(mode->load().has_value());
  }
  ModeRun* operator->() { return &*mode; }
  Result<void> begin(const Arrival* arrival = nullptr) {
    return mode->begin(options.t_begin, mode->system, arrival);
  }
  RunOptions options;
  std::optional<ModeRun> mode;
};

SingleConfiguration of_functions(SystemFunctions f) {
  return SingleConfiguration(make_system(std::move(f)), "only");
}

/// u' = i and u + p i = 1: of index 1, but for p = 0.
LinearParts with_resistance(double p) {
  return {.unknowns = {{"u", 1.0}, {"i", 0.0, false, false}},
          .e = {{1, 0}, {0, 0}},
          .a = {{0, -1}, {1, 1}},
          .b = {0, 1},
          .discrete = p,
          .discrete_is_factor = true};
}

TEST(ModeRun, ItTakesWhatItsNameAsksFor) {
  SingleConfiguration source = of_functions(rising());
  OneMode own(source, {}, "only"), other(source, {}, "another");
  EXPECT_EQ(own->name, "only");
  EXPECT_EQ(own->visit.mode, "only");
  EXPECT_EQ(own->engine_kind(), EngineKind::dop853);
  EXPECT_EQ(other->engine_kind(), EngineKind::automatic);
  EXPECT_EQ(own->original, own->system);
  EXPECT_NE(own->original_workspace, nullptr);
  EXPECT_EQ(own->largest, std::vector<double>{0.0});
}

TEST(ModeRun, OnlyWhatSwitchesHasAKit) {
  SingleConfiguration plain = of_functions(rising()), relay = of_functions(resets_at_half(0.0));
  OneMode without(plain), with(relay);
  EXPECT_EQ(without->kit, nullptr);
  EXPECT_FALSE(without->watches_events());
  EXPECT_EQ(&without->field(), without->workspace.get());
  ASSERT_NE(with->kit, nullptr);
  EXPECT_TRUE(with->watches_events());
  EXPECT_EQ(&with->field(), with->continued.get());
  EXPECT_EQ(with->n_crossings, std::vector<std::uint64_t>{0});
  RunOptions options;
  options.events.handling = EventHandling::off;
  OneMode locked(relay, options);
  EXPECT_NE(locked->kit, nullptr);
  EXPECT_FALSE(locked->watches_events());
  EXPECT_EQ(&locked->field(), locked->workspace.get());
}

/// A workspace of its own has p = 1.
TEST(ModeRun, WhatWasLoadedIsUsedOnce) {
  StructureOf source;
  source.written = linear_system(with_resistance(1.0));
  OneMode m(source);
  const auto resistance = [&]() -> double& {
    return m->workspace->ability<HeldValues>()->discrete()[0];
  };
  EXPECT_FALSE(m->has_begun());
  for (const double expected : {2.0, 1.0}) {
    resistance() = 2.0;
    ASSERT_TRUE(m.begin().has_value());
    EXPECT_TRUE(m->has_begun());
    EXPECT_EQ(resistance(), expected);
  }
}

TEST(ModeRun, WithIndexOneNothingIsAnalysed) {
  StructureOf source;
  source.written = linear_system(with_resistance(1.0));
  OneMode m(source);
  ASSERT_TRUE(m.begin().has_value());
  EXPECT_FALSE(m->analysis.has_value());
  EXPECT_EQ(m->visit.n_analyses + m->visit.n_reductions, 0U);
  EXPECT_EQ(m->visit.values, "");
  EXPECT_EQ(m->engine_options.rtol, m.options.rtol);
}

/// The structure is not known: ranks decide, with smaller tolerances.
TEST(ModeRun, WithAHigherIndexItIsReduced) {
  ConnectedCapacitors c(3.0, 0.0);
  c.is_differentiated = false;
  c.supply();
  OneMode m(c.source);
  ASSERT_TRUE(m.begin().has_value());
  EXPECT_EQ(m->visit.values, "(1, 1, 2, 0, 0)");
  EXPECT_EQ(m->visit.n_analyses, 1U);
  EXPECT_EQ(m->visit.n_reductions, 1U);
  EXPECT_EQ(m->engine_options.rtol, 0.2 * m.options.rtol);
  EXPECT_EQ(m->engine_options.atol[0], 0.2 * m.options.atol);
  EXPECT_NE(m->system, m->original);
  EXPECT_NEAR(m->start.x[m->pairing->integrated_as(0)], 1.0, 1e-12);
  EXPECT_EQ(m->choices.back().used, "by ranks");
}

TEST(ModeRun, TheStructureComesFirstUnlessRanksAreAskedFor) {
  for (const ReductionKind asked :
       {ReductionKind::automatic, ReductionKind::structure, ReductionKind::ranks}) {
    ConnectedCapacitors c;
    c.supply();
    RunOptions options;
    options.reduction = asked;
    OneMode m(c.source, options);
    ASSERT_TRUE(m.begin().has_value());
    EXPECT_EQ(m->choices.back().used, asked == ReductionKind::ranks ? "by ranks" : "by structure");
    EXPECT_EQ(m->engine_options.rtol, (asked == ReductionKind::ranks ? 0.2 : 1.0) * options.rtol);
  }
}

/// It says that there are two freedoms, and there is one. Explicit engines have nothing but the structure.
TEST(ModeRun, WhereTheStructureIsWrongRanksDecideIfTheyMay) {
  for (const int way : {0, 1, 2}) {
    ConnectedCapacitors c;
    c.d.degrees_of_freedom = 2;
    c.supply();
    RunOptions options;
    if (way == 1) options.reduction = ReductionKind::structure;
    if (way == 2) options.engine = EngineKind::dopri5;
    OneMode m(c.source, options);
    const auto begun = m.begin();
    EXPECT_EQ(begun.has_value(), way == 0);
    EXPECT_EQ(m->has_begun(), way == 0);
    if (way == 0) {
      EXPECT_EQ(m->choices.back().used, "by ranks");
    } else {
      EXPECT_TRUE(begun.failure().message.starts_with("the structure of the equations shows 2"));
    }
  }
}

TEST(ModeRun, WhatCannotBeReducedIsRefusedWithAllReasons) {
  for (const bool has_structure : {false, true}) {
    ConnectedCapacitors c;
    c.written.offers_derivatives = false;
    c.is_differentiated = has_structure;
    // A structure that is not square: the constraint that was differentiated is another one.
    if (has_structure) c.twice.a[3] = {0.0, 0.0, 0.0, 0.0, 0.0};
    c.supply();
    OneMode m(c.source);
    const auto begun = m.begin();
    ASSERT_FALSE(begun.has_value());
    const std::string& text = begun.failure().message;
    EXPECT_EQ(text.starts_with("reduction by structure: "), has_structure) << text;
    EXPECT_TRUE(text.ends_with("; index analysis: the system does not offer its derivatives"))
        << text;
  }
}

/// x^2 = -1 has index 1 and no solution.
TEST(ModeRun, WhatHasNoStartIsNotAnalysed) {
  SingleConfiguration source =
      of_functions({.unknowns = {{"x", 1.0, false}},
                    .residual = [](double, auto x, auto, auto f) { f[0] = x[0] * x[0] + 1.0; }});
  OneMode m(source);
  const auto begun = m.begin();
  ASSERT_FALSE(begun.has_value());
  EXPECT_EQ(begun.failure().message.find("index analysis"), std::string::npos)
      << begun.failure().message;
}

TEST(ModeRun, ExpectedValuesAreThoseOfTheFirstMode) {
  StructureOf source;
  source.written = linear_system(with_resistance(1.0));
  RunOptions options;
  options.expected_values = {1, 0, 2, 0, 0};
  const Arrival arrival;
  OneMode first(source, options), later(source, options);
  EXPECT_FALSE(first.begin().has_value());
  EXPECT_TRUE(later.begin(&arrival).has_value());
}

/// x' = 1 from x = start, with a relation x > 5.
struct WithRelation {
  explicit WithRelation(double start) : f(rising()) {
    f.unknowns[0].start = start;
    f.unknowns.push_back({"y"});
    f.derivative = [](double, auto, auto xdot) { xdot[0] = xdot[1] = 1.0; };
    add_relation(f, "x > 5", [](double, double x) { return x - 5.0; });
  }
  bool holds_after(std::vector<Impulse> impulses) {
    SingleConfiguration source = of_functions(f);
    OneMode m(source);
    const Arrival arrival{impulses, 0.0};
    EXPECT_TRUE(m.begin(&arrival).has_value());
    return m->kit->board.truth(0);
  }
  SystemFunctions f;
};

TEST(ModeRun, AnImpulseOutweighsEveryValue) {
  EXPECT_TRUE(WithRelation(10.0).holds_after({}));
  EXPECT_FALSE(WithRelation(10.0).holds_after({{0, "x", 0, -3.0}}));
  EXPECT_TRUE(WithRelation(0.0).holds_after({{0, "x", 0, 3.0}}));
  // The relation knows nothing of y.
  EXPECT_TRUE(WithRelation(10.0).holds_after({{1, "y", 0, -3.0}}));
  EXPECT_FALSE(WithRelation(0.0).holds_after({{1, "y", 0, 3.0}, {0, "x", 0, -0.1}}));
}

TEST(ModeRun, ItBeginsAgainFromAnotherPoint) {
  SingleConfiguration source = of_functions(rising());
  OneMode m(source);
  ASSERT_TRUE(m.begin().has_value());
  const System* const before = m->system.get();
  Restart at;
  at.x = {0.75};
  at.xdot = {0.0};
  ASSERT_TRUE(m->begin_again(0.5, at, {}).has_value());
  EXPECT_EQ(m->start.x, std::vector<double>{0.75});
  EXPECT_EQ(m->start.xdot, std::vector<double>{1.0});
  EXPECT_EQ(m->system.get(), before);
}

TEST(ModeRun, APointThatTheSystemRefusesIsNoStart) {
  SystemFunctions f = rising();
  f.step_accepted = [](double, auto x, auto) {
    return x[0] > 0.7 ? StepRefresh::Answer::stop : StepRefresh::Answer::unchanged;
  };
  SingleConfiguration source = of_functions(std::move(f));
  OneMode m(source);
  ASSERT_TRUE(m.begin().has_value());
  for (const double x : {0.65, 0.75}) {
    Restart at;
    at.x = {x};
    at.xdot = {1.0};
    const auto begun = m->begin_again(0.5, at, {});
    EXPECT_EQ(begun.has_value(), x < 0.7);
    if (begun) continue;
    EXPECT_EQ(begun.failure().code, FailureCode::external_failed);
  }
}

TEST(ModeRun, AStretchEndsAtTheNextKnownTime) {
  StructureOf source;
  LinearParts parts = with_resistance(1.0);
  parts.breakpoint = 0.25;
  source.written = linear_system(parts);
  OneMode m(source);
  EXPECT_EQ(m->enter_stretch(0.0), 0.25);
  EXPECT_EQ(m->enter_stretch(0.25), 1.0);
  // The piece that was entered is the one that is evaluated: u' - i = 10.
  std::vector<double> f(2);
  ASSERT_TRUE(m->workspace->residual(0.0, std::vector{1.0, 0.0}, std::vector{10.0, 0.0}, f));
  EXPECT_EQ(f[0], 0.0);
}

TEST(ModeRun, TolerancesAreRelativeAndInNominalUnits) {
  SystemFunctions f = rising();
  f.unknowns[0].nominal = 5.0;
  SingleConfiguration source = of_functions(std::move(f));
  RunOptions options;
  options.rtol = 0.25;
  options.atol = 0.5;
  OneMode m(source, options);
  EXPECT_EQ(m->tolerances_at(std::vector{-8.0}), std::vector<double>{0.25 * 8.0 + 0.5 * 5.0});
}

/// Entries that vanish at a value of the unknowns alone do not count: the derivative of x^2 / 2 at x = 0.
TEST(ModeRun, VanishingEntriesAreThoseThatVanishNearbyToo) {
  for (const bool is_square : {true, false}) {
    SingleConfiguration source = of_functions(
        {.unknowns = {{"x", 0.0}},
         .residual = [=](double, auto x, auto xdot,
                         auto f) { f[0] = xdot[0] + (is_square ? 0.5 * x[0] * x[0] : 0.0); },
         .jacobian =
             [=](double, auto x, auto, auto by_x, auto by_xdot) {
               by_x[0] = is_square ? x[0] : 0.0;
               by_xdot[0] = 1.0;
             }});
    OneMode m(source);
    ASSERT_TRUE(m.begin().has_value());
    ASSERT_EQ(m->vanishing.size(), 1U);
    EXPECT_EQ(m->vanishing[0],
              (std::vector<std::uint8_t>{is_square ? std::uint8_t{0} : std::uint8_t{1}, 0}));
  }
}

/// A resistance that becomes another one is the same structure; one that becomes zero is not.
TEST(ModeRun, AnotherIndexIsLookedForWhereOtherEntriesVanish) {
  for (const bool offers_derivatives : {true, false}) {
    StructureOf source;
    LinearParts parts = with_resistance(1.0);
    parts.offers_derivatives = offers_derivatives;
    source.written = linear_system(parts);
    OneMode m(source);
    ASSERT_TRUE(m.begin().has_value());
    const std::vector<double> x{1.0, 0.0}, xdot{0.0, 0.0};
    double& resistance = m->original_workspace->ability<HeldValues>()->discrete()[0];
    resistance = 2.0;
    EXPECT_FALSE(m->has_other_index(0.0, x, xdot));
    EXPECT_EQ(m->visit.n_analyses, 0U);
    resistance = 0.0;
    EXPECT_EQ(m->has_other_index(0.0, x, xdot), offers_derivatives);
    EXPECT_EQ(m->visit.n_analyses, offers_derivatives ? 1U : 0U);
    EXPECT_TRUE(m->has_begun());
    m->forget();
    EXPECT_FALSE(m->has_begun());
    EXPECT_TRUE(m->vanishing.empty());
  }
}

/// u' = -i and i' = 1 - u - p i for every p: it is analysed once.
TEST(ModeRun, OtherEntriesWithTheSameIndexAreRemembered) {
  StructureOf source;
  LinearParts parts = with_resistance(1.0);
  parts.a[0][1] = 1.0;
  parts.unknowns[1] = {"i", 0.0};
  parts.e[1][1] = 1.0;
  source.written = linear_system(parts);
  OneMode m(source);
  ASSERT_TRUE(m.begin().has_value());
  m->original_workspace->ability<HeldValues>()->discrete()[0] = 0.0;
  for (const int time : {1, 2}) {
    EXPECT_FALSE(m->has_other_index(0.0, m->start.x, m->start.xdot)) << time;
    EXPECT_EQ(m->visit.n_analyses, 1U);
    EXPECT_EQ(m->vanishing.size(), 2U);
  }
}

TEST(ModeRun, TheOriginalHasTheBranchesAndHeldValuesOfTheRun) {
  SystemFunctions f;
  f.unknowns = {{"x", 1.0}};
  f.locked_derivative = [](double, auto, auto locks, auto xdot) { xdot[0] = locks[0] ? -1 : 1; };
  add_relation(
      f, "x > 0", [](double, double x) { return x; }, true);
  SingleConfiguration relay = of_functions(std::move(f));
  OneMode m(relay);
  for (const bool truth : {true, false}) {
    m->kit->board.set_truth(0, truth);
    m->tell_original();
    EXPECT_EQ(m->original_workspace->ability<Locks>()->locks()[0], truth ? 1 : 0);
  }
  StructureOf source;
  source.written = linear_system(with_resistance(1.0));
  OneMode held(source);
  held->workspace->ability<HeldValues>()->discrete()[0] = 7.0;
  held->tell_original();
  EXPECT_EQ(held->original_workspace->ability<HeldValues>()->discrete()[0], 7.0);
}

/// x' = -1 where x > 0, +1 elsewhere: it stays at 0.
TEST(ModeRun, OnASurfaceItIsWhatItsBaseIs) {
  SystemFunctions f;
  f.unknowns = {{"x", 0.0}};
  f.locked_derivative = [](double, auto, auto locks, auto xdot) { xdot[0] = locks[0] ? -1 : 1; };
  add_relation(
      f, "x > 0", [](double, double x) { return x; }, true);
  SingleConfiguration source = of_functions(std::move(f));
  OneMode base(source);
  ASSERT_TRUE(base.begin().has_value());
  base->engine_options.rtol = 1e-3;
  base->engine_options.atol[0] = 1e-4;
  ModeRun slider(source, base.options, {0, {}, {0}});
  slider.on_surfaces = ModeRun::OnSurfaces{&*base.mode, {{{0}, {1}}}, {}, {"x > 0"}};
  ASSERT_TRUE(slider.begin_on_surfaces(0.25, base->start.x, base->start.xdot).has_value());
  EXPECT_EQ(slider.original, base->original);
  EXPECT_NEAR(slider.start.x[0], 0.0, 1e-15);
  EXPECT_NEAR(slider.start.xdot[0], 0.0, 1e-12);
  EXPECT_EQ(slider.engine_options.rtol, 1e-3);
  EXPECT_EQ(slider.engine_options.atol[0], 1e-4);
  // Its exits: to the + side first. They begin as not yet reached.
  ASSERT_EQ(slider.kit->board.count(), 3U);
  EXPECT_EQ(slider.kit->board.truth(0), base->kit->board.truth(0));
  for (const std::uint32_t which : {1U, 2U}) {
    EXPECT_TRUE(slider.kit->board.truth(which));
    EXPECT_EQ(slider.exit_of(which).surface, 0U);
    EXPECT_EQ(slider.exit_of(which).side, which == 1 ? 1 : -1);
    EXPECT_EQ(&slider.accumulation_of(which), &slider.kit->accumulation);
  }
  EXPECT_EQ(&slider.accumulation_of(0), &base->kit->accumulation);
  // The same motion again is the same system.
  const System* const before = slider.system.get();
  ASSERT_TRUE(slider.begin_on_surfaces(0.5, base->start.x, base->start.xdot).has_value());
  EXPECT_EQ(slider.system.get(), before);
}

}  // namespace
}  // namespace saltus::hybrid_test
