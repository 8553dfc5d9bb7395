// Random models that switch in every way a model can: coarse runs must have the events of fine ones.
#include <random>

#include <gtest/gtest.h>

#include "problems/switched_problem.hpp"

namespace saltus::problems {
namespace {

/// Three driven, coupled states; four switches of four kinds; two when-clauses.
std::shared_ptr<const ModelDefinition> write_random_switching(unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  Model m("random switching " + std::to_string(seed));
  std::vector<Expr> x, f;
  for (int i = 0; i < 3; ++i) x.push_back(m.state("x" + std::to_string(i), unit(random)));
  Expr d = m.discrete("d", 1.0);
  for (std::size_t i = 0; i < 3; ++i) {
    Expr sum = 0.3 * unit(random) + 0.5 * sin(2.0 * m.time() + static_cast<double>(i));
    for (std::size_t j = 0; j < 3; ++j) sum += (2.0 * unit(random) - (i == j ? 0.6 : 0.0)) * x[j];
    f.push_back(sum - 0.05 * x[i] * x[i] * x[i]);
  }
  for (int k = 0; k < 4; ++k) {
    Expr g = 0.0;
    for (std::size_t j = 0; j < 3; ++j) g += unit(random) * x[j];
    const double level = 0.3 * unit(random), a = unit(random), b = unit(random);
    const std::size_t row = random() % 3;
    switch (random() % 4) {
      case 0:
        f[row] += where(g > level, Expr(0.4 * a), Expr(0.4 * b));
        break;
      case 1:
        f[row] += a * max(g, Expr(level));
        break;
      case 2:
        f[row] += a * abs(g - level);
        break;
      default:
        f[row] += where(g > level && x[(row + 1) % 3] < 0.2, a * x[row], b * x[row]);
    }
  }
  f[0] += 0.2 * d;
  for (std::size_t i = 0; i < 3; ++i) m.equation(der(x[i]) == f[i]);
  m.when("turn", x[1] > 0.4, {{d, -pre(d)}});
  m.when("jump", x[2] < -0.3, {{x[2], -0.5 * pre(x[2])}});
  return m.build();
}

Solution run_random_switching(const std::shared_ptr<const ModelDefinition>& model,
                              EngineKind engine, double rtol, bool prove) {
  RunOptions o = {.t_end = 6.0, .rtol = rtol, .atol = rtol, .engine = engine};
  o.events.prove = prove;
  o.limits.max_events = 2000;
  return simulate(model, o);
}

bool same_events(const Solution& a, const Solution& b) {
  const auto events_a = counted_events(a.event_log), events_b = counted_events(b.event_log);
  if (events_a.size() != events_b.size()) return false;
  for (std::size_t i = 0; i < events_a.size(); ++i) {
    if (events_a[i].relation != events_b[i].relation) return false;
    if (events_a[i].direction != events_b[i].direction) return false;
  }
  return true;
}

constexpr unsigned n_random_switching = 80;

TEST(SlowRandomSwitching, CoarseRunsHaveTheEventsOfFineOnes) {
  int n_compared = 0, n_alike = 0, n_alike_unproven = 0;
  for (unsigned seed = 1; seed <= n_random_switching; ++seed) {
    const auto model = write_random_switching(seed);
    const Solution fine = run_random_switching(model, EngineKind::dop853, 1e-10, true);
    if (!fine.ok()) continue;  // it slides: see the next test
    ++n_compared;
    const Solution coarse = run_random_switching(model, EngineKind::dop853, 1e-5, true);
    const Solution implicit = run_random_switching(model, EngineKind::radau, 1e-5, true);
    EXPECT_TRUE(same_events(fine, coarse)) << "seed " << seed;
    EXPECT_TRUE(same_events(fine, implicit)) << "seed " << seed;
    n_alike += same_events(fine, coarse);
    n_alike_unproven +=
        same_events(fine, run_random_switching(model, EngineKind::dop853, 1e-5, false));
  }
  EXPECT_GT(n_compared, static_cast<int>(n_random_switching / 2));
  // The control: signs at the ends of long steps miss pairs of crossings.
  EXPECT_LT(n_alike_unproven, n_alike);
}

TEST(SlowRandomSwitching, EnginesAgreeOnWhatHappensAndOnWhatCannotGoOn) {
  for (unsigned seed = 1; seed <= n_random_switching; ++seed) {
    const auto model = write_random_switching(seed);
    const Solution first = run_random_switching(model, EngineKind::dop853, 1e-9, true);
    for (const EngineKind engine : {EngineKind::dopri5, EngineKind::radau, EngineKind::ida}) {
      const Solution other = run_random_switching(model, engine, 1e-9, true);
      EXPECT_EQ(first.report.outcome, other.report.outcome)
          << "seed " << seed << other.report.message;
      EXPECT_TRUE(same_events(first, other)) << "seed " << seed << " " << name(engine);
    }
  }
}

}  // namespace
}  // namespace saltus::problems
