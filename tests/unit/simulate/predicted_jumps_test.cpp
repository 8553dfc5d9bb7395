// What analyze() predicts of transitions is what a run then does.
#include <gtest/gtest.h>

#include <cmath>

#include <saltus/simulate.hpp>

#include "problems/class_changes.hpp"
#include "problems/mode_problems.hpp"
#include "problems/switched_pencils.hpp"

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

/// Row i of some column >= first.
bool has_part(const problems::LongMatrix& m, std::size_t i, std::size_t first) {
  for (std::size_t k = first; k < m.n; ++k)
    if (m(i, k) != 0) return true;
  return false;
}

/// z2 of the canonical form is what a switch changes, N z2 what is impulsive: exactly what must be said.
TEST(RandomPencils, JumpsAndImpulsesAreThoseOfTheCanonicalForm) {
  constexpr std::uint64_t n_cases = 60;
  int n_compared = 0, n_refused = 0, n_continuous = 0, n_impulsive = 0;
  for (std::uint64_t seed = 1; seed <= n_cases; ++seed) {
    const problems::SwitchedPencils p = problems::random_switched_pencils(seed);
    const ModelAnalysis a = analyze(p.model(RestartPolicy::impulse));
    for (const TransitionAnalysis& t : a.transitions) {
      if (t.by_structure) {
        ++n_refused;
        continue;
      }
      const problems::Pencil& after = p.modes[static_cast<std::size_t>(t.to[1] - '0')];
      const problems::LongMatrix impulsive = after.t_inverse * after.nilpotent;
      for (std::size_t i = 0; i < after.n; ++i) {
        const UnknownChange& u = t.unknowns[i];
        ++n_compared;
        EXPECT_EQ(u.can_jump, has_part(after.t_inverse, i, after.d))
            << "seed " << seed << ' ' << t.name << ' ' << u.name;
        EXPECT_EQ(u.can_be_impulsive, has_part(impulsive, i, 0))
            << "seed " << seed << ' ' << t.name << ' ' << u.name;
        n_continuous += u.can_jump ? 0 : 1;
        n_impulsive += u.can_be_impulsive ? 1 : 0;
      }
    }
  }
  EXPECT_GT(n_compared, 400);
  EXPECT_GT(n_continuous, 40);
  EXPECT_GT(n_impulsive, 40);
  EXPECT_LE(n_refused, 10);
}

/// Under the default policy nothing jumps that was not predicted to.
TEST(RandomPencils, JumpOnlyWhereThatIsPredicted) {
  constexpr std::uint64_t n_cases = 60;
  int n_jumps = 0, n_continuous = 0;
  for (std::uint64_t seed = 1; seed <= n_cases; ++seed) {
    const problems::SwitchedPencils p = problems::random_switched_pencils(seed);
    const auto model = p.model(RestartPolicy::keep);
    const ModelAnalysis a = analyze(model);
    const Solution solution = simulate(model, options_until(p.t_end));
    for (std::size_t k = 0; k < solution.instants().size() && k < a.transitions.size(); ++k) {
      const TransitionAnalysis& t = a.transitions[k];
      if (t.by_structure || !solution.ok()) continue;
      for (const UnknownChange& u : t.unknowns) {
        const double before = solution.at(u.name, p.switches[k].t, Side::left);
        const double jump = std::abs(solution.at(u.name, p.switches[k].t, Side::right) - before);
        const bool jumps = jump > clear_jump * (1.0 + std::abs(before));
        n_jumps += jumps ? 1 : 0;
        n_continuous += u.can_jump ? 0 : 1;
        if (!u.can_jump) {
          EXPECT_FALSE(jumps) << "seed " << seed << ' ' << t.name << ' ' << u.name << " by "
                              << jump;
        }
        const auto& impulses = solution.instants()[k].impulses;
        if (std::ranges::count(impulses, u.name, &ImpulseRecord::variable) > 0) {
          EXPECT_TRUE(u.can_be_impulsive) << "seed " << seed << ' ' << t.name << ' ' << u.name;
        }
      }
    }
  }
  EXPECT_GT(n_jumps, 200);
  EXPECT_GT(n_continuous, 40);
}

}  // namespace
}  // namespace saltus
