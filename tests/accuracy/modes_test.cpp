// Problems with modes beside their true solutions; tools/show modes has all tolerances and figures.
#include <gtest/gtest.h>

#include "accuracy/reference_files.hpp"
#include "problems/class_change_runs.hpp"
#include "problems/many_modes.hpp"
#include "problems/mode_problems.hpp"
#include "problems/pencil_study.hpp"

namespace saltus::problems {
namespace {

constexpr double modes_tolerance = 1e-6;

Solution run_mode_problem(const ModeProblem& p, EngineKind engine,
                          RestartPolicy restart = RestartPolicy::keep) {
  RunOptions o = {
      .t_end = p.t_end, .rtol = modes_tolerance, .atol = modes_tolerance, .engine = engine};
  o.restart = restart;
  return simulate(write_model(p), o);
}

void expect_true_solution(const ModeProblem& p) {
  for (const EngineKind engine : {EngineKind::radau, EngineKind::ida}) {
    const Solution s = run_mode_problem(p, engine);
    ASSERT_TRUE(s.ok()) << p.name << " " << name(engine) << ": " << s.report.message;
    const ModeComparison c = compare_modes(s.event_log, p);
    EXPECT_TRUE(c.complete) << p.name << " " << name(engine) << ": " << c.first_difference;
    const double allowed = (engine == EngineKind::ida ? 5000 : 300) * modes_tolerance;
    EXPECT_LE(c.largest_time_error, allowed) << p.name << " " << name(engine);
    EXPECT_LE(jump_error(s, p), allowed) << p.name << " " << name(engine);
    EXPECT_LE(end_error(s, p), allowed) << p.name << " " << name(engine);
    for (const EventInstant& i : s.instants()) {
      for (const ConservedRecord& q : i.conserved) EXPECT_TRUE(q.kept) << p.name << " " << q.name;
    }
  }
}

TEST(ModeProblems, RunAsTheirTrueSolutions) {
  for (const ModeProblem& p : mode_problems()) expect_true_solution(p);
}

TEST(ModeProblems, AutomataThatSayTheSameDoTheSame) {
  for (const BoostAutomaton automaton : {BoostAutomaton::right_first, BoostAutomaton::printed}) {
    expect_true_solution(boost_converter(automaton));
    expect_true_solution(boost_converter_dcm(automaton));
  }
  expect_true_solution(clutch(ClutchJump::equations));
  expect_true_solution(clutch(ClutchJump::map));
  expect_true_solution(latched_sliders(true));
}

TEST(ModeProblems, AMissingAMovedAndAnotherChangeAreNoticed) {
  const ModeProblem p = boost_converter_dcm();
  const Solution s = run_mode_problem(p, EngineKind::radau);
  ASSERT_TRUE(compare_modes(s.event_log, p).complete);
  ModeProblem missing = p;
  missing.events.erase(missing.events.begin() + 3);
  EXPECT_FALSE(compare_modes(s.event_log, missing).complete);
  ModeProblem extra = p;
  extra.events.push_back({0.99, "1", "2"});
  EXPECT_FALSE(compare_modes(s.event_log, extra).complete);
  ModeProblem other = p;
  other.events[2].to = "4";
  EXPECT_FALSE(compare_modes(s.event_log, other).complete);
  ModeProblem late = p;
  late.events[2].t += 0.01;
  EXPECT_GT(compare_modes(s.event_log, late).largest_time_error, 0.009);
}

TEST(ModeProblems, AWrongJumpAndAWrongImpulseAreNoticed) {
  ModeProblem p = two_capacitors();
  const Solution s = run_mode_problem(p, EngineKind::radau);
  ASSERT_LT(jump_error(s, p), 300 * modes_tolerance);
  p.events[0].after["v1"] += 0.01;
  EXPECT_GT(jump_error(s, p), 1e-3);
  p = two_capacitors();
  p.events[0].impulses["i"] *= 1.01;
  EXPECT_GT(jump_error(s, p), 1e-3);
  p.events[0].impulses = {};
  EXPECT_TRUE(std::isinf(jump_error(s, p)));
}

TEST(BoostConverter, HeadersHoldTheNumbersOfTheFiles) {
  constexpr double eps = std::numeric_limits<double>::epsilon();
  for (const ModeProblem& p : {boost_converter(), boost_converter_dcm()}) {
    const std::string text = test::reference_text(p.file);
    std::size_t at = text.find("\"events\"");
    for (const ModeEvent& e : p.events) {
      at = text.find("\"t\": \"", at) + 6;
      EXPECT_NEAR(std::strtod(text.c_str() + at, nullptr), e.t, 2 * eps * e.t) << p.name;
      at = text.find("\"mode_before\": \"", at) + 16;
      EXPECT_EQ(text.substr(at, 1), e.from) << p.name << " " << e.t;
      at = text.find("\"mode_after\": \"", at) + 15;
      EXPECT_EQ(text.substr(at, 1), e.to) << p.name << " " << e.t;
    }
    EXPECT_EQ(text.find("\"mode_before\"", at), std::string::npos) << p.name;
    const auto last = test::arrays_of_numbers(text, "final_state");
    ASSERT_EQ(last.size(), 1u);
    EXPECT_EQ(last[0][0], p.final_values[0].value) << p.name;
    EXPECT_EQ(last[0][1], p.final_values[1].value) << p.name;
  }
}

TEST(BoostConverter, WrongCandidatesAreRejectedByTheirImpulses) {
  const Solution s = run_mode_problem(boost_converter(), EngineKind::radau);
  ASSERT_GE(s.instants().size(), 2u);
  const auto rejected = [](const EventInstant& i, const std::string& variable) {
    for (const CandidateRecord& c : i.candidates) {
      if (c.taken) continue;
      for (const ImpulseRecord& r : c.impulses) {
        if (r.variable == variable) return r.strength;
      }
    }
    return 0.0;
  };
  EXPECT_NEAR(rejected(s.instants()[0], "iD"), -0.2453280364784116, 300 * modes_tolerance);
  EXPECT_NEAR(rejected(s.instants()[1], "vD"), 15.67111534938769, 300 * 16 * modes_tolerance);
  for (const EventInstant& i : s.instants()) {
    EXPECT_TRUE(i.impulses.empty());
    for (const Jump& j : i.jumps) EXPECT_TRUE(j.variable != "iL" && j.variable != "vC");
  }
}

TEST(BoostConverter, NearestValuesDischargeTheCapacitor) {
  const ModeProblem p = boost_converter();
  const Solution s = run_mode_problem(p, EngineKind::radau, RestartPolicy::least_squares);
  EXPECT_FALSE(compare_modes(s.event_log, p).complete);
}

TEST(CutRope, TheForceIsAbsentInFlight) {
  const Solution s = run_mode_problem(cut_rope(), EngineKind::radau);
  const std::uint32_t force = s.trajectory.index_of("force");
  EXPECT_TRUE(s.trajectory.at(force, 0.2).has_value());
  EXPECT_FALSE(s.trajectory.at(force, 0.5).has_value());
  EXPECT_TRUE(s.trajectory.at(force, 1.0).has_value());
}

TEST(RestingBall, LiesUnderItsWeight) {
  const Solution s = run_mode_problem(resting_ball(), EngineKind::radau);
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_NEAR(s.at("contact", 1.8), RestingBall::g, 300 * 10 * modes_tolerance);
  EXPECT_NEAR(s.at("h", 1.8), 0.0, 300 * modes_tolerance);
}

TEST(ClassChanges, WhatIsPredictedToJumpJumps) {
  for (const ClassChange& c : class_changes()) {
    for (const EngineKind engine : {EngineKind::radau, EngineKind::ida}) {
      const ClassChangeRun r = run_class_change(c, engine, 1e-8);
      EXPECT_TRUE(r.ran) << c.number << ": " << r.message;
      EXPECT_EQ(r.number, c.number);
      EXPECT_EQ(r.may_jump, r.jumps) << c.number << " " << c.what;
      EXPECT_EQ(r.may_be_impulsive, r.impulsive) << c.number << " " << c.what;
    }
  }
}

// ---- random switched linear DAEs ------------------------------------------------------------------

/// E x' - A x - f of the exact solution, x' by a central difference of error h^2 |x'''|/6.
double largest_residual(const Pencil& p, const LongVector& start, long double t) {
  const long double h = 1e-5L;
  const LongVector before = p.moved(start, 0, t - h), x = p.moved(start, 0, t);
  LongVector rate = p.moved(start, 0, t + h);
  for (std::size_t i = 0; i < p.n; ++i) rate[i] = (rate[i] - before[i]) / (2 * h);
  const LongVector left = p.e * rate, right = p.a * x;
  double worst = 0.0;
  for (std::size_t i = 0; i < p.n; ++i) {
    const long double f = p.f[i][0] + p.f[i][1] * t + p.f[i][2] * t * t;
    worst = std::max(worst, static_cast<double>(std::abs(left[i] - right[i] - f)));
  }
  return worst;
}

TEST(SwitchedPencils, ExactSolutionsSatisfyTheEquations) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const SwitchedPencils p = random_switched_pencils(seed);
    EXPECT_LT(largest_residual(p.modes[0], p.start, 0.3L), 1e-6) << seed;
    // A planted error: another start is not on the solution of a system that has constraints.
    Pencil wrong = p.modes[0];
    wrong.a(0, 0) += 0.5L;
    bool seen = false;
    for (const long double t : {0.2L, 0.3L, 0.4L}) {
      seen = seen || largest_residual(wrong, p.start, t) > 1e-3;
    }
    EXPECT_TRUE(seen || std::abs(p.start[0]) < 1e-2L) << seed;
  }
}

/// Right, or refused: at most 3 % of them.
void expect_exact_pencils(std::uint64_t seed, std::uint64_t n_cases) {
  const PencilStudy study = study_switched_pencils(seed, n_cases, EngineKind::radau, 1e-9, 1e-6);
  EXPECT_EQ(study.n_wrong, 0u) << study.complaints;
  EXPECT_LE(100 * study.n_refused, 3 * n_cases) << study.complaints;
  EXPECT_GT(study.n_jumps, n_cases);
  EXPECT_GT(study.n_impulses, n_cases);
}

TEST(SwitchedPencils, RunsJumpAndPulseAsTheyMust) { expect_exact_pencils(7000, 40); }
TEST(SlowSwitchedPencils, RunsJumpAndPulseAsTheyMust) { expect_exact_pencils(8000, 200); }

TEST(SwitchedPencils, AWrongProjectorAndAWrongImpulseAreNoticed) {
  int n_checked = 0;
  for (std::uint64_t seed = 7000; seed < 7020; ++seed) {
    const SwitchedPencils p = random_switched_pencils(seed);
    const Pencil& entered = p.modes[p.switches[0].to];
    if (entered.d == p.modes[0].n || entered.index < 2) continue;
    RunOptions o = {.t_end = p.t_end, .rtol = 1e-9, .atol = 1e-9, .engine = EngineKind::radau};
    const Solution s = simulate(p.model(RestartPolicy::impulse), o);
    if (!s.ok()) continue;
    ASSERT_EQ(judge_pencils(s, p, 1e-6).what, "");
    // Constraints that say something else, and a nilpotent part without its first block.
    SwitchedPencils other = p;
    other.modes[p.switches[0].to].g[entered.d][0] += 1.0L;
    EXPECT_NE(judge_pencils(s, other, 1e-6).what, "") << seed;
    other = p;
    other.modes[p.switches[0].to].nilpotent = LongMatrix(entered.n);
    EXPECT_NE(judge_pencils(s, other, 1e-6).what, "") << seed;
    ++n_checked;
  }
  EXPECT_GE(n_checked, 5);
}

TEST(ManyModes, OnlyThoseVisitedAreAsked) {
  Model m("many modes");
  write_many_modes(m, 200);
  const auto source = std::make_shared<CountingSource>(compile_model(m.build()));
  saltus::Run run("many modes", source, {.t_end = 4.5});
  while (run.advance()) {
  }
  ASSERT_TRUE(run.report().ok()) << run.report().message;
  EXPECT_EQ(run.report().modes.size(), 5u);
  EXPECT_EQ(source->asked.size(), 5u);
}

}  // namespace
}  // namespace saltus::problems
