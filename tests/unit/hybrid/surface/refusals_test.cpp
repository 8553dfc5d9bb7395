// What is said where a point on surfaces has no way on, or a motion on them cannot be had.
#include <gtest/gtest.h>

#include <saltus/slide/sliding_system.hpp>
#include <saltus/system/configuration.hpp>

#include "hybrid/surface/refusals.hpp"

#include "sided_system.hpp"

namespace saltus::hybrid_test {
namespace {

using detail::SurfaceWay;
using detail::WayOnto;

bool is_said(const Failure& failure, const std::string& part) {
  const bool found = failure.message.find(part) != std::string::npos;
  if (!found) ADD_FAILURE() << failure.message;
  return found && failure.code == FailureCode::not_certified;
}

SurfaceWay no_way_of(DecisionKind kind) {
  SurfaceWay way;
  way.kind = kind;
  way.who = "'a'";
  way.records.emplace_back().text = "a true";
  way.records.back().verdict = "it is so";
  return way;
}

TEST(SurfaceRefusals, NoWayOnIsToldWithWhatWasLookedAt) {
  const Failure none = detail::no_way(2.5, no_way_of(DecisionKind::impossible));
  EXPECT_TRUE(is_said(none, "at t = 2.5, on the surface of 'a', no way to go on is consistent; "));
  EXPECT_TRUE(is_said(none, "a true: "));
  EXPECT_TRUE(is_said(none, "; give the relation a hysteresis (events.hysteresis), or write"));
}

TEST(SurfaceRefusals, OfSeveralWaysTheAdviceDependsOnHowItCameThere) {
  const SurfaceWay way = no_way_of(DecisionKind::several);
  const auto said = [&](WayOnto by, const std::string& part) {
    return is_said(detail::no_way(0.0, way, by), part);
  };
  EXPECT_TRUE(said(WayOnto::start, "can go on in more than one way: none is chosen; "));
  EXPECT_TRUE(said(WayOnto::start, "; start beside the surface, on the intended side"));
  EXPECT_TRUE(said(WayOnto::reset, "; let the action set a value beside the surface"));
  EXPECT_TRUE(said(WayOnto::motion, "; choose one where the run waits for it"));
  // How it came there is no matter where there is no way at all.
  EXPECT_TRUE(is_said(detail::no_way(0.0, no_way_of(DecisionKind::impossible), WayOnto::start),
                      "; give the relation a hysteresis"));
}

TEST(SurfaceRefusals, AFlatSurfaceIsNamed) {
  SurfaceWay way;
  way.flat = "v^3 > 0";
  EXPECT_TRUE(is_said(detail::flat_surface(1.0, way),
                      "at t = 1, on the surface of 'v^3 > 0': both sides may lead to it, but the "
                      "gradient of its function vanishes there"));
}

// ---- sides without a motion in common ------------------------------------------------------------------

/// x' = y, with y = 1 where "r" is true, and x = t elsewhere, or y = 2. The relation is y > 1/2 or x > t.
struct SidesApart : SidedMode {
  static SidedFunctions sided(bool reads_y, bool jumps) {
    SidedFunctions sided;
    sided.functions.unknowns = {{"x", 1.0}, {.name = "y", .start = 1.0, .differential = false}};
    sided.functions.switches = {{"r"}};
    sided.functions.switching = [reads_y](double t, auto x, auto g) {
      g[0] = reads_y ? x[1] - 0.5 : x[0] - t;
    };
    sided.linear = [jumps](auto truth) {
      if (truth[0] != 0) return LinearSide{{1, 0, 0, 0}, {0, -1, 0, 1}, {0, -1}, {0, 0}};
      if (jumps) return LinearSide{{1, 0, 0, 0}, {0, -1, 0, 1}, {0, -2}, {0, 0}};
      return LinearSide{{1, 0, 0, 0}, {0, -1, 1, 0}, {0, 0}, {0, -1}};
    };
    return sided;
  }
  static RunOptions options_of(SlidingField field) {
    RunOptions options;
    options.engine = EngineKind::radau;
    options.events.sliding_field = field;
    return options;
  }
  explicit SidesApart(bool reads_y, bool jumps = false, SlidingField field = SlidingField::filippov)
      : SidedMode(sided(reads_y, jumps), options_of(field)) {
    mode.kit->board.set_truth(0, true);
  }
  Failure apart(bool is_kept = false) {
    const std::vector<std::uint32_t> relations{0};
    return detail::apart(mode, at(1.0, {1.0, 1.0}, {1.0, 0.0}), relations,
                         {FailureCode::singular, "as was said"}, is_kept, options);
  }
};

TEST(SurfaceRefusals, SidesThatAreAlikeAreNotTheReason) {
  SidesApart s(false, true);  // the relation does not read y, which is all that differs
  EXPECT_EQ(s.apart().message, "as was said");
  EXPECT_EQ(s.apart().code, FailureCode::singular);
}

TEST(SurfaceRefusals, OtherConstraintsAreExplained) {
  SidesApart s(false);
  const Failure said = s.apart();
  EXPECT_TRUE(is_said(said,
                      "at t = 1, on the surface of 'r': the equations on its two sides have "
                      "a different index: "));
  EXPECT_TRUE(is_said(said, ". The solution can neither cross it nor slide on it"));
  EXPECT_TRUE(is_said(said, "takes a relation that reads an unknown they determine"));
  EXPECT_EQ(said.message.find("wider than the jump"), std::string::npos);
}

TEST(SurfaceRefusals, MixingConstraintsIsOfferedIfTheRelationReadsThem) {
  SidesApart s(true);
  EXPECT_TRUE(is_said(s.apart(),
                      "; or opt in to mixing the constraints of both sides with "
                      "events.sliding_field = blended"));
}

TEST(SurfaceRefusals, AJumpMayBeBridgedByAHysteresis) {
  SidesApart s(true, true);
  EXPECT_TRUE(is_said(s.apart(), "; or give it a hysteresis wider than the jump"));
}

TEST(SurfaceRefusals, WhereMixingWasAskedForItIsSaidWhyItIsNotDone) {
  SidesApart reads(true, false, SlidingField::blended), other(false, false, SlidingField::blended);
  EXPECT_TRUE(
      is_said(reads.apart(), "cannot be blended here (events.sliding_field): as was said; "));
  EXPECT_TRUE(
      is_said(other.apart(), "(events.sliding_field): 'r' reads nothing that they determine; "));
}

TEST(SurfaceRefusals, WhatLeavesASurfaceWasNotPreparedForThese) {
  SidesApart s(true, false, SlidingField::blended);
  const Failure said = s.apart(true);
  EXPECT_TRUE(is_said(said,
                      "The solution leaves the surface for equations that this mode was not "
                      "prepared for: write the sides as two modes with transitions"));
  EXPECT_EQ(said.message.find("blended"), std::string::npos);
}

// ---- a motion that cannot be had -----------------------------------------------------------------------

/// x' = -+1, which may say anything of what relations choose.
struct MayNotMix : SidedMode {
  static SidedFunctions sided() {
    SidedFunctions sided;
    sided.functions.unknowns = {{"x", 0.5}};
    sided.functions.locked_derivative = [](double, auto, auto locks, auto xdot) {
      xdot[0] = locks[0] ? -1 : 1;
    };
    sided.functions.switches = {{"x > 0"}, {"x > 5"}};
    sided.functions.switching = [](double, auto x, auto g) {
      g[0] = x[0];
      g[1] = x[0] - 5;
    };
    return sided;
  }
  static RunOptions options_of(SlidingField field = SlidingField::filippov) {
    RunOptions options;
    options.engine = EngineKind::dopri5;
    options.events.sliding_field = field;
    return options;
  }
  explicit MayNotMix(RunOptions run_options = options_of(), SidedFunctions of = sided())
      : SidedMode(std::move(of), std::move(run_options)) {
    way.kept = {{{0}, {1}}};
  }
  std::optional<Failure> refused() { return detail::cannot_mix(mode, way, options); }

  SurfaceWay way;
};

TEST(SurfaceRefusals, AMotionThatDependsOnTheRuleMayBeRefused) {
  MayNotMix s;
  s.way.options.rule = SlidingRule::reject;
  EXPECT_FALSE(s.refused());
  s.way.depends_on_rule = true;
  EXPECT_TRUE(is_said(*s.refused(), "events.sliding_rule = reject; choose a rule"));
  s.way.options.rule = SlidingRule::bilinear;
  EXPECT_FALSE(s.refused());
}

TEST(SurfaceRefusals, MomentsAreForMotionsThatAreMixed) {
  MayNotMix s;
  s.way.options = {SlidingForm::mixed, SlidingRule::moments};
  EXPECT_FALSE(s.refused());  // one motion by every rule
  s.way.depends_on_rule = true;
  EXPECT_TRUE(is_said(*s.refused(), "moments is offered by the engines dopri5 and dop853 only"));
  s.way.options.form = SlidingForm::eliminated;
  EXPECT_FALSE(s.refused());
}

TEST(SurfaceRefusals, AnAverageTakesEquationsThatAreLinearInTheChoice) {
  SidedFunctions sided = MayNotMix::sided();
  sided.functions.equations = {"speed"};
  sided.nonlinear_in_choice = [](std::uint32_t which, bool) -> std::optional<std::uint32_t> {
    if (which == 0) return 0;
    return std::nullopt;
  };
  MayNotMix s(MayNotMix::options_of(SlidingField::equivalent_control), sided);
  EXPECT_TRUE(is_said(*s.refused(),
                      "averages what 'x > 0' chooses, but equation 'speed' is not "
                      "linear in it; give it an unknown of its own"));
  s.way.kept = {{{1}, {1}}};
  EXPECT_FALSE(s.refused());
  MayNotMix filippov(MayNotMix::options_of(), sided);
  EXPECT_FALSE(filippov.refused());
}

TEST(SurfaceRefusals, AnAverageOfMotionsTakesDerivativesWithoutChosenFactors) {
  SidedFunctions sided = MayNotMix::sided();
  sided.nonlinear_in_choice = [](std::uint32_t, bool and_derivatives) {
    return and_derivatives ? std::optional<std::uint32_t>(0) : std::nullopt;
  };
  MayNotMix s(MayNotMix::options_of(SlidingField::equivalent_control), sided);
  EXPECT_TRUE(is_said(*s.refused(),
                      "takes engine radau or ida here: in equation 'equation 1' derivatives have "
                      "factors that 'x > 0' chooses"));
  s.way.options.form = SlidingForm::mixed;  // equations are averaged, not motions
  EXPECT_FALSE(s.refused());
}

TEST(SurfaceRefusals, AnAverageOfEquationsThatWereSolvedIsNone) {
  MayNotMix s(MayNotMix::options_of(SlidingField::equivalent_control));
  EXPECT_FALSE(s.refused());
  s.mode.visit.n_reductions = 1;
  EXPECT_TRUE(is_said(*s.refused(), "takes engine radau or ida here: the equations were solved"));
  s.way.options.form = SlidingForm::mixed;
  EXPECT_FALSE(s.refused());
}

TEST(SurfaceRefusals, WhatWasReducedByRanksIsNotMixed) {
  for (const bool asked : {true, false}) {
    RunOptions options = MayNotMix::options_of();
    SidedFunctions sided = MayNotMix::sided();
    sided.is_of_ranks = true;
    MayNotMix s(options, sided);
    if (asked) s.options.reduction = ReductionKind::ranks;
    const Failure said = s.refused().value();
    EXPECT_TRUE(is_said(said, asked ? "by ranks (option reduction = ranks)"
                                    : "(their structure does not determine their index)"));
    EXPECT_TRUE(is_said(said, asked ? "Let the structure reduce them (reduction = automatic)"
                                    : "Leave out redundant equations"));
  }
}

/// A motion on surfaces with these multipliers.
struct KnownMultipliers final : Workspace, Sliding {
  explicit KnownMultipliers(std::vector<double> values) : u(std::move(values)) {
    offer<Sliding>(*this);
  }
  Evaluation residual(double, std::span<const double>, std::span<const double>,
                      std::span<double>) override {
    return Evaluation::ok();
  }
  Evaluation jacobian(double, std::span<const double>, std::span<const double>, std::span<double>,
                      std::span<double>) override {
    return Evaluation::ok();
  }
  std::uint32_t n_surfaces() const override { return static_cast<std::uint32_t>(u.size()); }
  std::span<const double> multipliers(std::span<const double>, std::span<const double>) override {
    return u;
  }
  Workspace& base() override { return *this; }
  std::uint64_t n_side_evaluations() const override { return 0; }
  void set_exit_slopes(bool) override {}
  std::vector<double> u;
};

TEST(SurfaceRefusals, ABlendTakesMultipliersBetweenItsSides) {
  const auto refused = [](SlidingForm form, std::vector<double> u) {
    MayNotMix s;
    s.mode.on_surfaces = detail::ModeRun::OnSurfaces{
        .base = nullptr, .surfaces = {}, .options = {.form = form}, .names = {}};
    s.mode.workspace = std::make_unique<KnownMultipliers>(std::move(u));
    return detail::out_of_range(s.mode);
  };
  EXPECT_FALSE(refused(SlidingForm::blended, {1.0, -1.0}));
  EXPECT_FALSE(refused(SlidingForm::mixed, {7.0}));
  const auto said = refused(SlidingForm::blended, {0.5, -1.25});
  ASSERT_TRUE(said.has_value());
  EXPECT_EQ(said->message,
            "the mixture that stays on the surface takes a multiplier of -1.25, outside of -1 to "
            "1");
}

}  // namespace
}  // namespace saltus::hybrid_test
