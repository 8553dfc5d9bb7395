// What is said of a run when it has ended.
#include "hybrid/books/closing.hpp"

#include "../dressed_system.hpp"
#include "../scene.hpp"
#include "books.hpp"

namespace saltus::hybrid_test {
namespace {

constexpr std::size_t never = std::string::npos;

/// Relations called r1, r2, … beside x' = 1.
SystemFunctions watched_rise(int n_relations) {
  SystemFunctions f = rising();
  for (int k = 1; k <= n_relations; ++k)
    add_relation(f, "r" + std::to_string(k), [](double, double x) { return x - 5.0; });
  return f;
}

/// A run that ends where it stands.
struct Ended : Scene {
  explicit Ended(SystemFunctions functions, RunOptions options = in_one_second())
      : Scene(std::move(functions), options) {
    n_before = warnings().size();
  }
  const std::vector<std::string>& warnings() { return ground.ledger.report().warnings; }
  /// What the end adds to warnings, one line each.
  std::string said() {
    report_end(ground.ledger, ground.modes, *here(), *ground.source, ground.options);
    return join(std::span(warnings()).subspan(n_before), "\n");
  }
  std::size_t n_before = 0;
};

/// An engine that has only counted.
struct CountedWork final : Engine {
  WorkCounts counts;
  EngineKind kind() const override { return EngineKind::dopri5; }
  Result<void> start(const EnginePoint&, double, const StartHint&) override { return {}; }
  Result<void> step(double) override { return {}; }
  StepPolynomial last_step() override { return {}; }
  Result<void> shorten(double) override { return {}; }
  double t() const override { return 0.0; }
  std::span<const double> x() const override { return {}; }
  std::span<const double> xdot() const override { return {}; }
  const WorkCounts& work() const override { return counts; }
  void set_stage_check(StageCheck) override {}
};

/// A workspace that knows of redundant equations and nothing else.
struct Contradicted final : Workspace, RedundancyWatch {
  explicit Contradicted(double size) : worst{size, 0.25, {"a", "b"}} {
    offer<RedundancyWatch>(*this);
  }
  Contradiction worst;
  const Contradiction& largest_contradiction() const override { return worst; }
  Evaluation residual(double, std::span<const double>, std::span<const double>,
                      std::span<double>) override {
    return Evaluation::ok();
  }
  Evaluation jacobian(double, std::span<const double>, std::span<const double>, std::span<double>,
                      std::span<double>) override {
    return Evaluation::ok();
  }
};

TEST(EndOfBooks, AnOrdinaryRunHasNothingToSay) {
  Ended s(rising());
  s.run();
  EXPECT_EQ(s.said(), "");
  EXPECT_TRUE(s.ground.ledger.choices().empty() ||
              s.ground.ledger.choices().back().name != "redundant equations");
}

TEST(EndOfBooks, ValuesThatWereSetToZeroAreCounted) {
  Ended s(rising());
  auto engine = std::make_unique<CountedWork>();
  engine->counts.n_corrections = 3;
  engine->counts.largest_correction = 0.25;
  s.here()->engine = std::move(engine);
  EXPECT_EQ(s.said(),
            "3 values that must not be negative were set to zero, the largest from -0.25");
}

/// rtol |x| + atol = 2e-6, and time near 0.5 has a resolution of 2^-53.
TEST(EndOfBooks, TimeThatIsTooCoarseIsToldInTolerancesOfTheWorstUnknown) {
  Ended s(rising());
  s.here()->largest = {1.0};
  s.here()->moved = {{1.9e-6, 0.5}};
  EXPECT_EQ(s.said(), "");
  s.here()->moved = {{5e-6, 0.5}};
  EXPECT_EQ(s.said().find("near t = 0.5 time has a resolution of 1.1102230246251565e-16, too "
                          "coarse for 'x': rows and events there may be off by 3 tolerances."),
            0U);
}

/// 16 times as far, since events are located between times as far apart.
TEST(EndOfBooks, WhereEventsAreWatchedTimeIsNeededToSixteenUlp) {
  for (const EventHandling handling : {EventHandling::on, EventHandling::off}) {
    RunOptions options = Scene::in_one_second();
    options.events.handling = handling;
    Ended s(watched_rise(1), options);
    s.here()->largest = {1.0};
    s.here()->moved = {{1.5 * 2e-6 / 16.0, 0.5}};
    const std::string said = s.said();
    EXPECT_EQ(said.find("off by 2 tolerances") != never, handling == EventHandling::on) << said;
  }
}

TEST(EndOfBooks, RelationsThatWereOnlySampledAreNamedUpToThree) {
  const auto said = [](int n_relations, bool prove) {
    RunOptions options = Scene::in_one_second();
    options.events.prove = prove;
    Ended s(watched_rise(n_relations), options);
    s.run();
    return s.said();
  };
  EXPECT_EQ(said(1, true).find("'r1' was checked by samples only"), 0U);
  EXPECT_EQ(said(3, true).find("'r1', 'r2', 'r3' were checked"), 0U);
  EXPECT_EQ(said(5, true).find("'r1', 'r2', 'r3', and 2 more were checked"), 0U);
  EXPECT_EQ(said(1, false), "");
}

TEST(EndOfBooks, AContradictionCountsFromOneToleranceOn) {
  for (const double size : {1.0, 1.5}) {
    RunOptions options = Scene::in_one_second();
    options.redundant = RedundantEquations::least_squares;
    Ended s(rising(), options);
    s.here()->engine.reset();
    s.here()->workspace = std::make_unique<Contradicted>(size);
    const std::string said = s.said();
    EXPECT_EQ(said.empty(), size == 1.0);
    if (said.empty()) continue;
    EXPECT_EQ(said,
              "equations a, b contradict each other: least squares made their residuals as small "
              "as possible, at most 1.5 times the tolerance");
    const DecisionRecord& noted = s.ground.ledger.choices().back();
    EXPECT_EQ(noted.given, "a, b");
    EXPECT_EQ(noted.reason, "1.5 times the tolerance remained at t = 0.25");
  }
}

TEST(EndOfBooks, WhereContradictionsAreRefusedNoneIsLeft) {
  Ended s(rising());
  s.here()->engine.reset();
  s.here()->workspace = std::make_unique<Contradicted>(1.5);
  EXPECT_EQ(s.said(), "");
}

/// The mode that was entered has the relation r1.
TEST(EndOfBooks, NamesOfOptionsThatNoModeHasAreToldWhereThereAreSeveral) {
  Books books;
  SeveralModes source({make_system(watched_rise(1)), nullptr});
  books.options.events.dwell = {{"r1", 0.1}, {"rr1", 0.1}};
  books.options.events.surface_of = {{"something else", SurfacePolicy::cross}};
  books.options.output.switching = {"all"};
  ModeSet modes(source, books.options);
  ModeRun& here = modes.at(0);
  ASSERT_TRUE(here.load().has_value());
  report_end(books.ledger, modes, here, source, books.options);
  const std::vector<std::string> expected{
      "events.dwell names 'rr1', which is not a relation of any mode that was entered; did you "
      "mean 'r1'?",
      "events.surface_of names 'something else', which is not a relation of any mode that was "
      "entered"};
  EXPECT_EQ(books.listener.said, expected);
}

TEST(EndOfBooks, AHundredCloseEventsAreToldAndNinetyNineAreNot) {
  Ended s(watched_rise(1));
  const auto note = [&] { (void)s.here()->kit->accumulation.note_close(0, 0.5, 1.0, 0.0); };
  for (int k = 0; k <= 99; ++k) note();  // the first has none before it
  EXPECT_EQ(s.said(), "");
  note();
  EXPECT_EQ(s.said().find("'r1' changed 100 times after its function had moved by no more than"),
            0U);
}

/// 10000 events, and at most four steps for each of them.
TEST(EndOfBooks, ARelationThatEndsNearlyEveryStepChatters) {
  RunOptions options = Scene::in_one_second();
  options.events.keep = false;
  Ended s(watched_rise(1), options);
  const auto count = [&](int n) {
    for (int k = 0; k < n; ++k) s.ground.ledger.log(event_called("r1"));
    s.here()->n_crossings[0] += static_cast<std::uint64_t>(n);
  };
  while (s.ground.ledger.n_steps() < 40000) s.ground.ledger.count_step();
  count(9999);
  EXPECT_EQ(s.said(), "");
  count(1);
  EXPECT_EQ(s.said(),
            "'r1' changed 10000 times, with 40000 steps in all: if it chatters, give it a "
            "hysteresis (events.hysteresis) or a dwell time");
  s.n_before = s.warnings().size();
  s.ground.ledger.count_step();
  EXPECT_EQ(s.said(), "");
}

/// Zero, and what is zero up to rounding, is not asked for.
TEST(EndOfBooks, UnknownsThatStayBelowTheirToleranceAreNamedUpToThree) {
  SystemFunctions f;
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) f.unknowns.push_back({name});
  f.derivative = [](double, auto, auto xdot) { std::ranges::fill(xdot, 1.0); };
  Ended s(std::move(f));
  const double atol = 1e-6;
  const auto said = [&](std::vector<double> largest) {
    s.n_before = s.warnings().size();
    s.here()->largest = std::move(largest);
    warn_of_uncontrolled(s.ground.ledger, *s.here());
    return join(std::span(s.warnings()).subspan(s.n_before), "\n");
  };
  EXPECT_EQ(said({0.0, 1e-12 * atol, atol, 1.0, 1.0, 1.0}), "");
  EXPECT_EQ(said({1.0, 0.9 * atol, 1.0, 1.0, 1.0, 1.0}),
            "'b' stays below the absolute tolerance, so no digit of it was controlled; give its "
            "nominal size, or atol_of");
  const double small = 1e-3 * atol;
  EXPECT_EQ(said({small, 1.0, small, small, small, small})
                .find("'a', 'c', 'd', and 2 more stay below the absolute tolerance"),
            0U);
}

TEST(EndOfBooks, AWriterThatMissedNothingIsNotMentioned) {
  Ended s(rising());
  report_writing(s.ground.ledger, nullptr);
  const std::size_t n_choices = s.ground.ledger.choices().size();
  report_writing(s.ground.ledger, &s.ground.recording.writer());
  EXPECT_EQ(s.warnings().size(), s.n_before);
  EXPECT_EQ(s.ground.ledger.choices().size(), n_choices);
}

/// Clauses of the modes that were met, no requirements.
TEST(EndOfBooks, EventsMayHaveNamesOfTransitionsAndOfClausesOnceEach) {
  Dress dress;
  const auto never_holds = [](auto, auto) { return false; };
  dress.add_action(ActionKind::requirement, "x <= 5", never_holds);
  for (const char* name : {"reset", "leave"})
    dress.add_action(ActionKind::assignments, name, never_holds);
  SeveralModes source({dressed(watched_rise(1), dress)});
  for (const char* name : {"leave", "enter", "leave"}) source.ways.emplace_back().name = name;
  RunOptions options;
  ModeSet modes(source, options);
  EXPECT_EQ(names_of_events(modes, source), (std::vector<std::string>{"leave", "enter"}));
  ASSERT_TRUE(modes.at(0).load().has_value());
  EXPECT_EQ(names_of_events(modes, source), (std::vector<std::string>{"leave", "enter", "reset"}));
}

TEST(EndOfBooks, AClauseThatItsModeLeavesOutIsNotedOnceTheModeWasEntered) {
  Dress dress;
  dress.add_action(ActionKind::assignments, "bounce", [](auto, auto) { return false; }).lacks =
      "'v' does not exist";
  Books books;
  SeveralModes source({dressed(watched_rise(1), dress)});
  ModeSet modes(source, books.options);
  ModeRun& here = modes.at(0);
  ASSERT_TRUE(here.load().has_value());
  report_end(books.ledger, modes, here, source, books.options);
  EXPECT_TRUE(books.ledger.choices().empty());
  here.visit.n_stays = 1;
  report_end(books.ledger, modes, here, source, books.options);
  ASSERT_EQ(books.ledger.choices().size(), 1U);
  EXPECT_EQ(books.ledger.choices()[0].name, "when-clause 'bounce' in mode 'a'");
  EXPECT_EQ(books.ledger.choices()[0].used, "left out");
  EXPECT_EQ(books.ledger.choices()[0].reason, "'v' does not exist");
}

}  // namespace
}  // namespace saltus::hybrid_test
