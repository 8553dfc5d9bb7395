// What a follower of a run is told besides steps, and what it may ask.
#include "hybrid/stay/follower_port.hpp"

#include "../scene.hpp"

namespace saltus::hybrid_test {
namespace {

/// Notes what it is told, and asks of some relations whether they matter.
struct PortListener final : RunFollower {
  double t = -1.0;
  std::vector<double> x, xdot;
  FoundStart start;
  std::string segment;
  std::vector<std::string> broken;
  std::vector<FollowedCrossing> crossings;
  std::vector<std::uint8_t> matters_there;            // of relations 0, 1, … at an instant
  std::vector<std::pair<std::uint32_t, bool>> stood;  // which, and whether it matters
  std::uint32_t n_asked = 0;

  void note(const FollowedPoint& at) {
    t = at.t;
    x.assign(at.x.begin(), at.x.end());
    xdot.assign(at.xdot.begin(), at.xdot.end());
  }
  void begins(const FollowedPoint& at, const FoundStart& found) override {
    note(at);
    start = found;
  }
  void goes_on(const FollowedPoint& from, const std::string& name) override {
    note(from);
    segment = name;
  }
  void piece(const System&, Workspace&, const StepPolynomial&) override {}
  void catch_up() override {}
  void hardly_misses(std::uint32_t, double) override {}
  void meets(const FollowedPoint& left, std::span<const FollowedCrossing> met,
             const std::function<bool(std::uint32_t)>& matters) override {
    note(left);
    crossings.assign(met.begin(), met.end());
    for (std::uint32_t w = 0; w < n_asked; ++w) matters_there.push_back(matters(w) ? 1 : 0);
  }
  void acts(EventActions&, std::span<const FollowedAction>, double, std::span<const double>,
            std::span<const double>) override {}
  void settles(const FollowedPoint&) override {}
  void changes_mode(const FollowedPoint&, const MovedStart&) override {}
  void keeps_to(const FollowedPoint&, std::span<const KeptSurface>, bool) override {}
  void stands_on(const FollowedPoint& at, std::uint32_t which,
                 const std::function<bool()>& matters) override {
    note(at);
    stood.emplace_back(which, matters());
  }
  void breaks(double, const std::string& why) override { broken.push_back(why); }
};

struct PortScene {
  explicit PortScene(SystemFunctions f, RunOptions options = Scene::in_one_second())
      : s(std::move(f), options), port(s.here(), s.ground.options, &listener) {}
  Scene s;
  PortListener listener;
  detail::FollowerPort port;
};

using PortValues = std::optional<std::vector<double>>;

TEST(FollowerPort, TheStartIsThatOfTheRunAndJumpsBreakIt) {
  RunOptions options = Scene::in_one_second();
  options.t_begin = 0.5;
  for (const bool jumps : {false, true}) {
    PortScene p(rising(), options);
    p.port.begins(*p.s.ground.source, jumps);
    EXPECT_EQ(p.listener.t, 0.5);
    EXPECT_EQ(p.listener.x, std::vector{0.0});
    EXPECT_EQ(p.listener.xdot, std::vector{1.0});
    std::vector<std::string> broken;
    if (jumps) broken = {"start values jump by impulses"};
    EXPECT_EQ(p.listener.broken, broken);
  }
}

TEST(FollowerPort, AStartIsAsStatedUnlessItWasSearchedOrReduced) {
  const auto is_as_stated = [](StartPolicy policy, std::uint64_t n_reductions) {
    PortScene p(rising());
    p.s.ground.options.start = policy;
    p.s.here()->visit.n_reductions = n_reductions;
    p.port.begins(*p.s.ground.source, false);
    return p.listener.start.is_as_stated;
  };
  EXPECT_TRUE(is_as_stated(StartPolicy::keep, 0));
  EXPECT_TRUE(is_as_stated(StartPolicy::check, 0));
  EXPECT_FALSE(is_as_stated(StartPolicy::least_squares, 0));
  EXPECT_FALSE(is_as_stated(StartPolicy::impulse, 0));
  EXPECT_FALSE(is_as_stated(StartPolicy::keep, 1));
}

TEST(FollowerPort, AStartFromOtherStatedValuesExistsWhileDecisionsAreTheSame) {
  SystemFunctions f = rising();
  f.derivative = [](double, auto x, auto xdot) {
    if (x[0] < -2.0) throw std::domain_error("nothing there");
    xdot[0] = 1.0;
  };
  add_relation(f, "half", [](double, double x) { return x - 0.5; });
  PortScene p(f);
  p.port.begins(*p.s.ground.source, false);
  const auto& moved = p.listener.start.moved;
  EXPECT_EQ(moved("x", 0.25), PortValues(std::vector{0.25}));
  EXPECT_EQ(moved("x", 0.75), PortValues());  // the relation would hold
  EXPECT_EQ(moved("x", -3.0), PortValues());  // no start
  EXPECT_EQ(moved("y", 0.75), PortValues(std::vector{0.0}));
  EXPECT_EQ(p.s.here()->start.x, std::vector{0.0});  // the run stays where it is
}

/// Another system, of which the unknown 1 is a constant.
struct SecondIsConstant final : System {
  explicit SecondIsConstant(std::shared_ptr<const System> of) : base(std::move(of)) {}
  std::uint32_t size() const override { return base->size(); }
  const CscPattern& pattern() const override { return base->pattern(); }
  std::span<const std::uint8_t> carries_derivative() const override {
    return base->carries_derivative();
  }
  std::string unknown_name(std::uint32_t i) const override { return base->unknown_name(i); }
  std::string equation_name(std::uint32_t i) const override { return base->equation_name(i); }
  double nominal(std::uint32_t i) const override { return base->nominal(i); }
  bool is_constant(std::uint32_t i) const override { return i == 1; }
  StartValues start_values() const override { return base->start_values(); }
  const VariableMap& variable_map() const override { return base->variable_map(); }
  std::unique_ptr<Workspace> workspace() const override { return base->workspace(); }
  std::shared_ptr<const System> base;
};

TEST(FollowerPort, AConstantThatTheStartHasMovedBreaksTheSolution) {
  SystemFunctions f;
  f.unknowns = {{"x", 1.0}, {.name = "p", .start = 2.0, .nominal = 4.0}};
  f.derivative = [](double, auto, auto xdot) { std::ranges::fill(xdot, 0.0); };
  PortScene p(f);
  detail::ModeRun& mode = *p.s.here();
  mode.original = std::make_shared<SecondIsConstant>(mode.original);
  mode.start.x = {5.0, 2.0 + 3.9e-12};  // rounding, of a nominal value of 4
  p.port.begins(*p.s.ground.source, false);
  EXPECT_TRUE(p.listener.broken.empty());
  mode.start.x = {5.0, 2.5};
  p.port.begins(*p.s.ground.source, false);
  EXPECT_EQ(p.listener.broken,
            std::vector<std::string>{
                "the stated values are not consistent, and the search for a start has moved 'p' "
                "from 2 to 2.5; state other values, or leave one of them as a guess"});
}

TEST(FollowerPort, ItGoesOnFromWhereTheModeStartsUnderItsName) {
  PortScene p(rising());
  p.s.here()->name = "belt";
  p.s.here()->start.x = {7.0};
  p.port.goes_on(0.75);
  EXPECT_EQ(p.listener.t, 0.75);
  EXPECT_EQ(p.listener.x, std::vector{7.0});
  EXPECT_EQ(p.listener.segment, "belt");
}

// ---- surfaces --------------------------------------------------------------------------------------

/// x' = 1 where x < 0, 1 + jump where x > 0; y = 3 makes the solution of size 4. From just beside the surface.
SystemFunctions beside_surface(double (*g)(double, double), double jump) {
  SystemFunctions f;
  f.unknowns = {{"x", 0.0}, {"y", 3.0}};
  f.locked_derivative = [jump](double, auto, auto locks, auto xdot) {
    xdot[0] = locks[0] ? 1.0 + jump : 1.0;
    xdot[1] = 0.0;
  };
  add_relation(f, "surface", g, true);
  return f;
}

using PortSurfaces = std::vector<std::pair<std::uint32_t, bool>>;

TEST(FollowerPort, AMillionthOfTheSolutionIsOnTheSurface) {
  for (const bool is_near : {true, false}) {
    PortScene p(is_near ? beside_surface([](double, double x) { return x + 3.9e-6; }, 1.0)
                        : beside_surface([](double, double x) { return x + 4.1e-6; }, 1.0));
    p.port.stands_on_surfaces(0.25);
    EXPECT_EQ(p.listener.stood.size(), is_near ? 1U : 0U);
    EXPECT_EQ(p.listener.t, is_near ? 0.25 : -1.0);
  }
}

TEST(FollowerPort, RatesThatCouldBeSeenAtTheEndMatter) {
  const auto matters = [](double jump) {
    PortScene p(beside_surface([](double, double x) { return x; }, jump));
    const bool truth = p.s.board().truth(0);
    p.port.stands_on_surfaces(0.0);
    EXPECT_EQ(p.s.board().truth(0), truth);  // asking changes nothing
    return p.listener.stood;
  };
  // 1e-9 of both rates, and 1e-7 of the nominal value in one second.
  EXPECT_EQ(matters(1.01e-7), (PortSurfaces{{0, false}}));
  EXPECT_EQ(matters(1.03e-7), (PortSurfaces{{0, true}}));
}

TEST(FollowerPort, ASideWithoutASolutionMatters) {
  SystemFunctions f = beside_surface([](double, double x) { return x; }, 0.0);
  bool ends = false;
  f.locked_derivative = [&ends, same = f.locked_derivative](double t, auto x, auto locks,
                                                            auto xdot) {
    if (ends && !locks[0]) throw std::domain_error("ends here");
    same(t, x, locks, xdot);
  };
  PortScene p(f);
  p.s.here()->continued.reset();  // which would go on beyond the end
  for (const bool truth : {true, false}) {
    p.s.board().set_truth(0, truth);
    for (const bool now : {true, false}) {
      ends = now;
      p.port.stands_on_surfaces(0.0);
      EXPECT_EQ(p.listener.stood, (PortSurfaces{{0, now}}));
      p.listener.stood.clear();
    }
  }
}

TEST(FollowerPort, AnActionMattersFromEitherSide) {
  SystemFunctions f = beside_surface([](double, double x) { return x; }, 0.0);
  f.actions.push_back({.name = "stop", .trigger = "surface", .terminal = true});
  for (const bool truth : {false, true}) {
    PortScene p(f);
    p.s.board().set_truth(0, truth);
    p.port.stands_on_surfaces(0.0);
    EXPECT_EQ(p.listener.stood, (PortSurfaces{{0, true}}));
  }
}

TEST(FollowerPort, SurfacesThatHoldTheSolutionOrAreNotWatchedAreNotToldOf) {
  const auto zero = [](double, double x) { return x; };
  PortScene slides(beside_surface(zero, -2.0));
  slides.s.run();
  ASSERT_TRUE(slides.s.here()->on_surfaces.has_value());
  slides.s.here()->start.x[0] = 0.0;
  slides.port.stands_on_surfaces(1.0);
  RunOptions options = Scene::in_one_second();
  options.events.handling = EventHandling::off;
  PortScene off(beside_surface(zero, 1.0), options);
  off.port.stands_on_surfaces(0.0);
  for (const PortScene* p : {&slides, &off}) EXPECT_TRUE(p->listener.stood.empty());
}

// ---- instants --------------------------------------------------------------------------------------

TEST(FollowerPort, CrossingsAreToldWithTheTimeSinceWhichTheyWaited) {
  for (const double t_end : {1.0, -1.0}) {
    SystemFunctions f = rising();
    add_relation(f, "half", [](double, double x) { return x - 0.5; });
    RunOptions options = Scene::in_one_second();
    options.t_end = t_end;
    options.events.dwell = {{"half", 0.25}};
    PortScene p(f, options);
    detail::Crossing first, second;
    first.guarantee = Guarantee::heuristic;
    first.only_flips = true;
    second.matters_first = second.waited = true;
    const std::vector<detail::Crossing> both{first, second};
    p.port.meets({0.5 * t_end, {0.125}, {1.0}}, both);
    EXPECT_EQ(p.listener.t, 0.5 * t_end);
    EXPECT_EQ(p.listener.x, std::vector{0.125});
    const auto& told = p.listener.crossings;
    ASSERT_EQ(told.size(), 2U);
    EXPECT_EQ(told[0].guarantee, Guarantee::heuristic);
    EXPECT_TRUE(told[0].only_flips && !told[0].matters_first);
    EXPECT_TRUE(!told[1].only_flips && told[1].matters_first);
    EXPECT_EQ(told[0].waited_since, std::nullopt);
    EXPECT_EQ(told[1].waited_since, 0.25 * t_end);
  }
}

TEST(FollowerPort, ARelationMattersIfItWouldBeforeOrAfterTheOthers) {
  SystemFunctions f = beside_surface([](double, double x) { return x - 0.5; }, 0.0);
  add_relation(
      f, "inner", [](double, double x) { return x - 0.25; }, true);
  f.matters = [](std::uint32_t which, auto sides) { return which == 0 || sides[0] != 0; };
  for (const bool crosses : {false, true}) {
    PortScene p(f);
    p.listener.n_asked = 2;
    std::vector<detail::Crossing> crossings(crosses ? 1 : 0);
    p.port.meets({0.5, {0.5, 3.0}, {1.0, 0.0}}, crossings);
    EXPECT_EQ(p.listener.matters_there, (std::vector<std::uint8_t>{1, crosses}));
    EXPECT_FALSE(p.s.board().truth(0));  // as before
  }
}

}  // namespace
}  // namespace saltus::hybrid_test
