// Nominal values help, but nobody has to state them: without, a run has the events and the values of the reference, or
// it says where it could not tell.
#include <gtest/gtest.h>

#include "problems/switched_problems.hpp"

namespace saltus::problems {
namespace {

/// A run that ended early with a reason, or steps or events that could not be told from others.
bool is_marked(const Solution& s) {
  const bool is_doubtful = std::any_of(s.events().begin(), s.events().end(), [](const Event& e) {
    return e.guarantee == Guarantee::marginal;
  });
  return !s.ok() || is_doubtful || !s.report.marginal.empty() || !s.report.warnings.empty();
}

TEST(WithoutNominal, RunsAreRightOrMarked) {
  // Tolerances; the factor is that of random models, of which these are the well-known ones.
  constexpr double most = 1000;
  int n_runs = 0, n_marked = 0, n_failed = 0;
  for (const SwitchedProblem& problem : switched_problems()) {
    const WrittenModel model = write_model(problem, nullptr, ModelWriter::Nominal::left_out);
    for (const EngineKind engine :
         {EngineKind::dopri5, EngineKind::dop853, EngineKind::radau, EngineKind::ida}) {
      const bool is_explicit = traits_of(engine).is_explicit;
      if (is_explicit && !problem.explicit_engines) continue;
      for (int digits = 3; digits <= 10; ++digits) {
        RunOptions o;
        o.t_end = problem.t_end;
        o.engine = engine;
        o.rtol = o.atol = std::pow(10.0, -digits);
        const Solution s = simulate(model.definition, o);
        const auto found = compare_events(counted_events(s.event_log), problem.events, model.texts,
                                          true, most * o.atol);
        const bool is_right = found.complete && end_error(s, problem) <= most * o.atol;
        ++n_runs;
        n_failed += !s.ok();
        n_marked += !is_right;
        EXPECT_TRUE(is_right || is_marked(s))
            << problem.name << " " << name(engine) << " 1e-" << digits << ": "
            << found.first_difference << " " << end_error(s, problem) / o.atol << " tolerances";
        // No expert would give one of these up.
        EXPECT_TRUE(s.ok()) << problem.name << " " << name(engine) << " 1e-" << digits << ": "
                            << s.report.message;
      }
    }
  }
  EXPECT_GE(n_runs, 160);
  EXPECT_EQ(n_failed, 0);
  EXPECT_LE(n_marked, n_runs / 20);
  std::cout << n_runs << " runs, " << n_marked << " not right but marked\n";
}

}  // namespace
}  // namespace saltus::problems
