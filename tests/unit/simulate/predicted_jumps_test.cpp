// What analyze() predicts of transitions is what a run then does.
#include <gtest/gtest.h>

#include <cmath>

#include <saltus/simulate.hpp>

#include "problems/class_changes.hpp"
#include "problems/mode_problems.hpp"

namespace saltus {
namespace {

using problems::ClassChange;

constexpr double rtol_of_runs = 1e-8;
// Jumps of the models are of the size of their values; what is continuous differs by errors of some steps.
constexpr double clear_jump = 1e-3;
constexpr double continuous_within = 1e3 * rtol_of_runs;

RunOptions options_until(double t_end) {
  RunOptions options;
  options.t_end = t_end;
  options.rtol = rtol_of_runs;
  options.atol = rtol_of_runs;
  return options;
}

class PredictedJumps : public ::testing::TestWithParam<ClassChange> {};

TEST_P(PredictedJumps, AreThoseOfARun) {
  Model m(GetParam().what);
  write_class_change(m, GetParam());
  const TransitionAnalysis predicted = analyze(m).transitions.at(0);
  const double t = problems::class_change_time;
  const Solution solution = simulate(m, options_until(2.0 * t));
  ASSERT_TRUE(solution.ok()) << solution.report.message;
  ASSERT_EQ(solution.instants().size(), 1u);
  const EventInstant& instant = solution.instants()[0];
  EXPECT_EQ(instant.mode_after, "after");
  for (const UnknownChange& u : predicted.unknowns) {
    const auto impulse = std::ranges::find(instant.impulses, u.name, &ImpulseRecord::variable);
    EXPECT_EQ(u.can_be_impulsive, impulse != instant.impulses.end()) << u.name;
    if (u.before == UnknownClass::absent || u.after == UnknownClass::absent) continue;
    const double jump =
        std::abs(solution.at(u.name, t, Side::right) - solution.at(u.name, t, Side::left));
    if (u.can_jump) {
      EXPECT_GT(jump, clear_jump) << u.name;
    } else {
      EXPECT_LT(jump, continuous_within) << u.name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Thirteen, PredictedJumps, ::testing::ValuesIn(problems::class_changes()),
                         [](const auto& which) { return std::to_string(which.param.number); });

const TransitionAnalysis* find_transition(const ModelAnalysis& a, const std::string& from,
                                          const std::string& to) {
  for (const TransitionAnalysis& t : a.transitions)
    if (t.from == from && t.to == to) return &t;
  return nullptr;
}

/// Nothing jumps that was not predicted to. (What may jump need not: a rope is caught gently.)
TEST(NamedModeProblems, JumpOnlyWhereThatIsPredicted) {
  std::size_t n_transitions = 0, n_jumps = 0, n_impulses = 0;
  for (const problems::ModeProblem& problem : problems::mode_problems()) {
    const auto model = problems::write_model(problem);
    const ModelAnalysis analysis = analyze(model);
    const Solution solution = simulate(model, options_until(problem.t_end));
    EXPECT_TRUE(solution.ok()) << problem.name << ": " << solution.report.message;
    for (const EventInstant& instant : solution.instants()) {
      if (instant.mode_before == instant.mode_after) continue;
      const TransitionAnalysis* t =
          find_transition(analysis, instant.mode_before, instant.mode_after);
      if (t == nullptr) continue;  // several at once
      ++n_transitions;
      EXPECT_TRUE(t->compared && !t->by_structure) << problem.name << ' ' << t->name;
      for (const UnknownChange& u : t->unknowns) {
        const auto jump = std::ranges::find(instant.jumps, u.name, &Jump::variable);
        if (jump != instant.jumps.end() && jump->in_tolerances > 1e3) {
          ++n_jumps;
          EXPECT_TRUE(u.can_jump) << problem.name << ' ' << t->name << ": " << u.name << " by "
                                  << jump->after - jump->before;
        }
        const auto impulse = std::ranges::find(instant.impulses, u.name, &ImpulseRecord::variable);
        if (impulse != instant.impulses.end()) {
          ++n_impulses;
          EXPECT_TRUE(u.can_be_impulsive) << problem.name << ' ' << t->name << ": " << u.name;
        }
      }
    }
  }
  EXPECT_GT(n_transitions, 50u);
  EXPECT_GT(n_jumps, 50u);
  EXPECT_GT(n_impulses, 3u);
}

}  // namespace
}  // namespace saltus
