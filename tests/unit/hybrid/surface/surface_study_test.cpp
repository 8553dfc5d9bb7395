// What both sides of surfaces do at a point.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include <saltus/system/configuration.hpp>
#include <saltus/system/function_system.hpp>

#include "hybrid/surface/surface_study.hpp"

#include "sided_system.hpp"

namespace saltus::hybrid_test {
namespace {

using detail::SurfaceStudy;
using StudySide = std::function<void(std::span<const double> x, std::span<const std::uint8_t> locks,
                                     std::span<double> xdot)>;
using StudySurfaces = std::vector<Surface>;

/// "0 2-, 1": relations of each, and those that are turned round.
std::string study_text(const StudySurfaces& surfaces) {
  std::string text;
  for (const Surface& surface : surfaces) {
    if (!text.empty()) text += ",";
    for (std::size_t i = 0; i < surface.switches.size(); ++i)
      text += (text.empty() ? "" : " ") + std::to_string(surface.switches[i]) +
              (surface.orientation[i] < 0 ? "-" : "");
  }
  return text;
}

/// A mode that begins where its unknowns are, and looks at that point.
struct StudyScene {
  /// Functions of x = (x, y, …), and what moves it.
  struct Parts {
    std::vector<double> x = {0.0, 0.0};
    std::vector<double> nominal = {1.0, 1.0};
    std::vector<std::function<double(double t, std::span<const double> x)>> g = {};
    StudySide motion = {};
    bool is_one_sided = false;
    double t_end = 1.0;
    std::function<bool(std::uint32_t, std::span<const std::uint8_t>)> matters = {};
  };
  explicit StudyScene(const Parts& parts)
      : x(parts.x),
        xdot(parts.x.size(), 0.0),
        options(options_until(parts.t_end)),
        source(make_system(functions_of(parts))),
        mode(source, options, source.initial()) {
    EXPECT_TRUE(mode.load().has_value());
    const auto begun = mode.begin(0.0, mode.system, nullptr);
    EXPECT_TRUE(begun.has_value()) << begun.failure().message;
    study.emplace(mode, SurfaceStudy::At{0.0, x, xdot, 1e-4});
  }
  static RunOptions options_until(double t_end) {
    RunOptions options;
    options.engine = EngineKind::dopri5;
    options.rtol = options.atol = 1e-6;
    options.t_end = t_end;
    return options;
  }
  static SystemFunctions functions_of(const Parts& parts) {
    SystemFunctions f;
    for (std::size_t i = 0; i < parts.x.size(); ++i) {
      const double nominal = i < parts.nominal.size() ? parts.nominal[i] : 1.0;
      f.unknowns.push_back(
          {.name = "x" + std::to_string(i), .start = parts.x[i], .nominal = nominal});
    }
    for (std::size_t i = 0; i < parts.g.size(); ++i)
      f.switches.push_back({"g" + std::to_string(i)});
    f.switching = [g = parts.g](double t, auto x, auto out) {
      for (std::size_t i = 0; i < g.size(); ++i) out[i] = g[i](t, x);
    };
    f.matters = parts.matters;
    const StudySide motion = parts.motion ? parts.motion : [](auto, auto locks, auto xdot) {
      for (std::size_t i = 0; i < xdot.size(); ++i) xdot[i] = i < locks.size() && locks[i] ? -1 : 1;
    };
    if (parts.is_one_sided) {
      f.derivative = [motion](double, auto x, auto xdot) {
        const std::vector<std::uint8_t> locks{static_cast<std::uint8_t>(x[0] > 0 ? 1 : 0)};
        motion(x, locks, xdot);
      };
    } else {
      f.locked_derivative = [motion](double, auto x, auto locks, auto xdot) {
        motion(x, locks, xdot);
      };
    }
    return f;
  }
  StudySurfaces surfaces_of(const std::vector<std::uint32_t>& met) {
    return study->surfaces_of(met);
  }
  Result<SurfaceDecision> decide(const std::vector<std::uint32_t>& met) {
    return study->decide(surfaces_of(met), SlidingRule::bilinear);
  }
  detail::SwitchBoard& board() { return mode.kit->board; }

  std::vector<double> x, xdot;
  RunOptions options;
  SingleConfiguration source;
  detail::ModeRun mode;
  std::optional<SurfaceStudy> study;
};

constexpr auto study_x = [](double, std::span<const double> x) { return x[0]; };
constexpr auto study_y = [](double, std::span<const double> x) { return x[1]; };

// ---- surfaces ------------------------------------------------------------------------------------------

TEST(SurfaceStudy, MultiplesOfAFunctionHaveOneSurface) {
  StudyScene s({.g = {study_x, study_y, [](double, auto x) { return -2 * x[0]; }}});
  EXPECT_EQ(study_text(s.surfaces_of({0, 1, 2})), "0 2-, 1");
  EXPECT_TRUE(s.study->apart().empty());
}

TEST(SurfaceStudy, SurfacesThatOnlyMeetAreTwo) {
  StudyScene s({.g = {study_x,                                            //
                      [](double t, auto x) { return x[0] - t; },          // moves through it
                      [](double, auto x) { return x[0] + x[0] * x[1]; },  // elsewhere another one
                      [](double, auto x) { return x[0] + 1e-4 * x[1]; }}});
  for (const std::uint32_t other : {1u, 2u, 3u}) EXPECT_EQ(s.surfaces_of({0, other}).size(), 2u);
}

TEST(SurfaceStudy, SurfacesThatAreTooCloseAreOneAndTold) {
  StudyScene s({.nominal = {2.0, 1.0},
                .g = {study_x, [](double, auto x) { return 3 * (x[0] - 1e-9); },
                      [](double, auto x) { return x[0] - 1e-3; }}});
  EXPECT_EQ(s.surfaces_of({0, 1}).size(), 1u);
  ASSERT_EQ(s.study->apart().size(), 1u);
  EXPECT_EQ(s.study->apart()[0].one, 0u);
  EXPECT_EQ(s.study->apart()[0].other, 1u);
  EXPECT_NEAR(s.study->apart()[0].distance, 0.5e-9, 1e-15);
  EXPECT_EQ(s.surfaces_of({0, 2}).size(), 2u);
  EXPECT_TRUE(s.study->apart().empty());
}

/// -x^3, x and y, with their exact slopes.
struct StudyOfCubic : SidedMode {
  static SidedFunctions sided() {
    SidedFunctions sided;
    sided.functions = StudyScene::functions_of(
        {.g = {[](double, auto x) { return -x[0] * x[0] * x[0]; }, study_x, study_y}});
    sided.slope = [](std::uint32_t which, std::size_t j, auto x) -> std::optional<double> {
      if (which == 0) return j == 0 ? -3 * x[0] * x[0] : 0.0;
      return j + 1 == which ? 1.0 : 0.0;
    };
    return sided;
  }
  StudyOfCubic() : SidedMode(sided(), StudyScene::options_until(1.0)) {}
};

TEST(SurfaceStudy, FlatFunctionsFollowThoseWithASlope) {
  StudyOfCubic s;
  const std::vector<double> x{0.0, 0.0}, beside{1e-2, 0.0};
  SurfaceStudy study(s.mode, {0.0, x, x, 1e-4});
  EXPECT_TRUE(study.is_flat(0));
  EXPECT_FALSE(study.is_flat(1));
  const auto surfaces = [&](const std::vector<std::uint32_t>& met) {
    return study_text(study.surfaces_of(met));
  };
  EXPECT_EQ(surfaces({0, 2, 1}), "2, 1 0-");
  EXPECT_EQ(surfaces({0, 2}), "2, 0");  // that of y is none of its own
  EXPECT_EQ(surfaces({0}), "0");
  SurfaceStudy away(s.mode, {0.0, beside, x, 1e-4});
  EXPECT_FALSE(away.is_flat(0));
}

TEST(SurfaceStudy, ASideIsThatOfTheFirstRelation) {
  StudyScene s({.g = {study_x, [](double, auto x) { return -x[0]; }}});
  const Surface both{{0, 1}, {1, -1}};
  s.study->set_side(both, 1);
  EXPECT_TRUE(s.board().truth(0) && !s.board().truth(1));
  s.study->set_side(both, -1);
  EXPECT_TRUE(!s.board().truth(0) && s.board().truth(1));
}

TEST(SurfaceStudy, AllSidesAreLookedAtAndTruthsStay) {
  StudyScene s({.g = {study_x, study_y}});
  s.board().set_truth(0, true);
  std::vector<int> seen;
  s.study->on_sides(StudySurfaces{{{0}, {1}}, {{1}, {1}}},
                    [&] { seen.push_back(s.board().truth(0) + 2 * s.board().truth(1)); });
  EXPECT_EQ(seen, (std::vector<int>{0, 1, 2, 3}));
  EXPECT_TRUE(s.board().truth(0) && !s.board().truth(1));
}

TEST(SurfaceStudy, RatesDoNotMatterThatStayWithinTolerancesForTheWholeRun) {
  StudyScene s({.x = {3.0, -1.0}, .nominal = {2.0, 1.0}, .g = {study_x}, .t_end = 4.0});
  const std::vector<double> rates = s.study->unimportant_rates();
  const std::vector<double> tolerance = s.mode.tolerances_at(s.x);
  EXPECT_DOUBLE_EQ(rates[0], tolerance[0] / 4);
  EXPECT_DOUBLE_EQ(rates[1], tolerance[1] / 4);
  EXPECT_GE(tolerance[0], 3e-6);
}

// ---- points beside surfaces ----------------------------------------------------------------------------

TEST(SurfaceStudy, APointIsPutBesideAlongTheGradient) {
  StudyScene s({.nominal = {1.0, 2.0}, .g = {[](double, auto x) { return x[0] + 2 * x[1]; }}});
  for (const bool above : {true, false}) {
    s.board().set_truth(0, above);
    std::vector<double> x{0.0, 0.0};
    s.study->put_beside(0, 1.0, 0.0, x, s.xdot);
    // (1, 4) in nominal units
    EXPECT_NEAR(x[0], (above ? 1.0 : -1.0) / 17, 1e-9);
    EXPECT_NEAR(x[1], (above ? 8.0 : -8.0) / 17, 1e-9);
  }
}

TEST(SurfaceStudy, WhatIsBesideFarEnoughStays) {
  StudyScene s({.g = {study_x}});
  s.board().set_truth(0, true);
  std::vector<double> x{0.25, 3.0};
  s.study->put_beside(0, 0.25, 0.0, x, s.xdot);
  EXPECT_EQ(x[0], 0.25);
  s.study->put_beside(0, 0.5, 0.0, x, s.xdot);
  EXPECT_NEAR(x[0], 0.5, 1e-9);
  EXPECT_EQ(x[1], 3.0);
}

TEST(SurfaceStudy, CurvedSurfacesAreReachedAllTheSame) {
  StudyScene s(
      {.x = {1.0, 0.0}, .g = {[](double, auto x) { return x[0] * x[0] + x[1] * x[1] - 1; }}});
  s.board().set_truth(0, true);
  std::vector<double> x{0.2, 0.0};  // where a step along the gradient ends far outside
  s.study->put_beside(0, 1e-6, 0.0, x, s.xdot);
  const double g = x[0] * x[0] - 1;
  EXPECT_GE(g, 0.5e-6);
  std::vector<double> inner{2.0, 0.0};
  s.board().set_truth(0, false);
  s.study->put_beside(0, 1e-6, 0.0, inner, s.xdot);
  EXPECT_NEAR(inner[0], 1.0, 1e-5);
  EXPECT_LE(inner[0] * inner[0] - 1, -0.5e-6);
}

// ---- motions -------------------------------------------------------------------------------------------

/// x' = 3 - 2 s and y' = -1 - r, with the sides s and r of x = 0 and y = 0.
StudyScene::Parts study_of_two() {
  return {.g = {study_x, study_y}, .motion = [](auto, auto locks, auto xdot) {
            xdot[0] = 3 - 2 * (locks[0] ? 1 : -1);
            xdot[1] = -1 - (locks[1] ? 1 : -1);
          }};
}

TEST(SurfaceStudy, VelocitiesAreThoseOfAllVertices) {
  StudyScene s(study_of_two());
  s.board().set_truth(0, false);
  s.board().set_truth(1, true);
  const auto vertices = s.study->look_at({{{0}, {1}}, {{1}, {1}}});
  ASSERT_TRUE(vertices.has_value()) << vertices.failure().message;
  ASSERT_EQ(vertices->size(), 4u);
  for (std::uint32_t b = 0; b < 4; ++b) {
    const double in_x = (b & 1) != 0 ? 1 : 5, in_y = (b & 2) != 0 ? -2 : 0;
    EXPECT_NEAR(s.study->velocities()(b, 0), in_x, 1e-9) << b;
    EXPECT_NEAR(s.study->velocities()(b, 1), in_y, 1e-9) << b;
    EXPECT_EQ((*vertices)[b].xdot[0], in_x);
    EXPECT_EQ((*vertices)[b].xdot[1], in_y);
  }
  EXPECT_TRUE(!s.board().truth(0) && s.board().truth(1));
  EXPECT_GT(s.study->n_evaluations(), 0u);
  EXPECT_FALSE(s.study->has_different_states());
}

TEST(SurfaceStudy, BackwardInTimeVelocitiesAreTurnedRound) {
  StudyScene::Parts parts = study_of_two();
  parts.t_end = -1.0;
  StudyScene s(parts);
  ASSERT_TRUE(s.study->look_at({{{0}, {1}}}).has_value());
  EXPECT_NEAR(s.study->velocities()(0, 0), -5.0, 1e-9);
  EXPECT_NEAR(s.study->velocities()(1, 0), -1.0, 1e-9);
}

TEST(SurfaceStudy, ASystemThatDecidesItselfIsLookedAtBesideTheSurface) {
  StudyScene s({.g = {study_x}, .is_one_sided = true});
  ASSERT_TRUE(s.study->look_at({{{0}, {1}}}).has_value());
  EXPECT_NEAR(s.study->velocities()(0, 0), 1.0, 1e-9);
  EXPECT_NEAR(s.study->velocities()(1, 0), -1.0, 1e-9);
}

// ---- decisions -----------------------------------------------------------------------------------------

TEST(SurfaceStudy, ADecisionIsToldByTheNamesOfRelations) {
  StudyScene s({.g = {study_x, study_y}});
  const auto decided = s.decide({0});
  ASSERT_TRUE(decided.has_value()) << decided.failure().message;
  EXPECT_EQ(decided->kind, DecisionKind::unique);
  const SurfaceCandidateRecord kept = s.study->record_of(decided->taken());
  EXPECT_EQ(kept.text, "sliding on g0");
  EXPECT_TRUE(kept.consistent);
  ASSERT_EQ(kept.motions.size(), 1u);
  EXPECT_FALSE(kept.motions[0].truth.has_value());
  EXPECT_NEAR(kept.motions[0].multiplier, 0.0, 1e-12);
  ASSERT_EQ(decided->candidates.size(), 3u);
  std::vector<std::string> texts;
  for (const SurfaceCandidate& c : decided->candidates) {
    const SurfaceCandidateRecord record = s.study->record_of(c);
    texts.push_back(record.text);
    if (record.text == "g0 true") {
      EXPECT_EQ(record.motions[0].truth, true);
      EXPECT_NEAR(record.motions[0].rate, -1.0, 1e-9);
      EXPECT_NE(record.verdict.find("g0"), std::string::npos) << record.verdict;
    }
  }
  std::ranges::sort(texts);
  EXPECT_EQ(texts, (std::vector<std::string>{"g0 false", "g0 true", "sliding on g0"}));
}

TEST(SurfaceStudy, SidesThatMoveAlikeAreLeftOut) {
  StudyScene s({.g = {study_y, study_x}, .motion = [](auto, auto locks, auto xdot) {
                  xdot[0] = locks[1] ? -1 : 1;
                  xdot[1] = 1;
                }});
  const auto decided = s.decide({0, 1});
  ASSERT_TRUE(decided.has_value());
  ASSERT_EQ(s.study->surfaces().size(), 1u);
  EXPECT_EQ(s.study->name_of(s.study->surfaces()[0]), "g1");
  EXPECT_EQ(s.study->velocities().n_surfaces, 1u);
  EXPECT_EQ(s.study->vertex_points().size(), 2u);
  EXPECT_NEAR(s.study->velocities()(0, 0), 1.0, 1e-9);
  EXPECT_NEAR(s.study->velocities()(1, 0), -1.0, 1e-9);
  const auto nothing = s.decide({0});
  ASSERT_TRUE(nothing.has_value());
  EXPECT_TRUE(s.study->surfaces().empty());
  EXPECT_EQ(nothing->kind, DecisionKind::unique);
  EXPECT_TRUE(nothing->taken().consistent);
}

// 1 + 1e6 max(x, 0) differs by 1e-8 where it is looked at, beside the surface: it is continuous all the same.
TEST(SurfaceStudy, AKinkBesideWhichItIsLookedAtIsNoJump) {
  const auto with_jump = [](double jump) {
    return StudyScene::Parts{.g = {study_x},
                             .motion =
                                 [jump](auto x, auto locks, auto xdot) {
                                   xdot[0] = locks[0] ? 1 + 1e6 * x[0] + jump : 1;
                                   xdot[1] = 0;
                                 },
                             .is_one_sided = true};
  };
  StudyScene kink(with_jump(0.0)), jump(with_jump(1e-8));
  ASSERT_TRUE(kink.decide({0}).has_value());
  EXPECT_TRUE(kink.study->surfaces().empty());
  ASSERT_TRUE(jump.decide({0}).has_value());
  EXPECT_EQ(jump.study->surfaces().size(), 1u);
}

/// x' = y and y' = -1 or -2: on x = 0, y decides, and if it is zero the next derivative does.
StudyScene::Parts study_of_throw(double y) {
  return {.x = {0.0, y}, .g = {study_x}, .motion = [](auto x, auto locks, auto xdot) {
            xdot[0] = x[1];
            xdot[1] = locks[0] ? -1 : -2;
          }};
}

TEST(SurfaceStudy, WhereAVelocityVanishesTheNextDerivativeDecides) {
  for (const double y : {1e-3, 0.0}) {
    StudyScene s(study_of_throw(y));
    const auto decided = s.decide({0});
    ASSERT_TRUE(decided.has_value()) << decided.failure().message;
    EXPECT_EQ(decided->kind, DecisionKind::unique);
    EXPECT_EQ(decided->taken().state[0], y > 0 ? 1 : -1);
    EXPECT_EQ(decided->taken().by_second_order, y == 0);
  }
}

TEST(SurfaceStudy, AVelocityAtReleaseIsKnownUpToTheErrorOfTheRun) {
  for (const double step : {0.0, 1e-3}) {
    StudyScene s(study_of_throw(1e-8));
    detail::EventPoint at;
    at.x = s.x;
    at.xdot = s.xdot;
    (void)s.mode.kit->locator.margins(at, {});
    const double uncertainty = s.mode.kit->locator.uncertainties()[0];
    ASSERT_GT(uncertainty, 1e-8 * 1e-3);
    const std::vector<std::uint32_t> released{0};
    s.study->set_released(released, step);
    const auto decided = s.decide({0});
    ASSERT_TRUE(decided.has_value());
    EXPECT_EQ(decided->taken().state[0], step > 0 ? -1 : 1) << step;
  }
}

TEST(SurfaceStudy, WhatMattersOnASideOnlyIsDecidedAtThePointUnlessItIsKnown) {
  for (const bool is_known : {false, true}) {
    StudyScene s({.x = {0.0, 1.0}, .g = {study_x, study_y}, .matters = [](auto which, auto sides) {
                    return which == 0 || sides[0] != 0;
                  }});
    ASSERT_FALSE(s.board().truth(0));
    s.board().set_truth(1, false);
    if (is_known) s.study->set_known({0, 1});
    ASSERT_TRUE(s.decide({0}).has_value());
    EXPECT_EQ(s.board().truth(1), !is_known);
  }
}

TEST(SurfaceStudy, WhatHasComeToMatterIsDecidedAnew) {
  for (const bool is_fresh : {false, true}) {
    StudyScene s({.x = {0.0, 1.0}, .g = {study_x, study_y}});
    s.board().set_truth(1, false);
    if (is_fresh) s.study->set_fresh({0, 1});
    ASSERT_TRUE(s.decide({0}).has_value());
    EXPECT_EQ(s.board().truth(1), is_fresh);
  }
}

// ---- many surfaces -------------------------------------------------------------------------------------

/// x_k' = -s_k + c s_0 s_1, on all x_k = 0.
StudyScene::Parts study_of_many(std::size_t n, double c) {
  StudyScene::Parts parts{.x = std::vector<double>(n, 0.0)};
  for (std::size_t k = 0; k < n; ++k)
    parts.g.push_back([k](double, std::span<const double> x) { return x[k]; });
  parts.motion = [c](auto, auto locks, auto xdot) {
    for (std::size_t k = 0; k < xdot.size(); ++k)
      xdot[k] = (locks[k] ? -1 : 1) + c * (locks[0] == locks[1] ? 1 : -1);
  };
  return parts;
}

std::vector<std::uint32_t> study_numbers(std::uint32_t n) {
  std::vector<std::uint32_t> all;
  for (std::uint32_t k = 0; k < n; ++k) all.push_back(k);
  return all;
}

TEST(SurfaceStudy, ManySurfacesWithForcesOfTheirOwnAreDecided) {
  StudyScene s(study_of_many(6, 0.0));
  const auto decided = s.decide(study_numbers(6));
  ASSERT_TRUE(decided.has_value()) << decided.failure().message;
  EXPECT_EQ(decided->kind, DecisionKind::unique);
  EXPECT_EQ(decided->taken().n_kept(), 6u);
}

TEST(SurfaceStudy, ManySurfacesWhoseSidesDoNotAddUpAreRefused) {
  StudyScene s(study_of_many(5, 0.25));
  const auto decided = s.decide(study_numbers(5));
  ASSERT_FALSE(decided.has_value());
  EXPECT_EQ(decided.failure().message,
            "5 surfaces are met at once, and the motions of their sides contradict each other");
  StudyScene few(study_of_many(4, 0.25));  // whose vertices are all known
  EXPECT_TRUE(few.decide(study_numbers(4)).has_value());
}

TEST(SurfaceStudy, MoreSurfacesThanCanBeDecidedAreRefused) {
  StudyScene s(study_of_many(31, 0.0));
  StudySurfaces all;
  for (const std::uint32_t k : study_numbers(31)) all.push_back({{k}, {1}});
  const auto decided = s.study->decide(all, SlidingRule::bilinear);
  ASSERT_FALSE(decided.has_value());
  EXPECT_EQ(decided.failure().code, FailureCode::not_certified);
  EXPECT_EQ(decided.failure().message, "31 surfaces are met at once");
}

// ---- whether motions add up ----------------------------------------------------------------------------

TEST(MotionsAddUp, EachSurfaceHasAPartOfItsOwn) {
  SystemFunctions f;
  f.unknowns = {{"x", 0.0}, {.name = "z", .differential = false}};
  f.residual = [](double, auto x, auto xdot, auto r) {
    r[0] = xdot[0];
    r[1] = x[1];
  };
  const auto system = make_system(std::move(f));
  const auto add_up = [&](std::vector<double> in_x, double in_z,
                          std::vector<double> no_matter = {}) {
    std::vector<std::vector<double>> xdot;
    for (const double v : in_x) xdot.push_back({v, in_z * v * v});
    std::vector<SlidingPoint> vertices;
    for (const auto& v : xdot) vertices.push_back({0.0, v, v});
    return detail::motions_add_up(*system, vertices, no_matter);
  };
  EXPECT_TRUE(add_up({1, 3, 11, 13}, 0));  // 1, + 2, + 10
  EXPECT_TRUE(add_up({1, 3, 11, 13}, 7));  // z is no state
  EXPECT_FALSE(add_up({1, 3, 11, 13.001}, 0));
  EXPECT_TRUE(add_up({1, 3, 11, 13 + 1e-8}, 0));  // 13e-9 is what searches leave
  EXPECT_FALSE(add_up({1, 3, 11, 13 + 2e-8}, 0));
  EXPECT_TRUE(add_up({1, 3, 11, 13.001}, 0, {0.002, 0}));
  EXPECT_FALSE(add_up({1, 3, 11, 13.001}, 0, {0.0005, 0}));
  EXPECT_TRUE(add_up({1, 7}, 0));  // one surface by itself
  EXPECT_TRUE(add_up({}, 0));      // not known
  EXPECT_TRUE(add_up({0, 1, 2, 3, 4, 5, 6, 7}, 0));
  EXPECT_FALSE(add_up({0, 1, 2, 3, 4, 5, 6, 8}, 0));
}

}  // namespace
}  // namespace saltus::hybrid_test
