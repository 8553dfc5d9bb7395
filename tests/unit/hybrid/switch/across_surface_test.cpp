// Sides that exist only on their own side of a surface.
#include "hybrid/switch/across_surface.hpp"

#include "fake_switches.hpp"

namespace saltus::hybrid_test {
namespace {

using detail::SwitchBoard;

/// Two relations on (x, y): 'a' is 3 x + 4 y - 5 > 0, 'b' is y > 0. Both choose equations.
FakeParts two_lines() {
  return {.n_unknowns = 2,
          .functions = {{.info = {.name = "a"}, .constant = -5.0, .by_x = {3.0, 4.0}},
                        {.info = {.name = "b"}, .by_x = {0.0, 1.0}}},
          .of_equations = {0, 1}};
}

struct AcrossScene {
  explicit AcrossScene(FakeParts parts = two_lines(), EventOptions options = {})
      : fake(std::move(parts)), board(fake, options, true) {}
  bool put(std::vector<double>& x, std::vector<std::uint32_t> crossed = {0}) {
    return detail::put_across(board, crossed, margin, 0.0, x, std::vector<double>(x.size()));
  }
  /// There is a state where `has_state` says so; it is the point itself.
  std::optional<detail::LeftBehind> left(std::vector<double> x,
                                         std::vector<std::uint8_t> decided = {0, 0}) {
    const StartValues now{x, {0.0, 0.0}, {0, 0}};
    return detail::left_behind(board, decided, margin, 0.0, now,
                               [&](double, const StartValues& v) -> Result<ConsistentStart> {
                                 ++n_asked;
                                 if (!has_state())
                                   return Failure{FailureCode::out_of_domain, "none"};
                                 ConsistentStart start;
                                 start.x = v.x;
                                 start.xdot = v.xdot;
                                 return start;
                               });
  }

  FakeSwitches fake;
  SwitchBoard board;
  std::vector<double> margin{0.1, 0.1};
  std::function<bool()> has_state = [] { return true; };
  int n_asked = 0;
};

TEST(PutAcross, APointGoesHalfAMarginBeyondAlongTheGradient) {
  AcrossScene s;
  for (const bool above : {true, false}) {
    s.board.set_truth(0, above);
    const double side = above ? 1.0 : -1.0;
    // On 3 x + 4 y = 5, then 0.05 before it.
    std::vector<double> x{1.0 - side * 0.03 / 5, 0.5 - side * 0.04 / 5};
    ASSERT_TRUE(s.put(x));
    EXPECT_NEAR(3 * x[0] + 4 * x[1] - 5, side * 0.05, 1e-15);
    EXPECT_NEAR(x[0], 1.0 + side * 0.03 / 5, 1e-15);
    EXPECT_NEAR(x[1], 0.5 + side * 0.04 / 5, 1e-15);
  }
}

TEST(PutAcross, WhatIsBeyondAlreadyStays) {
  AcrossScene s;
  s.board.set_truth(0, true);
  std::vector<double> x{1.0, 0.501};
  EXPECT_FALSE(s.put(x));
  EXPECT_EQ(x, (std::vector<double>{1.0, 0.501}));
}

TEST(PutAcross, WhatIsFurtherAwayThanItsMarginIsNotMoved) {
  AcrossScene s;
  s.board.set_truth(0, true);
  std::vector<double> far{1.0, 0.5 - 0.1001 / 4}, near{1.0, 0.5 - 0.0999 / 4};
  EXPECT_FALSE(s.put(far));
  EXPECT_TRUE(s.put(near));
}

TEST(PutAcross, NothingMovesWithoutAGradientAValueOrAnUnknown) {
  FakeParts flat = two_lines();
  flat.functions[0].by_x.clear();
  flat.functions[0].constant = -0.01;
  FakeParts timed = two_lines();
  timed.functions[0].is_timed = true;
  FakeParts without_value = two_lines();
  without_value.functions[0].has_value = [](double, auto) { return false; };
  for (const FakeParts& parts : {flat, timed, without_value}) {
    AcrossScene s(parts);
    s.board.set_truth(0, true);
    std::vector<double> x{1.0, 0.499};
    EXPECT_FALSE(s.put(x));
    EXPECT_EQ(x[1], 0.499);
  }
}

TEST(LeftBehind, WhatIsClearlyBeyondIsTurnedTogether) {
  AcrossScene s;
  // Both hold, and at (0, -1) neither g is positive.
  s.board.set_truths(std::vector<std::uint8_t>{1, 1});
  const auto found = s.left({0.0, -1.0});
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->relations, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(found->state.x, (std::vector<double>{0.0, -1.0}));
  EXPECT_EQ(s.n_asked, 1);
  EXPECT_TRUE(s.board.truth(0) && s.board.truth(1)) << "turning them is for whoever asked";
}

TEST(LeftBehind, WhatIsDecidedStays) {
  AcrossScene s;
  s.board.set_truths(std::vector<std::uint8_t>{1, 1});
  const auto found = s.left({0.0, -1.0}, {1, 0});
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->relations, std::vector<std::uint32_t>{1});
  EXPECT_FALSE(s.left({0.0, -1.0}, {1, 1}).has_value());
}

TEST(LeftBehind, OnlyOneAtItsSurfaceIsTurnedAndOnlyIfItIsCertain) {
  AcrossScene s;
  s.board.set_truths(std::vector<std::uint8_t>{1, 1});
  // At (5/3, 0) both are on their surfaces. With the other side of 'b' alone there is a state.
  s.has_state = [&] { return s.board.truth(0) && !s.board.truth(1); };
  const auto found = s.left({5.0 / 3.0, 0.0});
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->relations, std::vector<std::uint32_t>{1});
  EXPECT_EQ(s.n_asked, 2);
  // With either there is one.
  s.has_state = [] { return true; };
  EXPECT_FALSE(s.left({5.0 / 3.0, 0.0}).has_value());
  s.has_state = [] { return false; };
  EXPECT_FALSE(s.left({5.0 / 3.0, 0.0}).has_value());
}

TEST(LeftBehind, AStateMustBeOnTheOtherSides) {
  AcrossScene s;
  s.board.set_truths(std::vector<std::uint8_t>{1, 1});
  const StartValues now{{0.0, -1.0}, {0.0, 0.0}, {0, 0}};
  // The search goes back to where 'a' is at +0.11 or +0.09, while its margin is 0.1.
  for (const double g : {0.11, 0.09}) {
    const auto found =
        detail::left_behind(s.board, std::vector<std::uint8_t>{0, 1}, s.margin, 0.0, now,
                            [&](double, const StartValues&) -> Result<ConsistentStart> {
                              ConsistentStart start;
                              start.x = {(5.0 + g) / 3.0, 0.0};
                              start.xdot = {0.0, 0.0};
                              return start;
                            });
    EXPECT_EQ(found.has_value(), g < 0.1) << g;
  }
}

TEST(LeftBehind, WhatDoesNotChooseEquationsOrWaitsIsLeft) {
  FakeParts parts = two_lines();
  parts.of_equations = {1};
  parts.of_outputs = {0};
  AcrossScene outputs(parts);
  outputs.board.set_truths(std::vector<std::uint8_t>{1, 1});
  ASSERT_TRUE(outputs.left({0.0, -1.0}).has_value());
  EXPECT_EQ(outputs.left({0.0, -1.0})->relations, std::vector<std::uint32_t>{1});

  AcrossScene waits(two_lines(), {.dwell = {{"a", 1.0}}});
  waits.board.set_truths(std::vector<std::uint8_t>{1, 1});
  waits.board.note_switched(0, -0.5);
  ASSERT_TRUE(waits.left({0.0, -1.0}).has_value());
  EXPECT_EQ(waits.left({0.0, -1.0})->relations, std::vector<std::uint32_t>{1});
}

TEST(NotEntered, TellsWhatChangedAndGivesNoHintAtStartValues) {
  AcrossScene s;
  const Failure said{FailureCode::out_of_domain,
                     "log(x) of -1; other start values or guesses may help"};
  const Failure told = detail::not_entered(s.board, std::vector<std::uint32_t>{1}, 0.5, said);
  EXPECT_EQ(told.code, FailureCode::out_of_domain);
  EXPECT_EQ(told.message,
            "at t = 0.5 'b' changes, and the equations that hold from there on have no value "
            "where the change was located: log(x) of -1");
}

TEST(LeftBehind, ARelationThatComesToMatterIsDecidedThere) {
  FakeParts parts{.n_unknowns = 1,
                  .functions = {{.info = {.name = "a"}, .by_x = {1.0}},
                                {.info = {.name = "nested"}, .by_x = {1.0}, .only_with = 0}},
                  .of_equations = {0, 1}};
  FakeSwitches fake(parts);
  SwitchBoard board(fake, {}, true);
  board.note_active();
  bool nested = false;
  const auto found = detail::left_behind(
      board, std::vector<std::uint8_t>{0, 0}, std::vector{0.1, 0.1}, 0.0, {{1.0}, {0.0}, {0}},
      [&](double, const StartValues& v) -> Result<ConsistentStart> {
        nested = board.truth(1);
        ConsistentStart start;
        start.x = v.x;
        start.xdot = v.xdot;
        return start;
      });
  EXPECT_TRUE(found.has_value());
  EXPECT_TRUE(nested);
}

TEST(NotEntered, SeveralRelationsChange) {
  AcrossScene s;
  const Failure told = detail::not_entered(s.board, std::vector<std::uint32_t>{0, 1}, 0.5, {});
  EXPECT_TRUE(told.message.starts_with("at t = 0.5 'a' and 'b' change, and")) << told.message;
}

}  // namespace
}  // namespace saltus::hybrid_test
