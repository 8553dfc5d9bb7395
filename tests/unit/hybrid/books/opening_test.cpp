// What is said of the start of a run, and names in options that nothing has.
#include "hybrid/books/opening.hpp"

#include "../dressed_system.hpp"
#include "../scene.hpp"
#include "books.hpp"

namespace saltus::hybrid_test {
namespace {

/// A mode as it was loaded, which begins where the test says.
struct Opened : Books {
  explicit Opened(std::shared_ptr<const System> system) : source({std::move(system)}) {
    EXPECT_TRUE(here.load().has_value());
    here.pairing.emplace(*here.original, *here.system);
    here.start.x = here.original->start_values().x;
    here.start.xdot = here.original->start_values().xdot;
  }
  void report(const std::optional<Restart>& jump, bool is_only_mode = true) {
    report_start(ledger, here, options, is_only_mode, jump, here.original->start_values());
  }
  std::string last_choice() {
    if (ledger.choices().empty()) return "";
    const DecisionRecord& c = ledger.choices().back();
    return c.name + " | " + c.given + " | " + c.used + " | " + c.reason;
  }
  SeveralModes source;
  ModeSet modes{source, options};
  ModeRun& here = modes.at(0);
};

/// p at 10, i at 0.5 A, and y, whose derivative nothing contains.
SystemFunctions three_starts() {
  return {.unknowns = {{.name = "p", .start = 10.0},
                       {.name = "i", .start = 0.5, .nominal = 100.0, .unit = "A"},
                       {.name = "y", .start = 1.0, .differential = false}},
          .residual = [](double, auto x, auto xdot, auto f) {
            f[0] = xdot[0], f[1] = xdot[1], f[2] = x[2] - x[0];
          }};
}

Restart jump_to(std::vector<double> x, std::vector<Impulse> impulses = {}) {
  Restart jump;
  jump.x = std::move(x);
  jump.xdot.assign(jump.x.size(), 0.0);
  jump.impulses = std::move(impulses);
  return jump;
}

TEST(Opening, AValueThatTheEquationsDetermineIsNotedUnlessItIsRounding) {
  Opened s(make_system(three_starts()));
  s.options.t_begin = 2.0;
  s.here.start.changes = {{1, "i", 0.5, 0.5 + 0.9e-10}};
  s.report({});
  EXPECT_EQ(s.last_choice(), "");
  s.here.start.changes = {{1, "i", 0.5, 0.75}};
  s.report({});
  EXPECT_EQ(s.last_choice(), "start value of i | 0.5 | 0.75 | consistency at t = 2");
  EXPECT_EQ(
      s.listener.said,
      (std::vector<std::string>{"'i' starts at 0.75, not 0.5: the equations determine its value"}));
  EXPECT_TRUE(s.ledger.report().warnings.empty());
}

/// By more than a thousandth of the value or of the nominal value; y was a guess.
TEST(Opening, StatedValuesThatMoveAreWarnedOf) {
  Opened s(make_system(three_starts()));
  s.here.start.x = {10.0 + 0.009, 0.5 - 0.09, 100.0};
  s.report({});
  EXPECT_TRUE(s.listener.said.empty());
  s.here.start.x = {10.0 + 0.25, 0.5 - 0.25, 100.0};
  s.report({});
  EXPECT_EQ(s.listener.said,
            (std::vector<std::string>{
                "at t = 0 the equations contradict the stated start values, so the run starts "
                "nearby: it moves 'p' from 10 to 10.25, 'i' from 0.5 to 0.25; state values that "
                "the equations allow, or leave some as guesses"}));
  s.options.start = StartPolicy::least_squares;  // that was asked for
  s.report({});
  EXPECT_EQ(s.listener.said.size(), 1U);
}

TEST(Opening, AJumpIsToldWithItsImpulses) {
  Opened s(make_system(three_starts()));
  const Restart jump = jump_to({8.0, 0.5 + 0.9e-10, 7.0}, {{1, "i", 0, -0.25}, {2, "y", 0, 3.0}});
  s.report(jump);
  EXPECT_EQ(s.last_choice(), "start value of p | 10 | 8 | impulses at t = 0");
  s.report(jump, false);
  EXPECT_EQ(s.listener.said,
            (std::vector<std::string>{
                "at t = 0 the equations do not allow the start values: impulses (i -0.25 A s, y "
                "3) change 'p' from 10 to 8, as if they had held until then",
                "at t = 0 mode 'a' does not allow the start values: impulses (i -0.25 A s, y 3) "
                "change 'p' from 10 to 8, as if it had been entered with them"}));
}

TEST(Opening, AJumpWithoutImpulsesOrWithoutEffect) {
  Opened s(make_system(three_starts()));
  s.report(jump_to({10.0, 0.5, 7.0}));
  EXPECT_TRUE(s.listener.said.empty());
  s.report(jump_to({8.0, 0.25, 7.0}));
  EXPECT_EQ(s.listener.said,
            (std::vector<std::string>{
                "at t = 0 the equations do not allow the start values: they change 'p' from 10 to "
                "8, 'i' from 0.5 to 0.25, as if they had held until then"}));
}

/// Those without a derivative are no start values, and no more than five are listed.
TEST(Opening, StatesThatBeginAtAGuessAreListed) {
  Opened s(make_system(three_starts()));
  StartValues start = s.here.original->start_values();
  report_missing_starts(s.ledger, s.here, start);
  EXPECT_EQ(s.last_choice(), "");
  start.x_given[1] = 0;
  report_missing_starts(s.ledger, s.here, start);
  EXPECT_EQ(s.last_choice(), "start values | not given | i = 0.5 | guesses, or zero");

  SystemFunctions seven;
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g"}) seven.unknowns.push_back({name});
  seven.derivative = [](double, auto, auto xdot) { std::ranges::fill(xdot, 1.0); };
  Opened many(make_system(std::move(seven)));
  start = many.here.original->start_values();
  std::ranges::fill(start.x_given, 0);
  report_missing_starts(many.ledger, many.here, start);
  EXPECT_EQ(many.ledger.choices().back().used, "a = 0, b = 0, c = 0, d = 0, e = 0, and 2 more");
}

/// A transition that holds is taken, and what its mode leaves out would not be carried out in any case.
TEST(Opening, AClauseWhoseConditionHoldsFromTheStartIsNoted) {
  Dress dress;
  const auto holds = [](auto, auto) { return true; };
  for (const char* name : {"one", "two"}) dress.add_action(ActionKind::assignments, name, holds);
  dress.add_action(ActionKind::assignments, "omitted", holds).lacks = "'v' does not exist";
  dress.add_action(ActionKind::transition, "away", holds);
  SystemFunctions f = rising();
  add_relation(f, "far", [](double, double x) { return x - 5.0; });
  Opened s(dressed(std::move(f), dress));
  report_triggers_at_start(s.ledger, s.here.kit->board, 0.5, std::vector<std::uint8_t>{0, 1, 1, 1});
  EXPECT_EQ(s.ledger.choices().size(), 1U);
  EXPECT_EQ(s.last_choice(),
            "when-clause 'two' |  | not carried out | 'condition of two' holds "
            "from the start, at t = 0.5");
}

/// The refusal of names by a model with so many relations, and one clause.
std::string refused_names(int n_relations, const RunOptions& options, bool is_only_mode = true) {
  SystemFunctions f = rising();
  for (int k = 1; k <= n_relations; ++k)
    add_relation(f, "height " + std::to_string(k), [](double, double x) { return x - 5.0; });
  f.actions.push_back({.name = "reset", .trigger = "height 1"});
  f.actions.back().set = [](double, auto, auto after) { after[0] = 0.0; };
  Opened s(make_system(std::move(f)));
  try {
    check_names(options, s.here.kit->board, is_only_mode);
  } catch (const OptionError& e) {
    return e.what();
  }
  return "";
}

TEST(Opening, NamesThatNothingHasAreRefusedWithWhatThereIs) {
  RunOptions options;
  options.events.accumulation = {{"height 2", "reset"}};
  EXPECT_EQ(refused_names(2, options), "");
  options.events.accumulation = {{"hieght 2", "reset"}};
  EXPECT_EQ(refused_names(2, options),
            "option 'events.accumulation': 'hieght 2' is not a relation "
            "of the model, did you mean 'height 2'?");
  EXPECT_EQ(refused_names(2, options, false), "");  // other modes may have it
  options.events.accumulation = {{"height 1", "bounce"}};
  EXPECT_EQ(refused_names(2, options),
            "option 'events.accumulation': 'bounce' is not a when-clause "
            "of the model, which has 'reset'");
  options.events = {};
  options.events.surface_of = {{"v", SurfacePolicy::cross}};
  const std::string refused =
      "option 'events.surface_of': 'v' is not a relation of the model, which has 'height 1', "
      "'height 2', 'height 3', 'height 4', 'height 5', 'height 6'";
  EXPECT_EQ(refused_names(6, options), refused);
  EXPECT_EQ(refused_names(7, options), refused + ", …");
}

TEST(Opening, WhereThereAreNoClausesThatIsSaid) {
  RunOptions options;
  options.events.accumulation = {{"half", "reset"}};
  SystemFunctions f = rising();
  add_relation(f, "half", [](double, double x) { return x - 0.5; });
  Opened s(make_system(std::move(f)));
  try {
    check_names(options, s.here.kit->board, true);
    ADD_FAILURE() << "not refused";
  } catch (const OptionError& e) {
    EXPECT_STREQ(e.what(),
                 "option 'events.accumulation': 'reset' is not a when-clause of the "
                 "model, which has none");
  }
}

}  // namespace
}  // namespace saltus::hybrid_test
