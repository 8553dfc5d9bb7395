// Which engine a mode gets, and when another one takes over.
#include "hybrid/stay/engine_policy.hpp"

#include "../scene.hpp"

namespace saltus::hybrid_test {
namespace {

/// x' = -rate x, from x = 1 at t = 0 to t = 1.
SystemFunctions engine_decay(double rate) {
  SystemFunctions f;
  f.unknowns = {{"x", 1.0}};
  f.derivative = [rate](double, auto x, auto xdot) { xdot[0] = -rate * x[0]; };
  return f;
}

RunOptions asking_for(EngineKind kind) {
  RunOptions options;
  options.engine = kind;
  return options;
}

/// At rest at t = 0.25, with the engine that has made one step.
struct PolicyScene {
  explicit PolicyScene(double rate, RunOptions options = asking_for(EngineKind::automatic))
      : s(engine_decay(rate), options) {
    s.step_only();
  }
  void rest_at_quarter() {
    s.here().forget_motion();
    s.here().begin_at(0.25);
  }
  detail::Frame& frame() { return s.ground.frame; }
  const std::vector<DecisionRecord>& choices() { return s.ground.ledger.choices(); }
  const std::vector<std::string>& warnings() { return s.ground.ledger.report().warnings; }
  EngineKind kind() { return s.here()->engine->kind(); }
  Scene s;
};

struct TwoNamedModes final : ConfigurationSource {
  Configuration initial() const override { return {}; }
  std::uint32_t n_modes() const override { return 2; }
  std::string mode_name(std::uint32_t) const override { return ""; }
  Result<std::shared_ptr<const System>> system(const Configuration&) override {
    return Failure{FailureCode::singular, "none"};
  }
};

TEST(EnginePolicy, AModeHasTheEngineItHasOrTheOneAskedForOrTheOneThatWouldBeChosen) {
  PolicyScene p(1e4, asking_for(EngineKind::dop853));
  const detail::EventPoint at{0.0, {1.0}, {-1e4}};
  RunOptions options = p.s.ground.options;
  p.s.here()->engine_asked = EngineKind::ida;
  EXPECT_EQ(detail::engine_kind_of(*p.s.here(), at, options), EngineKind::dop853);
  p.s.here()->engine.reset();
  EXPECT_EQ(detail::engine_kind_of(*p.s.here(), at, options), EngineKind::ida);
  p.s.here()->engine_asked = EngineKind::automatic;
  EXPECT_EQ(detail::engine_kind_of(*p.s.here(), at, options), EngineKind::radau);
  // A thousand steps at the limit of stability can be afforded, ten thousand cannot.
  options.t_end = 0.1;
  EXPECT_EQ(detail::engine_kind_of(*p.s.here(), at, options), EngineKind::dopri5);
  EXPECT_EQ(p.s.here()->engine, nullptr);
}

TEST(EnginePolicy, AChosenEngineIsReportedWithItsReason) {
  PolicyScene p(1.0);
  ASSERT_EQ(p.choices().size(), 1U);
  EXPECT_EQ(p.choices()[0].name, "engine");
  EXPECT_EQ(p.choices()[0].given, "automatic");
  EXPECT_EQ(p.choices()[0].used, "dopri5");
  EXPECT_EQ(p.choices()[0].reason, "an ODE that is not stiff");
  // Where there are several modes, with its mode.
  TwoNamedModes modes;
  detail::Ground& ground = p.s.ground;
  const detail::Frame of_two{modes,       ground.options,   ground.ledger,
                             ground.here, ground.recording, ground.follower};
  p.s.here()->name = "low";
  detail::make_engine_of(of_two, 0.0);
  EXPECT_EQ(p.choices()[1].reason, "an ODE that is not stiff; mode 'low'");
}

TEST(EnginePolicy, AnEngineThatWasAskedForIsNoDecision) {
  PolicyScene p(1.0, asking_for(EngineKind::ida));
  EXPECT_EQ(p.kind(), EngineKind::ida);
  EXPECT_TRUE(p.choices().empty());
}

TEST(EnginePolicy, MomentsTakeAnExplicitEngineAlsoWhereTheModelIsStiff) {
  RunOptions options = asking_for(EngineKind::automatic);
  for (const SlidingRule rule : {SlidingRule::bilinear, SlidingRule::moments}) {
    options.events.sliding_rule = rule;
    PolicyScene p(1e4, options);
    const bool explicitly = rule == SlidingRule::moments;
    EXPECT_EQ(p.kind(), explicitly ? EngineKind::dopri5 : EngineKind::radau);
    ASSERT_EQ(p.choices().size(), 1U);
    const std::string begin =
        explicitly ? "events.sliding_rule = moments needs it; otherwise radau: a stiff ODE ("
                   : "a stiff ODE (";
    EXPECT_TRUE(p.choices()[0].reason.starts_with(begin)) << p.choices()[0].reason;
    EXPECT_EQ(p.choices()[0].used, explicitly ? "dopri5" : "radau");
  }
}

TEST(EnginePolicy, AnImplicitEngineTakesOverWhereTheLastStepEnded) {
  PolicyScene p(1.0);
  const double t = p.s.here().t(), x = p.s.here().x()[0];
  p.s.here()->start.x = {-5.0};
  const bool replaced = detail::replace_stiff_engine(p.frame());
  EXPECT_TRUE(replaced);
  EXPECT_EQ(p.kind(), EngineKind::radau);
  EXPECT_EQ(p.s.here()->start.x, std::vector{x});
  EXPECT_EQ(p.s.here()->start.xdot.size(), 1U);
  EXPECT_NEAR(p.s.here()->start.xdot[0], -x, 1e-12);
  // What was done is still known.
  EXPECT_EQ(p.s.ground.recording.last_step().t_right, t);
  EXPECT_EQ(p.s.ground.ledger.work_of(p.s.ground.modes).n_steps, 1U);
  ASSERT_EQ(p.choices().size(), 2U);
  EXPECT_EQ(p.choices()[1].given, "dopri5");
  EXPECT_EQ(p.choices()[1].used, "radau");
  EXPECT_TRUE(p.choices()[1].reason.starts_with("stiff, factors are cheap from t = "));
  EXPECT_TRUE(p.warnings().empty());
}

TEST(EnginePolicy, AnEngineThatWasAskedForStaysAndThatIsSaidOnce) {
  RunOptions moments = asking_for(EngineKind::automatic);
  moments.events.sliding_rule = SlidingRule::moments;
  for (const RunOptions& options : {asking_for(EngineKind::dopri5), moments}) {
    PolicyScene p(1.0, options);
    p.rest_at_quarter();
    EXPECT_FALSE(detail::replace_stiff_engine(p.frame()));
    p.s.here().begin_at(0.5);
    EXPECT_FALSE(detail::replace_stiff_engine(p.frame()));
    EXPECT_EQ(p.kind(), EngineKind::dopri5);
    EXPECT_EQ(p.warnings(),
              std::vector<std::string>{
                  "from t = 0.25 on, steps of dopri5 are limited by stability: the model is stiff "
                  "there, radau or ida will be faster"});
  }
}

/// Five stretches of one step each, with ida: radau is better.
bool goes_over_to_radau(PolicyScene& p) {
  detail::ModeRun& mode = *p.s.here();
  mode.engine = make_engine(EngineKind::ida, *mode.system, *mode.workspace, mode.engine_options);
  p.rest_at_quarter();
  for (int k = 0; k < 4; ++k) detail::suit_engine_to_stretches(p.frame(), 1);
  EXPECT_EQ(p.kind(), EngineKind::ida);
  detail::suit_engine_to_stretches(p.frame(), 1);
  return p.kind() == EngineKind::radau;
}

TEST(EnginePolicy, AfterShortStretchesRadauTakesOver) {
  PolicyScene p(1.0);
  EXPECT_TRUE(goes_over_to_radau(p));
  const DecisionRecord& last = p.choices().back();
  EXPECT_EQ(last.name, "engine");
  EXPECT_EQ(last.given, "ida");
  EXPECT_EQ(last.used, "radau");
  EXPECT_EQ(last.reason, "distance between events, from t = 0.25 on");
}

TEST(EnginePolicy, StretchesDoNotMatterToAnEngineThatWasAskedFor) {
  PolicyScene p(1.0, asking_for(EngineKind::ida));
  EXPECT_FALSE(goes_over_to_radau(p));
}

TEST(EnginePolicy, LargeModelsKeepIda) {
  for (const std::uint32_t n : {2000U, 2001U}) {
    PolicyScene p(1.0);
    SystemFunctions f;
    for (std::uint32_t i = 0; i < n; ++i) f.unknowns.push_back({"x" + std::to_string(i), 1.0});
    f.derivative = [](double, auto, auto xdot) { std::ranges::fill(xdot, 0.0); };
    f.pattern.emplace();
    f.pattern->n_rows = f.pattern->n_cols = static_cast<index_t>(n);
    f.pattern->column_start.assign(n + 1, 0);
    detail::ModeRun& mode = *p.s.here();
    mode.system = make_system(f);
    mode.workspace = mode.system->workspace();
    mode.engine_options.atol.assign(n, 1e-6);
    EXPECT_EQ(goes_over_to_radau(p), n == 2000U);
  }
}

}  // namespace
}  // namespace saltus::hybrid_test
